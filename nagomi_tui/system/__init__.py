"""What is asked of the operating system: paths, files, sockets, processes, deadlines."""
