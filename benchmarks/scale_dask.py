"""Partitions on a local Dask cluster: memory of the client, and time with one and two workers.

Writes the table of scale_stream.py into a temporary folder, starts a cluster of processes with a thread each, and fits
CAST on 500 labeled rows and the folder. The client is a process of its own:

    client          largest resident memory of the client, in MB; no row comes to it but the sample of 20,000
    wall            seconds of the fit; compare one and two workers on an idle machine only

    python benchmarks/scale.py dask [--rows 1000000 3000000] [--workers 1 2] [--trees 20]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

from scale_stream import N_LABELED, build, make_rows, write_folder


def measure(folder, n_rows, n_workers, trees):
    """Fit with a cluster of so many workers."""
    from distributed import Client, LocalCluster

    from tabcast.partitions import open_partitions

    warnings.simplefilter("ignore")
    X, y = make_rows(10**6, N_LABELED, 2)
    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": None, "host": "127.0.0.1"}
    with LocalCluster(n_workers=n_workers, **options) as cluster, Client(cluster) as client:
        start = time.perf_counter()
        build("cast", trees).fit(X, y, X_unlabeled=open_partitions(folder, engine=client))
        wall = time.perf_counter() - start
        with open("/proc/self/status") as status:
            peak = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))
    client_mb = round(peak / 2**20)
    return {"rows": n_rows, "workers": n_workers, "trees": trees, "client_mb": client_mb, "wall": round(wall, 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", nargs="+", type=int, default=[1_000_000, 3_000_000])
    parser.add_argument("--workers", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--trees", type=int, default=20)
    parser.add_argument("--folder", help="measure in this process, on a folder that is there")
    given = parser.parse_args()
    if given.folder:
        print(json.dumps(measure(given.folder, given.rows[0], given.workers[0], given.trees)), flush=True)
        return
    for rows in given.rows:
        with tempfile.TemporaryDirectory() as folder:
            write_folder(Path(folder), rows, 2)
            for workers in given.workers:
                sizes = ["--rows", str(rows), "--workers", str(workers), "--trees", str(given.trees)]
                command = [sys.executable, __file__, "--folder", folder, *sizes]
                output = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ).stdout
                print(output.splitlines()[-1], flush=True)


if __name__ == "__main__":
    main()
