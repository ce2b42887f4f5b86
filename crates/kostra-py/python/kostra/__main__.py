"""The command line: ``python -m kostra`` is the same program as ``kostra``."""

import sys

from kostra._kostra import run_command


def main():
    """Runs the command line and ends the process."""
    sys.stdout.flush()
    sys.exit(run_command(["kostra", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
