# SPDX-License-Identifier: BSD-3-Clause
"""What tofa-healthd knows survives its own end, however it ends, and damage is kept aside rather than repaired."""
import contextlib
import os
import resource
import signal
import sqlite3
import subprocess
import time
import unittest

from fake_agents import Agents
from service import BIN, DEADLINE, ServiceTest, wait_until


class Restart(ServiceTest):
    def run_until_n1_has_a_history(self):
        """n1 has been down and is up again; returns its probability as saved."""
        agents = self.service.start_agents()
        healthd = self.service.start_healthd()
        for host in agents:
            self.service.wait_for_state(host, "up")
        self.wait_until_heard("n1")
        self.stop(agents["n1"])
        self.service.wait_for_state("n1", "down")
        self.service.start_agent("n1")
        self.service.wait_for_state("n1", "up")
        wait_until(lambda: ("n1", 1) in self.rows("SELECT name, up FROM host"), "the state to be saved")
        return healthd

    def check_history_goes_on(self):
        os.remove(self.service.snapshot)
        self.service.start_healthd()
        entry = self.service.wait_for_state("n1", "up")
        self.assertGreater(entry["probability"], 0, "the outage before the restart still counts")
        self.assertLess(entry["probability"], 0.5, "the time between the runs does not")

    def test_estimates_survive_sigterm(self):
        self.assertEqual(self.stop(self.run_until_n1_has_a_history()), 0)
        self.check_history_goes_on()
        self.assertEqual([("n1", 1)], self.rows("SELECT host, observed FROM outage WHERE end > start"))

    def test_estimates_survive_sigkill(self):
        self.stop(self.run_until_n1_has_a_history(), signal.SIGKILL)
        self.check_history_goes_on()

    def test_outages_count_after_a_restart(self):
        """With the method gamma, what each host showed is in the database, and hazards follow from it."""
        self.service.write_config('method = "gamma"')
        agents = self.service.start_agents()
        healthd = self.service.start_healthd()
        for host in agents:
            self.service.wait_for_state(host, "up")
        self.wait_until_heard("n1")
        self.stop(agents["n1"])
        entry = self.service.wait_for_state("n1", "down")
        self.assertEqual(entry["probability"], 1)
        self.assertNotIn("within", entry)
        self.service.start_agent("n1")
        self.service.wait_for_state("n1", "up")
        self.assertEqual(self.stop(healthd), 0)
        self.assertGreater(self.estimate("n0", 6), 0, "the time that it was up, short as it is")
        os.remove(self.service.snapshot)
        self.service.start_healthd()
        entry = self.service.wait_for_state("n1", "up")
        self.assertEqual(entry["probability"], 0, "it is up")
        self.assertEqual(entry["within"], sorted(entry["within"]))
        self.assertGreater(entry["within"][0], 0)
        self.assertAlmostEqual(self.estimate("n1", 5), 1, places=3, msg="the outages that count")
        self.assertEqual(self.estimate("n0", 5), 0)

    def estimate(self, host, number):
        """One of the numbers that HostEvidence::save() writes."""
        return float(self.rows(f"SELECT estimate FROM host WHERE name = '{host}'")[0][0].split()[number])

    def test_what_was_published_is_saved(self):
        """Killed as soon as the snapshot tells of an outage, the daemon has it in its database."""
        agents = self.service.start_agents()
        for host in ("n0", "n1", "n2") * 3:
            healthd = self.service.start_healthd()
            self.service.wait_for_state(host, "up")
            self.wait_until_heard(host)
            self.stop(agents[host], signal.SIGKILL)
            end = time.monotonic() + DEADLINE
            while self.service.hosts()[host]["state"] == "up" and time.monotonic() < end:
                time.sleep(0.0005)  # the kill must come before whatever follows the snapshot
            self.stop(healthd, signal.SIGKILL)
            self.assertEqual(self.service.hosts()[host]["state"], "down")
            self.assertEqual([(1,)], self.rows(f"SELECT count(*) FROM outage WHERE host = '{host}' AND end IS NULL"))
            self.assertEqual([(0,)], self.rows(f"SELECT up FROM host WHERE name = '{host}'"))
            agents[host] = self.service.start_agent(host)
            os.remove(self.service.snapshot)

    def test_outage_that_spans_a_restart_is_one(self):
        agents = self.service.start_agents()
        healthd = self.service.start_healthd()
        self.service.wait_for_state("n2", "up")
        self.wait_until_heard("n2")
        self.stop(agents["n2"])
        self.service.wait_for_state("n2", "down")
        self.assertEqual(self.stop(healthd), 0)
        self.assertEqual([(None,)], self.rows("SELECT end FROM outage WHERE host = 'n2'"))
        os.remove(self.service.snapshot)
        healthd = self.service.start_healthd()
        self.assertEqual(self.service.wait_for_state("n2", "down")["probability"], 1)
        agent = self.service.start_agent("n2")
        self.service.wait_for_state("n2", "up")
        self.assertEqual([(1,)], self.rows("SELECT observed FROM outage WHERE host = 'n2' AND end > start"))
        self.assertEqual([(1,)], self.rows("SELECT sum(outages) FROM exposure WHERE host = 'n2'"))
        self.stop(agent)
        self.service.wait_for_state("n2", "down")
        self.stop(healthd, signal.SIGKILL)
        self.service.start_agent("n2")
        os.remove(self.service.snapshot)
        healthd = self.service.start_healthd()
        self.service.wait_for_state("n2", "up")
        self.assertEqual([(1,), (0,)], self.rows("SELECT observed FROM outage WHERE host = 'n2' ORDER BY start"))
        self.assertEqual([(0,)], self.rows("SELECT count(*) FROM outage WHERE end IS NULL"))

    def restart_while(self, change):
        """Stops the daemon once all are up, and starts it again after the change of the agents."""
        for what in (lambda: None, change):
            what()
            healthd = self.service.start_healthd()
            for host in self.service.names:
                self.service.wait_for_state(host, "up")
            wait_until(lambda: self.rows("SELECT count(*) FROM host WHERE boot != 0") == [(len(self.service.names),)], "boots")
            self.assertEqual(self.stop(healthd), 0)
            os.remove(self.service.snapshot)

    def test_a_host_that_started_anew_in_the_meantime_has_failed(self):
        agents = Agents(self.service)
        self.addCleanup(agents.close)
        self.restart_while(lambda: agents.boots.update(n1="c"))
        [(last_round,)] = self.rows("SELECT start FROM outage WHERE host = 'n1'")
        self.assertEqual([("n1", last_round, 0, "reboot")], self.rows("SELECT host, end, observed, cause FROM outage"))
        self.restart_while(lambda: None)
        self.assertEqual([(1,)], self.rows("SELECT count(*) FROM outage"), "once")
        self.assertEqual([("n1", 1)], self.rows("SELECT host, sum(outages) FROM exposure WHERE outages > 0 GROUP BY host"))

    def test_hosts_that_all_started_anew_have_not_failed(self):
        agents = Agents(self.service)
        self.addCleanup(agents.close)
        self.restart_while(lambda: agents.boots.update(n0="c", n1="c", n2="c"))
        self.assertIn("3 hosts have started anew since this daemon was stopped", self.log())
        self.assertEqual([], self.rows("SELECT * FROM outage"))

    def test_outage_of_a_host_that_is_gone_ends_where_somebody_last_looked(self):
        agents = self.service.start_agents()
        healthd = self.service.start_healthd()
        self.service.wait_for_state("n2", "up")
        self.wait_until_heard("n2")
        self.stop(agents["n2"])
        self.service.wait_for_state("n2", "down")
        self.assertEqual(self.stop(healthd), 0)
        [(last_round,)] = self.rows("SELECT value FROM meta WHERE key = 'last_round'")
        os.remove(self.service.snapshot)
        self.service.names.remove("n2")
        self.service.write_config()
        self.service.start_healthd()
        self.service.wait_for_state("n0", "up")
        self.assertEqual([(last_round, 0)], self.rows("SELECT end, observed FROM outage WHERE host = 'n2'"))

    def test_host_that_never_answered_has_no_outage(self):
        self.service.start_agent("n0")
        self.service.start_agent("n2")
        healthd = self.service.start_healthd()
        self.assertEqual(self.service.wait_for_state("n1", "down")["probability"], 1)
        wait_until(lambda: ("n1", 0) in self.rows("SELECT name, up FROM host"), "the state to be saved")
        self.assertIn("n1 has never answered", self.service.log("tofa-healthd.log"))
        agent = self.service.start_agent("n1")
        self.assertEqual(self.service.wait_for_state("n1", "up")["probability"], 0)
        self.assertEqual([], self.rows("SELECT * FROM outage WHERE host = 'n1'"))
        self.stop(agent)
        self.service.wait_for_state("n1", "down")
        wait_until(lambda: self.rows("SELECT * FROM outage WHERE host = 'n1'"), "a real outage")
        self.assertEqual(self.stop(healthd), 0)

    def test_goes_on_without_a_damaged_database(self):
        """With what was published last, while the file is kept."""
        healthd = self.run_until_n1_has_a_history()
        self.assertEqual(self.stop(healthd), 0)
        with open(self.service.database, "wb") as file:
            file.write(b"not a database " * 1000)
        with contextlib.suppress(FileNotFoundError):  # it may hold all pages
            os.remove(self.service.database + "-wal")
        published = os.stat(self.service.snapshot).st_mtime_ns
        healthd = self.service.start_healthd()
        wait_until(lambda: os.stat(self.service.snapshot).st_mtime_ns != published, "another snapshot")
        snapshot = self.published()
        self.assertEqual(["n1"], [outage["host"] for outage in snapshot["outages"]])
        self.assertIn("was damaged", snapshot["warnings"][0])
        self.assertIn("was damaged", self.service.log("tofa-healthd.log"))
        kept = [name for name in os.listdir(self.service.folder) if name.startswith("health.db.damaged-")]
        self.assertEqual([15000], [os.path.getsize(self.service.path(name)) for name in kept])
        self.assertEqual(self.stop(healthd), 0)
        self.assertEqual([("n1",)], self.rows("SELECT host FROM outage"))
        self.service.start_healthd()
        self.service.wait_for_state("n1", "up")
        wait_until(lambda: "warnings" not in self.published(), "no warning any more")

    def test_goes_on_while_nothing_can_be_written(self):
        agents = self.service.start_agents()
        healthd = self.service.start_healthd()
        self.service.wait_for_state("n0", "up")
        wait_until(lambda: self.rows("SELECT value FROM meta WHERE key = 'last_round'"), "a first save")
        # As if the disk were full: snapshots are smaller than this, the database is not.
        resource.prlimit(healthd.pid, resource.RLIMIT_FSIZE, (2048, resource.RLIM_INFINITY))
        self.wait_until_heard("n0")
        self.stop(agents["n0"])
        self.service.wait_for_state("n0", "down")
        wait_until(lambda: "stay in memory" in self.service.log("tofa-healthd.log"), "the complaint")
        resource.prlimit(healthd.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        wait_until(lambda: self.rows("SELECT * FROM outage WHERE host = 'n0'"), "the outage to be saved after all")
        self.assertEqual(self.stop(healthd), 0)

    def run_with_old_outages(self, days_off):
        """Starts with a trusted clock that is days_off ahead of the last round; the outages left after the first save."""
        self.service.start_agents()
        healthd = self.service.start_healthd()
        self.service.wait_for_state("n0", "up")
        self.assertEqual(self.stop(healthd), 0)
        os.remove(self.service.snapshot)
        day, now = 86400, time.time()
        with contextlib.closing(sqlite3.connect(self.service.database)) as database, database:
            database.executemany("INSERT INTO outage (host, start, end) VALUES (?, ?, ?)",
                                 [("n0", now - age * day, now - age * day + 1) for age in (200, 100, 50)])
            # One that ends at once, so that there is something to save before anything else.
            database.execute("UPDATE host SET up = 0 WHERE name = 'n1'")
            database.execute("INSERT INTO outage (host, start) VALUES ('n1', ?)", (now - days_off * day - 60,))
            database.executemany("REPLACE INTO meta VALUES (?, ?)",
                                 {"last_round": now - days_off * day, "clock_boot": "before", "clock_even": 8 * day}.items())
        healthd = self.service.start_healthd()
        self.service.wait_for_state("n0", "up")
        wait_until(lambda: self.rows(f"SELECT 1 FROM meta WHERE key = 'last_round' AND value > {now}"), "a save")
        warnings = self.published().get("warnings", [])
        self.assertEqual(self.stop(healthd), 0)
        return len(self.rows("SELECT * FROM outage")), warnings

    def test_forgets_what_is_old(self):
        self.assertEqual((2, []), self.run_with_old_outages(0))

    def test_forgets_nothing_because_of_a_clock(self):
        left, warnings = self.run_with_old_outages(365)
        self.assertEqual(4, left)
        self.assertIn("365.0 days ahead", warnings[0])
        self.assertIn("365.0 days ahead", self.service.log("tofa-healthd.log"))

    def test_others_read_the_snapshot_and_nothing_else(self):
        self.service.start_agents()
        self.addCleanup(os.umask, os.umask(0o022))
        self.service.start_healthd()
        self.service.wait_for_state("n0", "up")
        for name in ("health.db", "health.db-wal", "health.db-shm"):
            self.assertEqual(os.stat(self.service.path(name)).st_mode & 0o7777, 0o600, name)
        self.assertEqual(os.stat(self.service.snapshot).st_mode & 0o7777, 0o644)

    def test_second_daemon_is_refused(self):
        self.service.start_agents()
        self.service.start_healthd()
        self.service.wait_for_state("n0", "up")
        second = self.service.start_healthd()
        self.assertEqual(second.wait(timeout=DEADLINE), 1)
        self.assertIn("another tofa-healthd", self.service.log("tofa-healthd.log"))

    def test_check(self):
        def check():
            return subprocess.run([os.path.join(BIN, "tofa-healthd"), "--config", self.service.config, "--check"],
                                  capture_output=True, text=True, timeout=DEADLINE)
        result = check()
        self.assertEqual((result.returncode, result.stdout), (0, f"{self.service.config}: ok, 3 hosts\n"))
        with open(self.service.config) as file:
            good = file.read()
        for section, key in (("network", "topology"), ("poll", "key")):
            wrong = self.service.path(f"no-{key}")
            added = f'[{section}]\n{key} = "{wrong}"\n'
            with open(self.service.config, "w") as file:
                file.write(good.replace(f"[{section}]\n", added) if f"[{section}]\n" in good else good + added)
            result = check()
            self.assertEqual(result.returncode, 2, result.stdout)
            self.assertIn(wrong, result.stderr)
        with open(self.service.config, "w") as file:
            file.write(good + "[poll2]\n")
        self.assertEqual(check().returncode, 2)
        os.remove(self.service.config)
        self.assertEqual(check().returncode, 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
