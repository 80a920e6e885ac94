# SPDX-License-Identifier: BSD-3-Clause
"""Past outages from before the service watched: tofa-healthd --import, and a daemon that goes on from there."""
import datetime
import os
import sqlite3
import subprocess
import time
import unittest

from service import BIN, DEADLINE, ServiceTest


class Import(ServiceTest):
    def setUp(self):
        super().setUp()
        self.service.write_config(estimate='method = "gamma"\nfloor = 0')

    def run_import(self, text, *options):
        log = self.service.path("log")
        with open(log, "w") as file:
            file.write(text)
        return subprocess.run([os.path.join(BIN, "tofa-healthd"), "--config", self.service.config, "--import", log,
                               *options], capture_output=True, text=True, timeout=DEADLINE)

    def outages(self):
        with sqlite3.connect(f"file:{self.service.database}?mode=ro", uri=True, timeout=DEADLINE) as database:
            return database.execute("SELECT host, cause FROM outage ORDER BY start").fetchall()

    def events(self):
        """As `sacctmgr --parsable2 show event` prints them."""
        def ago(days):
            return (datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=days)).strftime("%FT%T")
        lines = ["Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User",
                 f"c||{ago(60)}|Unknown||Cluster Registered TRES|", f"c|n2|{ago(50)}|{ago(49)}|DRAIN|new disk|root(0)"]
        lines += [f"c|n1|{ago(50 - 2 * i)}|{ago(49.9 - 2 * i)}|DOWN*|Not responding|slurm(64030)" for i in range(20)]
        lines += [f"c|db1|{ago(5)}|{ago(4)}|DOWN|fire|root(0)"]
        return "\n".join(lines) + "\n"

    def test_a_daemon_goes_on_from_what_a_log_tells(self):
        result = self.run_import(self.events())
        self.assertEqual(result.returncode, 0, result.stderr)
        for expected in ("21 outages from ", "added: 20\n", "known already: 0\n", "such as db1: 1\n",
                         "no failures: 2\n", "further back now: 3\n"):
            self.assertIn(expected, result.stdout)
        again = self.run_import(self.events())
        self.assertIn("added: 0\nknown already: 20\n", again.stdout)
        self.service.start_agents()
        healthd = self.service.start_healthd()
        within = {host: self.service.wait_for_state(host, "up")["within"] for host in self.service.names}
        self.assertGreater(within["n1"][1], 3 * within["n0"][1], "a day on the host that failed every other day")
        self.assertAlmostEqual(within["n0"][1] / within["n2"][1], 1, places=2, msg="what was planned is no failure")
        self.assertEqual(len(self.service.recorded_outages()), 20)
        self.assertNotIn("damage", self.service.log("tofa-healthd.log"))
        self.assertEqual(self.stop(healthd), 0)
        self.assertEqual(self.outages(), 20 * [("n1", "log: Not responding")])
        # And what it was told is still there, and its own counts.
        self.service.start_healthd()
        self.assertGreater(self.service.wait_for_state("n1", "up")["within"][1], 3 * within["n0"][1])

    def test_not_while_the_daemon_runs(self):
        self.service.start_agents()
        healthd = self.service.start_healthd()
        self.service.wait_for_state("n1", "up")
        result = self.run_import(self.events())
        self.assertEqual(result.returncode, 1)
        self.assertIn("another tofa-healthd is using this database; stop it first", result.stderr)
        self.assert_running(healthd)
        self.assertEqual(self.stop(healthd), 0)
        self.assertEqual(self.run_import(self.events()).returncode, 0)

    def test_mistakes_are_named_and_change_nothing(self):
        now = int(time.time())
        for text, expected in ((f"n0,{now - 100},{now}\nn0,soon,later\n", "log:2: \"soon\" is no time"),
                               ("", "no outage in it"), (f"n0,{now},{now + 10 ** 8}\n", "in the future"),
                               (f"n0,{now},{now - 5}\n", "log:1: the outage ends before it starts")):
            result = self.run_import(text)
            self.assertEqual(result.returncode, 2, text)
            self.assertIn(expected, result.stderr)
        self.assertFalse(os.path.exists(self.service.database))
        self.assertEqual(self.run_import("n0,1,2\n", "--check").returncode, 2)
        missing = subprocess.run([os.path.join(BIN, "tofa-healthd"), "--config", self.service.config, "--import",
                                  "/nowhere"], capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual(missing.returncode, 2)
        self.assertIn("/nowhere", missing.stderr)

    def test_from_standard_input(self):
        result = subprocess.run([os.path.join(BIN, "tofa-healthd"), "--config", self.service.config, "--import", "-"],
                                input="host,start,end,cause\nn[0-1],2026-01-01,2026-01-02,power\n",
                                capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.outages(), [("n0", "log: power"), ("n1", "log: power")])

    @unittest.skipUnless(os.geteuid() == 0, "only root can become another user")
    def test_root_hands_over_its_pipe(self):
        os.chown(self.service.folder, 65534, 65534)
        result = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                                 os.path.join(BIN, "tofa-healthd"), "--config", self.service.config, "--import", "-"],
                                input="n0,2026-01-01,2026-01-02,power\n", capture_output=True, text=True,
                                timeout=DEADLINE)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.outages(), [("n0", "log: power")])

    @unittest.skipUnless(os.geteuid() == 0, "only root can do it wrong")
    def test_root_makes_no_files_that_the_daemon_cannot_open(self):
        os.chown(self.service.folder, 65534, 65534)
        result = self.run_import("n0,1000,2000\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("import as that user", result.stderr)
        self.assertFalse(os.path.exists(self.service.database))


if __name__ == "__main__":
    unittest.main(verbosity=2)
