"""What every part of the front end uses: actions, translation, themes, badges, buttons, timers."""
