"""The subcommands of `nagomi` that are more than one request, one small file for each group.

Those that make a request and print its result follow from its row in `nagomi_tui/api/verbs.py`. The order of
all, and which module adds which, is in `nagomi_tui/cli.py`.

Only argparse is imported at the top of these files: `nagomi --help` stays quick.
"""
