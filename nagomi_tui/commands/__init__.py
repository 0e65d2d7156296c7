"""The subcommands of `nagomi`, one small file for each group.

Only argparse is imported at the top of these files: `nagomi --help` stays quick.
"""
