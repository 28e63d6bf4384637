"""Many unlabeled rows: what they cost in memory and time, and what they gain.

    python benchmarks/scale.py memory     bytes and time per row of a fit in memory
    python benchmarks/scale.py stream     memory and time per row of partitions in one process
    python benchmarks/scale.py dask       memory of the client, time with one and two workers
    python benchmarks/scale.py fit        processor time of `tabcast fit`, by phase
    python benchmarks/scale.py accuracy   accuracy by number of unlabeled rows

Each has options of its own (`python benchmarks/scale.py stream --help`) and is a script beside this one. With `--save`
in front, the results are added to benchmarks/results/scale.jsonl, with the command, the machine and its load.
"""

import json
import os
import platform
import runpy
import sys
from contextlib import redirect_stdout
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "scale.jsonl"
SCRIPTS = {
    "memory": "scale_memory.py",
    "stream": "scale_stream.py",
    "dask": "scale_dask.py",
    "fit": "scale_fit.py",
    "accuracy": "pool_size.py",
}


class Tee(StringIO):
    """Keeps what is printed, and prints it."""

    def write(self, text):
        sys.__stdout__.write(text)
        return super().write(text)

    def flush(self):
        sys.__stdout__.flush()


def describe_machine():
    """Processor, cores, memory and load."""
    with open("/proc/cpuinfo") as info:
        model = next((line.split(":", 1)[1].strip() for line in info if line.startswith("model name")), "unknown")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "memory_gib": round(memory, 1),
        "load": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
    }


def read_results(printed):
    """The lines that are JSON."""
    return [json.loads(line) for line in printed.splitlines() if line.startswith("{")]


def main():
    arguments = sys.argv[1:]
    save = arguments[:1] == ["--save"]
    command = arguments[save:]
    if not command or command[0] not in SCRIPTS:
        raise SystemExit(__doc__)
    sys.path.insert(0, str(HERE))
    script, machine, printed = HERE / SCRIPTS[command[0]], describe_machine(), Tee()
    sys.argv = [str(script), *command[1:]]
    with redirect_stdout(printed):
        runpy.run_path(str(script), run_name="__main__")
    if save:
        date = datetime.now(UTC).date().isoformat()
        entry = {"command": command, "date": date, "machine": machine, "results": read_results(printed.getvalue())}
        RESULTS.parent.mkdir(exist_ok=True)
        with RESULTS.open("a") as file:
            file.write(json.dumps(entry) + "\n")


if __name__ == "__main__":
    main()
