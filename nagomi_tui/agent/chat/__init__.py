"""The program nagomi chat: a line to type in, streamed answers, slash commands."""
