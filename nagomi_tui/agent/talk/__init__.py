"""What passes between a turn and whoever shows it: events, questions, commands, the wire."""
