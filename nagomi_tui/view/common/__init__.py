"""What every part of the front end uses: the link to the orchestrator, translation, themes, badges, buttons, timers."""
