# SPDX-License-Identifier: BSD-3-Clause
"""Draining nodes that are likely to fail: off by default, shown, done, and undone; with a program in place of Slurm."""
import json
import os
import re
import signal
import sqlite3
import subprocess
import time
import unittest

from service import BIN, DEADLINE, ServiceTest, wait_until

SLURM = """#!/usr/bin/python3 -SE
# In place of tofa-slurm-nodes; the nodes are in a file beside it, and how it fails in another.
import fcntl, json, os, sys, time
os.chdir(os.path.dirname(sys.argv[0]))
lock = open("lock", "w")
fcntl.flock(lock, fcntl.LOCK_EX)
options = sys.argv[1:]
with open("calls", "a") as calls:
    calls.write(" ".join(options) + "\\n")
if options == ["--version"]:
    sys.exit(0)
with open("nodes") as file:
    nodes = json.load(file)
if options:
    with open("mode") as file:
        mode = file.read()
    if mode == "hang":
        lock.close()
        time.sleep(1000)
    if mode == "refuse":
        sys.exit("Invalid user id")
    if mode == "away":
        print("Unable to contact slurm controller", file=sys.stderr)
        sys.exit(4)
    node = nodes[options[1]]
    theirs = mode == "theirs" and options[1] == "n1"
    if theirs:
        node.update(flags=["drain"], reason="fan", uid=os.geteuid() + 1)
    elif options[0] == "--drain":
        node.update(flags=["drain"], reason=options[3], uid=os.geteuid())
    else:
        node.update(flags=[])
        del node["reason"], node["uid"]
    with open("nodes", "w") as file:
        json.dump(nodes, file)
    if theirs:
        print("n1: it has a reason, fan; it is left alone", file=sys.stderr)
        sys.exit(3)
else:
    for node in nodes.values():
        print(json.dumps(node))
"""


class Drain(ServiceTest):
    def setUp(self):
        super().setUp()
        with open(self.service.path("slurm"), "w") as file:
            file.write(SLURM)
        os.chmod(self.service.path("slurm"), 0o755)
        self.set_mode("work")
        self.nodes = {host: {"node": host, "state": "idle", "flags": []} for host in self.service.names}
        self.set_nodes()
        self.configure("")

    def replace(self, name, text):
        with open(self.service.path(name + ".new"), "w") as file:
            file.write(text)
        os.rename(self.service.path(name + ".new"), self.service.path(name))

    def set_mode(self, mode):
        self.replace("mode", mode)

    def set_nodes(self, **changes):
        for node, change in changes.items():
            self.nodes[node].update(change)
        self.replace("nodes", json.dumps(self.nodes))

    def node(self, host):
        def read():
            try:
                return json.loads(self.service.log("nodes"))[host]
            except ValueError:  # while it is written
                return None
        return wait_until(read, "the nodes")

    def configure(self, drain):
        self.service.write_config(estimate='method = "gamma"')
        with open(self.service.config) as file:
            text = file.read()
        self.replace("healthd.toml", text.replace("[poll]", "[poll]\nheartbeats = false") +
                     f'[slurm]\nenabled = true\ninterval = 0.2\ntimeout = 60\n'
                     f'program = "{self.service.path("slurm")}"\n{drain}[control]\nsocket = "{self.socket}"\n')

    @property
    def socket(self):
        return self.service.path("control.sock")

    def tofa(self, *arguments):
        return subprocess.run([os.path.join(BIN, "tofa"), "health", "drain", "--socket", self.socket, *arguments],
                              capture_output=True, text=True, timeout=DEADLINE)

    def standings(self):
        """What `tofa health drain` says of all hosts: state of each, or nothing before Slurm has answered."""
        result = self.tofa("--json", *self.service.names)
        answer = json.loads(result.stdout) if result.returncode == 0 else {}
        return {host["host"]: host["state"] for host in answer.get("hosts", [])} if answer.get("asked") else {}

    def let_fail(self, *hosts):
        """Once a day for the last three weeks."""
        now = time.time()
        with open(self.service.path("past.csv"), "w") as file:
            file.write("host,start,end\n" + "".join(f"{host},{now - day * 86400:.0f},{now - day * 86400 + 600:.0f}\n"
                                                    for host in hosts for day in range(1, 22)))
        subprocess.run([os.path.join(BIN, "tofa-healthd"), "--config", self.service.config, "--import",
                        self.service.path("past.csv")], check=True, timeout=DEADLINE, stdout=subprocess.DEVNULL)

    def orders(self):
        """What Slurm was told: (--drain or --resume, node), in order."""
        return re.findall(r"^(--drain|--resume) (\S+)", self.service.log("calls"), re.MULTILINE)

    def wait_for_questions(self, count=10):
        goal = self.service.log("calls").count("\n") + count
        wait_until(lambda: self.service.log("calls").count("\n") >= goal, "Slurm to be asked")

    def rows(self):
        with sqlite3.connect(f"file:{self.service.database}?mode=ro", uri=True, timeout=DEADLINE) as database:
            return database.execute("SELECT action, host FROM change ORDER BY id").fetchall()

    def reload(self, daemon):
        before = self.log().count("configuration reloaded")
        daemon.send_signal(signal.SIGHUP)
        wait_until(lambda: self.log().count("configuration reloaded") > before, "the new configuration")

    def wait_for_order(self, order, host):
        wait_until(lambda: (order, host) in self.orders(), f"{order} {host}")

    def test_never_unless_configured_to(self):
        self.let_fail("n1")
        self.service.start_healthd()
        self.service.wait_for_state("n1", "up")
        self.wait_for_questions()
        self.assertEqual((self.orders(), self.rows(), self.warnings()), ([], [], []))
        self.assertEqual(self.tofa().stdout, 'No node is drained: [slurm] has drain = "never".\n'
                         "There is nothing to say about any node.\n")
        self.assertNotIn("drain", self.service.hosts()["n1"])

    def test_what_would_be_done_is_shown(self):
        self.let_fail("n1")
        self.configure('drain = "show"\ndrain_above = 0.2\n')
        self.service.start_healthd()
        text = 'Slurm would be told to drain n1 (drain = "show")'
        wait_until(lambda: self.warnings() == [text], "the plan")
        self.wait_for_questions()
        self.assertEqual((self.orders(), self.rows()), ([], []))
        told = re.findall(r"n\d would be drained in Slurm \(tofa: outage within 24 h, probability at least", self.log())
        self.assertEqual([line[:2] for line in told], ["n1"], "said once")
        self.assertEqual(self.standings(), {"n0": "none", "n1": "to-drain", "n2": "none"})
        result = self.tofa()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn('drain = "show": nodes would be drained whose probability is surely above 0.2 within 24 h, at most 1 at once',
                      result.stdout)
        self.assertRegex(result.stdout, r"\nn1 +would be drained +0\.\d+ +0\.\d+ +its probability is surely above 0\.2\n$")
        self.assertEqual(self.service.hosts()["n1"]["drain"]["state"], "to-drain", "for metrics")
        result = self.tofa("n1", "n9")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn('does not watch "n9"', result.stderr)

    def test_done_once_over_restarts_and_undone(self):
        self.let_fail("n1", "n2")
        self.configure('drain = "do"\ndrain_above = 0.2\n')
        daemon = self.service.start_healthd()
        wait_until(self.orders, "a node to be drained")
        host = self.orders()[0][1]
        wait_until(lambda: self.warnings() == [f"drained in Slurm: {host}"], "the status to say so")
        self.assertRegex(self.node(host)["reason"], r"^tofa: outage within 24 h, probability at least 0\.\d+$")
        self.assertEqual(self.rows(), [("drain", host)])
        other = {"n1": "n2", "n2": "n1"}[host]
        wait_until(lambda: self.standings() == {"n0": "none", host: "drained", other: "limited"}, "both to be told")
        self.assertIn(f"({self.node(host)['reason']})", self.tofa(host).stdout)
        self.wait_for_questions()
        self.assertEqual(self.service.hosts()[host]["state"], "up", "it is still watched")
        for how in (signal.SIGKILL, signal.SIGTERM):
            self.stop(daemon, how)
            daemon = self.service.start_healthd()
            self.wait_for_questions()
        self.assertEqual(self.orders(), [("--drain", host)], "one at a time, and once")
        self.configure('drain = "do"\ndrain_above = 0.9999\nresume_below = 0.999\n')
        self.reload(daemon)
        self.wait_for_order("--resume", host)
        wait_until(lambda: self.rows() == [("drain", host), ("resume", host)], "the record of that")
        wait_until(lambda: not self.warnings(), "the status to say nothing")
        self.assertEqual(self.node(host)["flags"], [])
        self.wait_for_questions()
        self.assertEqual(len(self.orders()), 2)

    def drain_one_of_two(self):
        """The daemon, the host that it has drained, and the one for which there is no place."""
        self.let_fail("n1", "n2")
        self.configure('drain = "do"\ndrain_above = 0.2\n')
        daemon = self.service.start_healthd()
        wait_until(self.orders, "a node to be drained")
        host = self.orders()[0][1]
        other = {"n1": "n2", "n2": "n1"}[host]
        wait_until(lambda: self.standings() == {"n0": "none", host: "drained", other: "limited"}, "both to be told")
        return daemon, host, other

    def test_a_host_that_is_no_longer_configured_keeps_no_place(self):
        daemon, host, other = self.drain_one_of_two()
        self.service.names.remove(host)
        self.configure('drain = "do"\ndrain_above = 0.2\n')
        self.reload(daemon)
        self.wait_for_order("--drain", other)
        wait_until(lambda: self.warnings() == ["drained in Slurm: n[1-2]"], "the status to name both")
        self.assertEqual(len(self.orders()), 2, "it stays drained")

    def test_a_host_with_another_name_keeps_its_place(self):
        daemon, host, other = self.drain_one_of_two()
        self.nodes = {node: self.node(node) for node in self.service.names}
        self.nodes["m1"] = {**self.nodes.pop(host), "node": "m1"}
        self.set_nodes()
        self.service.names[self.service.names.index(host)] = "m1"
        self.configure('drain = "do"\ndrain_above = 0.2\n')
        self.reload(daemon)
        told = {"n0": "none", "m1": "drained", other: "limited"}
        wait_until(lambda: self.standings() == told, "the node to be known by its new name")
        merged = subprocess.run([os.path.join(BIN, "tofa"), "health", "merge", host, "m1", "--reason", "rack",
                                 "--socket", self.socket], capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual(merged.returncode, 0, merged.stderr)
        for _ in range(2):
            wait_until(lambda: self.warnings() == ["drained in Slurm: m1"], "the status to name it once")
            self.wait_for_questions()
            self.assertEqual((self.standings(), self.orders()), (told, [("--drain", host)]))
            self.stop(daemon, signal.SIGKILL)
            os.remove(self.service.snapshot)
            daemon = self.service.start_healthd()
            wait_until(lambda: self.standings() == told, "the new start to know it")
        self.configure('drain = "do"\ndrain_above = 0.9999\nresume_below = 0.999\n')
        self.reload(daemon)
        self.wait_for_order("--resume", "m1")
        wait_until(lambda: not self.warnings(), "the status to say nothing")

    def test_what_others_drained_is_theirs(self):
        self.let_fail("n1", "n2")
        self.set_nodes(n1={"flags": ["drain"], "reason": "fan", "uid": 0})
        self.configure('drain = "do"\ndrain_above = 0.2\ndrain_at_most = 3\n')
        daemon = self.service.start_healthd()
        self.wait_for_order("--drain", "n2")
        wait_until(lambda: self.standings() == {"n0": "none", "n1": "others", "n2": "drained"}, "both to be told")
        self.wait_for_questions()
        self.set_nodes(n2={"flags": ["drain"], "reason": "disk", "uid": 0})
        wait_until(lambda: self.rows() == [("drain", "n2"), ("release", "n2")], "that it is others' now")
        self.configure('drain = "do"\ndrain_above = 0.9999\nresume_below = 0.999\n')
        self.reload(daemon)
        self.wait_for_questions()
        self.assertEqual(self.orders(), [("--drain", "n2")])
        self.assertEqual([self.node(host)["reason"] for host in ("n1", "n2")], ["fan", "disk"])

    def test_a_refusal_is_said_once(self):
        self.let_fail("n1")
        self.set_mode("refuse")
        self.configure('drain = "do"\ndrain_above = 0.2\n')
        self.service.start_healthd()
        self.wait_for_log("cannot change nodes in Slurm: n1: tofa-slurm-nodes failed: Invalid user id")
        self.wait_for_questions(20)
        self.assertEqual(self.log().count("cannot change nodes"), 1)
        self.assertEqual(self.orders(), [("--drain", "n1")])
        self.assertEqual(self.rows(), [("drain", "n1"), ("resume", "n1")], "nobody claims it")

    def test_a_controller_that_is_away_is_no_refusal(self):
        """Two tries are 30 s apart; after a refusal it would be an hour."""
        self.let_fail("n1")
        self.set_mode("away")
        self.configure('drain = "do"\ndrain_above = 0.2\n')
        self.service.start_healthd()
        self.wait_for_log("cannot change nodes in Slurm: n1: tofa-slurm-nodes failed: Unable to contact")
        self.wait_for_questions(20)
        self.assertEqual(self.orders(), [("--drain", "n1")], "not all the time")
        self.set_mode("work")
        wait_until(lambda: self.node("n1")["flags"] == ["drain"], "it to be tried again")
        self.assertEqual(self.log().count("cannot change nodes"), 1)
        self.assertEqual(self.orders(), [("--drain", "n1")] * 2)

    def test_a_node_that_is_left_alone_holds_up_no_other(self):
        self.let_fail("n1", "n2")
        self.set_mode("theirs")
        self.configure('drain = "do"\ndrain_above = 0.2\ndrain_at_most = 3\n')
        self.service.start_healthd()
        self.wait_for_order("--drain", "n2")
        self.wait_for_log("n1: it has a reason, fan; it is left alone")
        wait_until(lambda: ("release", "n1") in self.rows(), "n1 to be others'")
        wait_until(lambda: self.warnings() == ["drained in Slurm: n2"], "the status to say so")
        self.assertEqual(sorted(self.orders()), [("--drain", "n1"), ("--drain", "n2")])

    def test_nobody_waits_for_a_slurm_that_hangs(self):
        self.let_fail("n1")
        self.set_mode("hang")
        self.configure('drain = "do"\ndrain_above = 0.2\n')
        daemon = self.service.start_healthd()
        self.wait_for_order("--drain", "n1")
        polled = set()
        wait_until(lambda: polled.add(self.service.hosts()["n0"]["polled"]) or len(polled) > 3, "rounds to go on")
        self.assertEqual(self.stop(daemon), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
