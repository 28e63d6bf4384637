"""The command line: one file a command, imported only when it runs."""
