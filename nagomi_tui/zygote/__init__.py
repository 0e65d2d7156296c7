"""The zygote: a process that has the front end loaded, and forks one for each `nagomi`.

`client` is what the user starts; it hands its terminal over and waits. `__main__` is the zygote,
and `child` what it forks. Whatever is in the way of that, the front end starts as it always can:
in the process that the user started.
"""
