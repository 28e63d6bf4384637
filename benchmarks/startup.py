"""How long `import tabcast` and `tabcast --help` take, relative to the packages they need. The last line is JSON.

python benchmarks/startup.py
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

COMMANDS = {
    "import sklearn.ensemble": [sys.executable, "-c", "import sklearn.ensemble"],
    "import tabcast": [sys.executable, "-c", "import tabcast"],
    "from tabcast import CASTClassifier": [sys.executable, "-c", "from tabcast import CASTClassifier"],
    "import typer, rich": [sys.executable, "-c", "import typer, rich"],
    "tabcast --help": [str(Path(sys.executable).parent / "tabcast"), "--help"],
}


def measure(repeats):
    """Median time of each command in seconds; the commands take turns, so that a busy moment hits them alike."""
    times = {name: [] for name in COMMANDS}
    for turn in range(repeats + 1):
        for name, command in COMMANDS.items():
            start = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            if turn:  # the first turn only warms the disk cache
                times[name].append(time.perf_counter() - start)
    return {name: median(values) for name, values in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=7)
    times = measure(parser.parse_args().repeats)
    for name, seconds in times.items():
        print(f"{name:<36}{seconds:.3f} s")
    ratios = {
        "import_ratio": times["import tabcast"] / times["import sklearn.ensemble"],
        "import_class_ratio": times["from tabcast import CASTClassifier"] / times["import sklearn.ensemble"],
        "help_ratio": times["tabcast --help"] / times["import typer, rich"],
    }
    print(json.dumps({"seconds": times, **ratios}))


if __name__ == "__main__":
    main()
