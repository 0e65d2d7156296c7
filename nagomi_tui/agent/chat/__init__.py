"""The program `nagomi chat`: an input line, streamed answers and slash commands."""
