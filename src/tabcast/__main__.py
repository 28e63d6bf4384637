"""``python -m tabcast``: the command line, where the command itself is not on the path."""

from tabcast.cli.main import app

if __name__ == "__main__":
    app(prog_name="tabcast")
