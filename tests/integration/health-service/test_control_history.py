# SPDX-License-Identifier: BSD-3-Clause
"""What tofa-healthd tells admins of the past: explained, exported, and of hosts that have another name now."""
import contextlib
import csv
import io
import json
import math
import os
import signal
import sqlite3
import subprocess
import time
import unittest

from control import ControlTest
from service import BIN, DEADLINE, wait_until


class ControlledHistory(ControlTest):
    def test_a_renamed_host_keeps_its_history(self):
        agents, healthd = self.start_all()
        now = int(time.time())
        self.done("event", "add", "n2", "--start", str(now - 7200), "--end", str(now - 3600), "--cause", "gpu")
        self.assertIn("n2 is still watched", self.refused("merge", "n2", "n1", "--reason", "r"))
        self.stop(agents["n2"])
        with open(self.service.config) as file:
            renamed = file.read().replace('name = "n2"', 'name = "m2"')
        with open(self.service.config, "w") as file:
            file.write(renamed)
        self.service.names[2] = "m2"
        self.service.start_agent("m2")
        healthd.send_signal(signal.SIGHUP)
        self.service.wait_for_state("m2", "up")
        self.assertIn('does not watch "n9"', self.refused("merge", "n2", "n9", "--reason", "r"))
        self.assertIn("the same", self.refused("merge", "m2", "m2", "--reason", "r", status=2))
        self.assertIn("merged: what n2 did, on ", self.done("merge", "n2", "m2", "--reason", "new rack"))
        outage = ("m2", now - 7200, now - 3600, "gpu")
        self.assertIn(outage, self.service.recorded_outages(), "as soon as it is acknowledged")
        self.stop(healthd, signal.SIGKILL)
        healthd = self.start()
        wait_until(lambda: outage in self.service.recorded_outages(), "the history after a restart")
        (name,) = self.service.hosts()["m2"]["was"]
        self.assertEqual((name["name"], name["reason"]), ("n2", "new rack"))
        self.assertNotIn("lacked", self.log(), "the snapshot and the database agree")
        change = self.changes()[-1]
        self.assertEqual((change["action"], change["host"], change["into"], change["reason"]),
                         ("merge", "n2", "m2", "new rack"))
        rows = list(csv.DictReader(io.StringIO(self.done("export"))))
        self.assertEqual([(row["host"], row["state"]) for row in rows if row["cause"] != "heartbeat"],
                         [("m2", "down"), ("n2", "entered"), ("n2", "merged")])
        self.assertEqual(self.rows("SELECT host FROM outage WHERE cause = 'gpu'"), [("n2",)], "rows stay as they were")
        self.assertIn("nothing is recorded of", self.refused("merge", "n2", "m2", "--reason", "again"))
        # What happened under the old name is known under the new one, and counted once.
        self.assertIn("an outage of m2 at that time is known already (gpu); nothing was changed",
                      self.refused("event", "add", "m2", "--start", str(now - 5000), "--end", str(now - 4000)))
        self.assertEqual(self.rows("SELECT count(*) FROM outage WHERE cause IN ('gpu', 'manual')"), [(1,)])
        self.done("event", "add", "m2", "--start", str(now - 3000), "--end", str(now - 2000), "--cause", "disk")
        for _ in range(2):
            told = json.loads(self.done("explain", "m2", "--json"))["outages"]
            self.assertEqual([outage["cause"] for outage in told if outage["cause"] != "heartbeat"], ["gpu", "disk"])
            self.stop(healthd)
            healthd = self.start()
            self.service.wait_for_state("m2", "up")

    def test_explain(self):
        self.service.write_config('method = "gamma"', f'[control]\nsocket = "{self.socket}"\n')
        self.start_all()
        now = int(time.time())
        self.done("event", "add", "n1", "--start", str(now - 7200), "--end", str(now - 3600), "--cause", "gpu")
        why = json.loads(self.done("explain", "n1", "--horizon", "7d", "--json"))
        self.assertEqual((why["host"], why["state"], why["method"], why["horizon"]), ("n1", "up", "gamma", 604800))
        numbers = {number["name"]: number["value"] for number in why["numbers"]}
        expected = -math.expm1(-numbers["rate"] * numbers["hazard"] * numbers["days"] * numbers["doubt"])
        self.assertAlmostEqual(why["probability"], expected, places=9)
        self.assertEqual([outage["cause"] for outage in why["outages"]], ["gpu"])
        text = self.done("explain", "n1")
        self.assertRegex(text, r"^n1: up\noutage probability within 24h: 0\.\d+ \(gamma\)\np = 1 - exp")
        self.assertRegex(text, r"\n  rate +\S+  outages per day: ")
        self.assertIn("outages, the latest 1 of 1 that the service tells:\n", text)
        self.assertEqual(self.changes()[-1]["action"], "event")
        self.assertIn('does not watch "n7"', self.refused("explain", "n7"))
        self.assertIn("a time above 0 like 90m", self.refused("explain", "n1", "--horizon", "soon", status=2))

    def test_what_is_exported_can_be_replayed(self):
        self.start_all()
        now = int(time.time())
        self.done("event", "add", "n[0-1]", "--start", str(now - 7200), "--end", str(now - 3600), "--cause", "gpu")
        self.done("event", "add", "n0", "--start", str(now - 1800.25))
        self.done("exclude", "n2", "--reason", 'a "b", c|d', "--until", "1h")
        self.assertIn("known already (gpu)", self.refused("event", "add", "n0", "--start", str(now - 4000)))
        text = self.done("export")
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual([(row["host"], row["cause"], row["state"]) for row in rows],
                         [("n0", "gpu", "down"), ("n1", "gpu", "down"), ("n0", "manual", "down"), ("n0", "gpu", "entered"),
                          ("n1", "gpu", "entered"), ("n0", "manual", "entered"), ("n2", 'a "b", c|d', "excluded")])
        self.assertRegex(rows[2]["start"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.750Z$")
        log = self.service.path("history.csv")
        with open(log, "w") as file:
            file.write(text)
        replayed = subprocess.run([os.path.join(BIN, "tofa"), "health", "backtest", "--log", log, "--hosts", "n[0-2]",
                                   "--json"], capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual(replayed.returncode, 0, replayed.stderr)
        replayed = json.loads(replayed.stdout)
        self.assertEqual((replayed["outages"], replayed["planned"]), (3, 4))

    def test_an_interruption_of_the_network_is_exported_as_no_failure(self):
        self.service.start_agents()
        healthd = self.start()
        self.service.wait_for_state("n1", "up")
        self.assertEqual(self.stop(healthd), 0)
        now = int(time.time())
        with contextlib.closing(sqlite3.connect(self.service.database)) as database, database:
            database.executemany("INSERT INTO outage (host, start, end, cause) VALUES (?, ?, ?, ?)",
                                 [("n1", now - 20 * 86400, now - 19 * 86400, "heartbeat"),
                                  ("n0", now - 7200, now - 3600, "network")])
        healthd = self.start()
        text = self.done("export")
        self.assertEqual([(row["host"], row["state"]) for row in csv.DictReader(io.StringIO(text))],
                         [("n1", "down"), ("n0", "network")])
        replayed = subprocess.run([os.path.join(BIN, "tofa"), "health", "backtest", "--log", "-", "--hosts", "n[0-2]",
                                   "--json"], input=text, capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual(replayed.returncode, 0, replayed.stderr)
        self.assertEqual((json.loads(replayed.stdout)["outages"], json.loads(replayed.stdout)["planned"]), (1, 1))
        self.assertIn("is kept for interruptions",
                      self.refused("event", "add", "n0", "--start", str(now - 60), "--cause", "network", status=2))

    def test_the_history_is_exported_in_pieces(self):
        self.service.start_agents()
        healthd = self.start()
        self.service.wait_for_state("n0", "up")
        self.assertEqual(self.stop(healthd), 0)
        now = int(time.time())
        with contextlib.closing(sqlite3.connect(self.service.database)) as database, database:
            database.executemany("INSERT INTO outage (host, start, end) VALUES (?, ?, ?)",
                                 [("n0", now - 10 * i, now - 10 * i + 1) for i in range(6000, 10, -1)])
        self.start()
        outages = json.loads(self.done("export", "--json"))["outages"]
        self.assertEqual(len(outages), 5990)
        self.assertEqual(outages[0], {"host": "n0", "start": now - 60000, "end": now - 59999, "cause": "heartbeat",
                                      "observed": True})


if __name__ == "__main__":
    unittest.main(verbosity=2)
