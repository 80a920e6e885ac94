#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the health service takes on a large machine: time, share of a core and memory, beside what it may take.

    health_scale.py [--quick] [--queries N]

Agents of 30,000 nodes, in one process, answer one tofa-healthd once a second; 10,000 are polled until there is a first
snapshot; 200 clients ask a gateway for 1,000 nodes at once; N clients (default 100,000) ask one after the other, four at
a time, and the gateway's memory is looked at on the way; a tofa-noded has its private memory counted, beside another one
and alone, that is with its own copies of what no other program may have mapped. Prints a table, and
the load of the machine, which the figures depend on. Ends with 1 where something takes more than it may. --quick asks less
and measures for a shorter time. Needs TOFA_BUILD, a build folder (default: build), with the target tofa-health-agents.
"""
import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("TOFA_BUILD", ROOT / "build")).resolve()
TICKS = os.sysconf("SC_CLK_TCK")
DEADLINE = 120  # seconds for anything to happen
MEGABYTE = 1 << 20


def free_port(kind):
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def await_that(condition, what):
    end = time.monotonic() + DEADLINE
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"health_scale.py: waited {DEADLINE} s for {what}")
        time.sleep(0.005)


class Process:
    """One of the service's, its output in a log, ended with the block."""

    def __init__(self, folder, program, *arguments, environment=None):
        self.log = open(folder / "log", "ab")
        self.child = subprocess.Popen([str(program), *map(str, arguments)], stdout=self.log, stderr=self.log,
                                      stdin=subprocess.DEVNULL, env=environment)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.send_signal(signal.SIGTERM)
        try:
            self.child.wait(30)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        self.log.close()

    def family(self):
        """This process and its children: the gateway has libpmix in one of its own."""
        pids = [self.child.pid]
        for pid in pids:
            for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
                pids.extend(int(child) for child in task.read_text().split())
        return pids

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.child.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory(self, file, *keys):
        """Bytes: the sum of these entries, of the whole family."""
        total = 0
        for pid in self.family():
            with contextlib.suppress(OSError):
                for line in pathlib.Path(f"/proc/{pid}/{file}").read_text().splitlines():
                    key, _, rest = line.partition(":")
                    total += int(rest.split()[0]) * 1024 if key in keys else 0
        return total


def write_config(folder, hosts, port):
    lines = ["[poll]", "period = 1", "timeout = 0.8", "[state]", f'database = "{folder}/health.db"',
             f'snapshot = "{folder}/snapshot.json"']
    for i in range(1, hosts + 1):
        lines += ["[[host]]", f'name = "h{i}"', f'address = "127.{16 + i // 65536}.{i // 256 % 256}.{i % 256}:{port}"']
    config = folder / "healthd.toml"
    config.write_text("\n".join(lines) + "\n")
    return config


@contextlib.contextmanager
def healthd(hosts, port):
    """Polls so many hosts; the folder, the process, and how long the first snapshot took."""
    with tempfile.TemporaryDirectory(prefix="tofa-scale-") as name:
        folder = pathlib.Path(name)
        config = write_config(folder, hosts, port)
        begin = time.monotonic()
        with Process(folder, BUILD / "bin" / "tofa-healthd", "--config", config) as process:
            await_that(lambda: process.child.poll() is not None or (folder / "snapshot.json").exists(), "a snapshot")
            if process.child.poll() is not None:
                sys.exit((folder / "log").read_text())
            yield folder, process, time.monotonic() - begin


def measure_polling(port, seconds):
    with healthd(30_000, port) as (folder, process, _):
        time.sleep(5)  # the first rounds save and fit
        begin, used = time.monotonic(), process.cpu_seconds()
        time.sleep(seconds)
        share = (process.cpu_seconds() - used) / (time.monotonic() - begin)
        hosts = json.loads((folder / "snapshot.json").read_text())["hosts"]
        # Who is not asked, or does not answer, is no work.
        return share, process.memory("status", "VmHWM"), 30_000 - sum(host["state"] == "up" for host in hosts)


def ask(uri):
    return subprocess.run([str(BUILD / "bin" / "tofa-query"), "--uri", uri, "--deadline", "60"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL).returncode == 0


def measure_gateway(port, clients, queries):
    """How long so many clients at once take, and how much larger the gateway becomes with many more, in bytes."""
    with healthd(1_000, port) as (folder, _, _):
        uri = f"127.0.0.1:{free_port(socket.SOCK_STREAM)}"
        with Process(folder, BUILD / "bin" / "tofa-pmix-gateway", "--listen", uri, "--snapshot",
                     folder / "snapshot.json") as gateway:
            await_that(lambda: ask(uri), "the gateway")
            with concurrent.futures.ThreadPoolExecutor(clients) as pool:
                begin = time.monotonic()
                answered = sum(pool.map(ask, [uri] * clients))
                took = time.monotonic() - begin
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                tenth = max(1, queries // 10)
                lost = clients - answered + tenth - sum(pool.map(ask, [uri] * tenth))
                before = gateway.memory("smaps_rollup", "Rss")
                rest = queries - tenth
                lost += rest - sum(pool.map(ask, [uri] * rest))
            return took, gateway.memory("smaps_rollup", "Rss") - before, lost


@contextlib.contextmanager
def agent(program, environment=None):
    """A tofa-noded that has answered."""
    with tempfile.TemporaryDirectory(prefix="tofa-scale-") as name:
        port = free_port(socket.SOCK_DGRAM)
        with Process(pathlib.Path(name), program, "--listen", f"127.0.0.1:{port}", environment=environment) as process, \
                socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
            asker.settimeout(0.1)
            request = f"tofa-heartbeat 1 {'0' * 32}\n".ljust(512).encode()

            def answers():
                asker.sendto(request, ("127.0.0.1", port))
                with contextlib.suppress(OSError):
                    return asker.recv(2048)
                return b""
            await_that(answers, "the agent")
            yield process


def copy_with_libraries(program, folder):
    """All that it maps is a file of its own, but for libc, which every process has."""
    listed = subprocess.run(["ldd", program], check=True, stdout=subprocess.PIPE, text=True).stdout
    for name, path in re.findall(r"^\s*(\S+) => (/\S+)", listed, re.MULTILINE):
        if not name.startswith(("libc.so", "ld-linux")):
            shutil.copy(path, folder / name)
    return shutil.copy(program, folder)


def measure_agent():
    """Bytes of private memory, alone and beside another one."""
    program = BUILD / "bin" / "tofa-noded"
    kinds = "Private_Clean", "Private_Dirty"
    with tempfile.TemporaryDirectory(prefix="tofa-scale-") as name:
        copied = copy_with_libraries(program, pathlib.Path(name))
        with agent(copied, {**os.environ, "LD_LIBRARY_PATH": name}) as process:
            alone = process.memory("smaps_rollup", *kinds)
    with agent(program), agent(program) as process:
        return alone, process.memory("smaps_rollup", *kinds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--queries", type=int, default=None)
    options = parser.parse_args()
    queries = options.queries or (2_000 if options.quick else 100_000)
    seconds = 10 if options.quick else 60
    loads = [os.getloadavg()[0]]
    port = free_port(socket.SOCK_DGRAM)
    rows = []
    with tempfile.TemporaryDirectory(prefix="tofa-scale-") as name, \
            Process(pathlib.Path(name), BUILD / "bench" / "tofa-health-agents", port):
        share, peak, silent = measure_polling(port, seconds)
        rows.append(("tofa-healthd, 30,000 agents at 1 s: share of a core, %", 100 * share, 25))
        rows.append(("the same: peak memory, MB", peak / MEGABYTE, None))
        rows.append(("the same: hosts that were not up at the end", silent, 0))
        loads.append(os.getloadavg()[0])
        with healthd(10_000, port) as (_, _, first):
            rows.append(("first snapshot of 10,000 hosts, s", first, 2))
        took, grown, lost = measure_gateway(port, 200, queries)
        rows.append(("200 clients at once over 1,000 hosts, all answered after, s", took, 1))
        rows.append((f"gateway, larger after nine tenths of {queries:,} queries by, MB", grown / MEGABYTE, 10))
        rows.append(("queries that were not answered", lost, 0))
    alone, beside = measure_agent()
    rows.append(("tofa-noded: private memory where nothing else maps its libraries, MB", alone / MEGABYTE, 3))
    rows.append(("the same beside another one", beside / MEGABYTE, 3))
    loads.append(os.getloadavg()[0])
    print("| what | measured | at most |\n|---|---:|---:|")
    for what, value, most in rows:
        print(f"| {what} | {value:.2f} | {'' if most is None else most} |")
    print(f"\nLoad of this machine with {os.cpu_count()} cores, before, on the way and after: "
          f"{', '.join(f'{load:.1f}' for load in loads)}")
    return int(any(most is not None and value > most for _, value, most in rows))


if __name__ == "__main__":
    sys.exit(main())
