"""手: the process that holds PTYs and their children, and decides nothing."""
