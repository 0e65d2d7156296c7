"""What every part of the front end uses: words, badges, buttons, theme, the state."""
