# SPDX-License-Identifier: BSD-3-Clause
"""Slurm's node states as a source of health, from programs that say, or fail to say, what a test wants."""
import json
import os
import signal
import sqlite3
import time
import unittest

from service import DEADLINE, ServiceTest, wait_until

SINFO = """#!/bin/sh
# In place of sinfo or of tofa-slurm-nodes: prints the file beside it; how it fails instead is in the file `mode`.
cd "$(dirname "$0")" || exit 9
echo "$*" >> calls
if [ "$1" = --version ]; then exit 0; fi
case $(cat mode) in
  hang) echo $$ >> hanging; exec sleep 1000 ;;
  garbage) echo 'n0 idle'; echo 'sinfo: what a mess'; exit 0 ;;
  fail) echo 'slurm_load_partitions: Unable to contact slurm controller' >&2; exit 1 ;;
  *) cat states ;;
esac
"""


class SlurmTest(ServiceTest):
    def setUp(self):
        super().setUp()
        with open(self.service.path("sinfo"), "w") as file:
            file.write(SINFO)
        os.chmod(self.service.path("sinfo"), 0o755)
        self.set_mode("answer")
        self.set_states(n0="idle", n1="mixed", n2="allocated")

    def configure(self, heartbeats, interval=0.2, timeout=2, program=None):
        self.service.write_config()
        with open(self.service.config) as file:
            text = file.read()
        with open(self.service.config, "w") as file:
            file.write(text.replace("[poll]", f"[poll]\nheartbeats = {heartbeats}") +
                       f'[slurm]\nenabled = true\ninterval = {interval}\ntimeout = {timeout}\n'
                       + (f'program = "{program}"\n' if program else "libslurm = false\n") +
                       f'sinfo = "{self.service.path("sinfo")}"\n')

    def replace(self, name, text):
        with open(self.service.path(name + ".new"), "w") as file:
            file.write(text)
        os.rename(self.service.path(name + ".new"), self.service.path(name))

    def set_states(self, **states):
        # Each node twice, as in two partitions.
        self.replace("states", 2 * "".join(f"{node} {state}\n" for node, state in states.items()))

    def set_mode(self, mode):
        self.replace("mode", mode + "\n")

    def calls(self):
        return self.service.log("calls").count("\n")

    def wait_for_polls(self, count=3):
        goal = self.calls() + count
        wait_until(lambda: self.calls() >= goal, "sinfo to be asked again")

    def wait_for_rounds(self, count=3):
        rounds = set()
        wait_until(lambda: rounds.add(self.service.hosts()["n0"]["polled"]) or len(rounds) > count, "more rounds")

    def saved_outages(self):
        with sqlite3.connect(f"file:{self.service.database}?mode=ro", uri=True, timeout=DEADLINE) as database:
            return database.execute("SELECT host, end IS NULL, cause FROM outage ORDER BY start").fetchall()

    def wait_for_outages(self, *expected):
        wait_until(lambda: self.saved_outages() == list(expected), f"the outages {expected}")


class Alone(SlurmTest):
    """No tofa-noded anywhere."""

    def setUp(self):
        super().setUp()
        self.configure("false")

    def test_a_node_that_is_down_for_slurm(self):
        healthd = self.service.start_healthd()
        self.assertEqual(self.service.wait_for_state("n1", "up")["probability"], 0)
        self.set_states(n0="idle", n1="down*", n2="drained")
        self.assertEqual(self.service.wait_for_state("n1", "down")["probability"], 1)
        self.wait_for_outages(("n1", 1, "slurm"))
        self.set_states(n0="idle", n1="idle", n2="drained*")
        recovered = self.service.wait_for_state("n1", "up")
        self.assertGreater(recovered["probability"], 0, "an outage is not forgotten at once")
        self.wait_for_outages(("n1", 0, "slurm"))
        self.assertEqual(self.service.hosts()["n2"]["state"], "planned", "drained is no failure")
        self.assertEqual(self.service.hosts()["n2"]["probability"], 0)
        self.assertIn("n1 is down (slurm)", self.log())
        self.assertEqual(self.stop(healthd), 0)

    def test_each_answer_is_one_observation(self):
        self.configure("false", interval=1)
        self.service.start_healthd()
        self.service.wait_for_state("n1", "up")
        polled = self.service.hosts()["n1"]["polled"]
        times = set()
        wait_until(lambda: times.add(self.service.hosts()["n1"]["polled"]) or len(times) > 2, "more answers")
        self.assertGreater((max(times) - polled) / (len(times) - 1), 0.7, "not one per round of 0.2 s")

    def test_silence_counts_the_second_time(self):
        self.service.start_healthd()
        self.service.wait_for_state("n1", "up")
        self.set_states(n0="idle", n1="idle*", n2="idle")
        self.service.wait_for_state("n1", "down")

    def test_a_node_that_slurm_does_not_know_is_left_out(self):
        self.set_states(n0="idle", other="down")
        self.service.start_healthd()
        self.service.wait_for_state("n0", "up")
        self.assertEqual(list(self.service.hosts()), ["n0"])

    def test_qualified_names_are_the_same_nodes(self):
        self.set_states(**{"n0.cluster": "down", "n1.cluster": "idle"})
        self.service.start_healthd()
        self.service.wait_for_state("n0", "down")
        self.service.wait_for_state("n1", "up")

    def test_asks_for_all_nodes_and_says_when_it_knows_none(self):
        self.set_states(other="idle")
        self.service.start_healthd()
        self.wait_for_log("it knows none of the hosts")
        self.assertIn("--noheader --all --Node --format=%N %T", self.service.log("calls"))

    def test_an_outage_outlasts_a_slurmctld_that_does_not_answer(self):
        self.configure("false", interval=0.2)
        self.service.start_healthd()
        self.service.wait_for_state("n1", "up")
        self.set_states(n0="idle", n1="down", n2="idle")
        self.service.wait_for_state("n1", "down")
        self.set_mode("fail")
        self.wait_for_log("Unable to contact slurm controller")
        self.wait_for_polls(8)
        self.assertEqual(self.service.hosts()["n1"]["probability"], 1, "no opinion, so nothing changes")
        self.set_mode("answer")
        self.wait_for_log("answers again")
        self.set_states(n0="idle", n1="idle", n2="idle")
        self.service.wait_for_state("n1", "up")
        self.wait_for_outages(("n1", 0, "slurm"))

    def test_ends_while_sinfo_hangs(self):
        self.configure("false", timeout=300, interval=300)
        self.set_mode("hang")
        healthd = self.service.start_healthd()
        process = int(wait_until(lambda: self.service.log("hanging"), "sinfo to hang"))
        self.assertEqual(self.stop(healthd), 0)
        wait_until(lambda: not os.path.exists(f"/proc/{process}"), "sinfo to be killed")


class Together(SlurmTest):
    """Heartbeats and Slurm."""

    def setUp(self):
        super().setUp()
        self.configure("true")
        self.agents = self.service.start_agents()
        self.healthd = self.service.start_healthd()
        for host in self.agents:
            self.service.wait_for_state(host, "up")

    def test_a_node_is_up_only_if_no_source_says_that_it_is_down(self):
        self.set_states(n0="idle", n1="down", n2="idle")
        self.assertEqual(self.service.wait_for_state("n1", "down")["probability"], 1)
        self.stop(self.agents["n2"], signal.SIGKILL)
        self.service.wait_for_state("n2", "down")
        self.wait_for_outages(("n1", 1, "slurm"), ("n2", 1, "heartbeat"))
        self.stop(self.agents["n1"], signal.SIGKILL)
        self.wait_for_rounds()
        self.set_states(n0="idle", n1="idle", n2="idle")
        self.wait_for_polls()
        self.wait_for_rounds()
        self.assertEqual(self.service.hosts()["n1"]["state"], "down", "its agent is gone")
        for host in ("n1", "n2"):
            self.service.start_agent(host)
            self.service.wait_for_state(host, "up")
        self.wait_for_outages(("n1", 0, "slurm"), ("n2", 0, "heartbeat"))

    def test_heartbeats_go_on_whatever_becomes_of_sinfo(self):
        complaints = {"hang": "answer within 2 s", "garbage": "is no node and its state",
                      "fail": "Unable to contact slurm controller"}
        for mode, complaint in complaints.items():
            with self.subTest(mode):
                self.set_mode(mode)
                self.wait_for_log(complaint)
                self.wait_for_polls()
                self.assertEqual(self.log().count(complaint), 1, "said once")
                self.stop(self.agents["n1"], signal.SIGKILL)
                self.service.wait_for_state("n1", "down")
                self.agents["n1"] = self.service.start_agent("n1")
                self.service.wait_for_state("n1", "up")
                answered = self.log().count("answers again")
                self.set_mode("answer")
                wait_until(lambda: self.log().count("answers again") > answered, "the good news")
        self.assertNotIn("slurm)", self.log())
        self.assert_running(self.healthd)

    def test_an_old_answer_does_not_count_for_ever(self):
        self.set_states(n0="idle", n1="down", n2="idle")
        self.service.wait_for_state("n1", "down")
        self.set_mode("fail")
        self.service.wait_for_state("n1", "up")

    def test_a_reload_does_not_end_an_outage(self):
        self.set_states(n0="idle", n1="down", n2="idle")
        self.service.wait_for_state("n1", "down")
        self.wait_for_outages(("n1", 1, "slurm"))
        self.healthd.send_signal(signal.SIGHUP)
        self.wait_for_log("configuration reloaded")
        self.wait_for_polls()
        self.assertEqual(self.saved_outages(), [("n1", 1, "slurm")])

    def test_a_restart_waits_for_slurm(self):
        self.set_states(n0="idle", n1="down", n2="idle")
        self.service.wait_for_state("n1", "down")
        self.wait_for_outages(("n1", 1, "slurm"))
        self.assertEqual(self.stop(self.healthd), 0)
        os.remove(self.service.snapshot)
        self.service.start_healthd()
        self.assertEqual(self.service.wait_for_state("n1", "down")["probability"], 1)
        self.wait_for_polls()
        self.assertEqual(self.saved_outages(), [("n1", 1, "slurm")], "the same outage")
        self.assertNotIn("n1 is up", self.log())


class Libslurm(SlurmTest):
    """What libslurm tells beyond sinfo."""

    def setUp(self):
        super().setUp()
        self.configure("false", program=self.service.path("sinfo"))
        self.boot = int(time.time()) - 1_000_000
        self.nodes = {host: {"node": host, "state": "idle", "flags": [], "boot": self.boot, "started": self.boot + 30}
                      for host in self.service.names}
        self.set_nodes()

    def set_nodes(self, **changes):
        for node, change in changes.items():
            self.nodes[node].update(change)
        self.replace("states", "".join(json.dumps(node) + "\n" for node in self.nodes.values()))

    def test_reasons_and_who_gave_them_are_the_cause_of_an_outage(self):
        self.service.start_healthd()
        self.service.wait_for_state("n1", "up")
        why = {"reason": "Not responding\nat all", "uid": 64030, "by": "slurm", "since": self.boot + 100}
        self.set_nodes(n1={"state": "down", **why}, n2={"flags": ["drain"], **why})
        self.service.wait_for_state("n1", "down")
        self.service.wait_for_state("n2", "planned")
        self.wait_for_outages(("n1", 1, "slurm by slurm: Not responding"))
        self.assertIn("Slurm is asked through " + self.service.path("sinfo"), self.log())
        self.assertEqual(self.warnings(), [])

    def test_a_reboot_that_nobody_noticed_is_an_outage(self):
        healthd = self.service.start_healthd()
        self.service.wait_for_state("n0", "up")
        self.set_nodes(n1={"started": self.boot + 500_000}, n2={"boot": self.boot + 500_000})
        self.wait_for_polls()
        now = time.time()
        self.set_nodes(n0={"boot": now + 1, "started": now + 20})
        self.wait_for_outages(("n0", 0, "reboot"))
        healthd.send_signal(signal.SIGHUP)
        self.wait_for_log("configuration reloaded")
        self.wait_for_polls()
        self.assertEqual(self.saved_outages(), [("n0", 0, "reboot")])

    def test_a_node_that_reboots_on_purpose_has_not_failed(self):
        self.service.start_healthd()
        self.service.wait_for_state("n0", "up")
        self.set_nodes(n0={"flags": ["rebooting", "silent"]})
        self.service.wait_for_state("n0", "planned")
        now = time.time()
        self.set_nodes(n0={"flags": [], "boot": now + 1, "started": now + 20})
        self.service.wait_for_state("n0", "up")
        self.wait_for_polls()
        self.assertEqual(self.saved_outages(), [])

    def test_without_libslurm_it_is_sinfo_and_the_status_says_so(self):
        self.configure("false", program=self.service.path("nowhere"))
        self.set_states(n0="idle", n1="down", n2="idle")
        self.service.start_healthd()
        self.service.wait_for_state("n1", "down")
        wait_until(lambda: any("Slurm is asked through" in warning and "nowhere" in warning
                               for warning in self.warnings()), "a warning")
        os.symlink(self.service.path("sinfo"), self.service.path("nowhere"))
        self.set_nodes()
        wait_until(lambda: not self.warnings(), "libslurm to be found")
        self.service.wait_for_state("n1", "up")


if __name__ == "__main__":
    unittest.main(verbosity=2)
