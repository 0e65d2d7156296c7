"""How a command starts quickly: what needs no parser, and the process that has the front end loaded."""
