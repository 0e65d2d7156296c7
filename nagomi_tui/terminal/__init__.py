"""Terminal engines behind one small interface; keys, mouse and paste encoded for the child."""
