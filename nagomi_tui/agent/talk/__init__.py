"""What a conversation and its front ends exchange: events, questions, commands, socket messages."""
