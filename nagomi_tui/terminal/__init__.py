"""Terminal engines behind one small interface, with their scrollback; keys, mouse and paste encoded for the child."""
