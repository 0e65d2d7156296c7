"""When and where the user is called: sounds, notices, and events of programs such as bells and titles."""
