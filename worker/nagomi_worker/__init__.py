"""The worker (手): the process that holds PTYs and their child processes, and decides nothing."""
