"""``python -m tabcast``: the command line, where the command itself is not on the path."""

from tabcast.cli.ctrl_c import run

if __name__ == "__main__":
    run()
