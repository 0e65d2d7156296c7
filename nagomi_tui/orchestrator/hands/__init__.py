"""Workers on hands: reached, left away, taken over again; and which worker a session gets."""
