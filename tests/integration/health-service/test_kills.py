# SPDX-License-Identifier: BSD-3-Clause
"""kill -9 at random instants, and aimed at the moment after a snapshot was published, while hosts come and go, and on a disk
that hangs now and then: whatever was published is in the database. TOFA_KILLS=200 for more of them; TOFA_SEED for other instants."""
import contextlib
import json
import os
import random
import signal
import sqlite3
import threading
import time
import unittest

from service import DEADLINE, ServiceTest, wait_until

KILLS = int(os.environ.get("TOFA_KILLS", "20"))
SEED = int(os.environ.get("TOFA_SEED", "1"))


class Kills(ServiceTest):
    environment = None

    def setUp(self):
        super().setUp()
        self.random = random.Random(SEED)
        with open(self.service.config) as file:
            text = file.read().replace("period = 0.2", "period = 0.05").replace("timeout = 0.15", "timeout = 0.02")
        # Saves of estimates are rare, so that only what must be saved at once is.
        text = text.replace("floor = 0", "floor = 0\ndown_after = 2").replace("save = 0.1", "save = 3600")
        with open(self.service.config, "w") as file:
            file.write(text)
        self.agents = self.service.start_agents()
        self.over = threading.Event()
        self.weather = threading.Thread(target=self.come_and_go)
        self.weather.start()
        self.addCleanup(self.calm_down)

    def calm_down(self):
        self.over.set()
        self.weather.join()
        for agent in self.agents.values():
            agent.send_signal(signal.SIGCONT)

    def come_and_go(self):
        """Agents stop and go on all the time."""
        chance = random.Random(SEED + 1)
        stopped = set()
        while not self.over.wait(chance.uniform(0, 0.15)):
            host = chance.choice(self.service.names)
            stopped ^= {host}
            self.agents[host].send_signal(signal.SIGSTOP if host in stopped else signal.SIGCONT)

    def changes(self):
        """What the snapshot tells of each host, and of outages, without estimates."""
        snapshot = self.published()
        return {host["host"]: host["state"] for host in snapshot["hosts"]}, snapshot["outages"]

    def published(self):
        with open(self.service.snapshot) as file:
            return json.load(file)

    def check_nothing_is_missing(self):
        uri = f"file:{self.service.database}?mode=ro"
        with contextlib.closing(sqlite3.connect(uri, uri=True, timeout=DEADLINE)) as database:
            seen = {name for (name,) in database.execute("SELECT name FROM host WHERE seen = 1 OR up = 0")}
            rows = database.execute("SELECT host, start, end FROM outage").fetchall()
        states, outages = self.changes()
        missing = [host for host in states if host not in seen]
        known = {(host, start): end for host, start, end in rows}
        for outage in outages:
            key = outage["host"], outage["start"]
            # An end is saved before it is published, so the database may know it already.
            if key not in known or (outage["end"] and known[key] != outage["end"]):
                missing.append(outage)
        self.assertEqual([], missing)
        self.assertEqual(len(rows), len(known), "no outage twice")
        lasting = [host for host, _, end in rows if end is None]
        self.assertEqual(len(lasting), len(set(lasting)), "one outage of a host at a time")
        return len(rows)

    def kill(self, healthd):
        healthd.kill()
        healthd.wait(timeout=DEADLINE)

    def version(self):
        """Changes with every snapshot."""
        with contextlib.suppress(FileNotFoundError):
            info = os.stat(self.service.snapshot)
            return info.st_ino, info.st_mtime_ns
        return None

    def start(self):
        before = self.version()
        healthd = self.service.start_healthd(self.environment)
        wait_until(lambda: self.version() != before, "a snapshot")
        return healthd

    def test_killed_at_random(self):
        for _ in range(KILLS - KILLS // 2):
            healthd = self.start()
            time.sleep(self.random.uniform(0, 0.5))
            self.kill(healthd)
            outages = self.check_nothing_is_missing()
        self.assertGreater(outages, 0)

    def test_killed_when_a_change_was_published(self):
        for _ in range(KILLS // 2):
            healthd = self.start()
            states = self.changes()
            version = self.version()
            end = time.monotonic() + DEADLINE
            while time.monotonic() < end:
                latest = self.version()
                if latest == version:
                    continue
                version = latest
                if self.changes() != states:
                    break
            self.kill(healthd)
            outages = self.check_nothing_is_missing()
        self.assertGreater(outages, 0)


class KillsOnASlowDisk(Kills):
    """The same on a disk that hangs for a part of a second again and again."""

    def setUp(self):
        self.hanging = None
        super().setUp()

    def start(self):
        self.environment = self.service.disk_that_hangs
        self.hanging = self.environment["TOFA_DISK_HANGS"]
        return super().start()

    def come_and_go(self):
        disk = threading.Thread(target=self.hang_now_and_then)
        disk.start()
        super().come_and_go()
        disk.join()

    def hang_now_and_then(self):
        chance = random.Random(SEED + 2)
        while not self.over.wait(chance.uniform(0, 0.2)):
            if self.hanging:
                with open(self.hanging, "w"):
                    self.over.wait(chance.uniform(0, 0.2))
                os.remove(self.hanging)


if __name__ == "__main__":
    unittest.main(verbosity=2)
