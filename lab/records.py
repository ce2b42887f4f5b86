"""What the records of the Python programs in this folder have in common."""

import datetime
import json
import os
import pathlib
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version


def about(packages):
    """The date, the machine, the commit, and the versions of packages; None for what is missing."""

    def output(*command):
        folder = pathlib.Path(__file__).resolve().parent
        try:
            return subprocess.run(
                command, check=True, capture_output=True, text=True, cwd=folder
            ).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            return None

    def installed(package):
        try:
            return version(package)
        except PackageNotFoundError:
            return None

    cpuinfo = pathlib.Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return {
        "date": datetime.date.today().isoformat(),
        "machine": {
            "processor": models[0] if models else platform.processor(),
            "processors": os.cpu_count(),
            "load_average": os.getloadavg()[0],
        },
        "commit": {
            "id": output("git", "rev-parse", "HEAD"),
            "dirty": bool(output("git", "status", "--porcelain", "--untracked-files=no")),
        },
        "versions": {
            "python": platform.python_version(),
            **{package: installed(package) for package in packages},
        },
    }


def add(path, name, entry):
    """Adds or replaces an entry of the record at a path."""
    record = json.loads(path.read_text()) if path.exists() else {"graphs": {}}
    record["graphs"][name] = entry
    path.write_text(json.dumps(record, indent=1) + "\n")
