# SPDX-License-Identifier: BSD-3-Clause
"""Who may ask a running tofa-healthd over its local socket, and what becomes of those who misuse it."""
import contextlib
import grp
import json
import os
import signal
import socket
import stat
import subprocess
import time
import unittest

from control import GROUP, NOBODY, ControlTest
from service import BIN, DEADLINE, wait_until

LONGEST_REQUEST = 16384


class Socket(ControlTest):
    def test_who_may(self):
        self.let_others_in()
        self.configure(GROUP)
        self.service.start_agents()
        self.start()
        self.service.wait_for_state("n0", "up")
        info = os.stat(self.socket)
        gid = grp.getgrnam(GROUP).gr_gid
        self.assertEqual((stat.S_IMODE(info.st_mode), info.st_gid), (0o660, gid))
        stranger = {"user": NOBODY, "group": NOBODY, "extra_groups": [NOBODY]}
        asked = ("exclude", "n0", "--reason", "r")
        self.assertIn(f"members of the group {GROUP}", self.refused(*asked, **stranger))
        self.done(*asked, **{**stranger, "group": gid})
        self.done(*asked, **{**stranger, "extra_groups": [4, gid]})
        self.assertEqual([(c["uid"], c["user"]) for c in self.changes()], [(NOBODY, "nobody")] * 2)
        # Where the file lets everybody in, the daemon does not.
        os.chmod(self.socket, 0o666)
        said = self.refused(*asked, **stranger)
        self.assertIn(f"uid {NOBODY} may not", said)
        self.assertIn(f"members of the group {GROUP}", said)
        self.assertIn("uid 65534 may not", self.refused("export", **stranger))
        self.assertEqual(len(self.changes()), 2)

    def test_without_a_group_it_is_for_root_and_the_daemon(self):
        self.let_others_in()
        self.start_all()
        self.assertEqual(stat.S_IMODE(os.stat(self.socket).st_mode), 0o600)
        os.chmod(self.socket, 0o666)
        self.assertIn("may not", self.refused("include", "n0", user=NOBODY, group=0, extra_groups=[0]))

    def test_garbage_is_answered_and_forgotten(self):
        _, healthd = self.start_all()
        for data in (b"\n", b"x\n", b"\0" * 100, b"\xff\xfe\n", b"{}\n", b"[" * LONGEST_REQUEST, b"{" * 9 + b"\n",
                     b'{"version":1,"command":"exclude","hosts":"n1"', b"{}\n{}\n", b"x" * (LONGEST_REQUEST + 1),
                     b"x" * 1_000_000):
            self.assertIn("error", self.say(data), data[:20])
        self.assertIsNone(self.say(b""), "who says nothing is told nothing")
        half = self.connect()
        half.sendall(b'{"version":1,')
        self.assertIn("no whole request", json.loads(half.recv(65536))["error"])
        for _ in range(20):  # gone before the answer
            gone = self.connect()
            gone.sendall(b'{"version":1,"command":"export","table":"changes"}\n')
            gone.close()
        self.assertEqual(self.changes(), [])
        self.assert_running(healthd)

    def test_silent_connections_hold_nobody_up(self):
        self.start_all()
        silent = [self.connect() for _ in range(50)]
        honest = self.connect()
        honest.sendall(b'{"version":1,"command":"exclude","hosts":"n1","reason":"r"}\n')
        self.assertEqual(json.loads(honest.recv(65536))["hosts"], "n1")
        silent += [self.connect() for _ in range(150)]
        self.assertEqual(self.done("include", "n1"), "in use again: n1\n")
        # Nor the heartbeats: all have answered all the time.
        polled = self.service.hosts()["n0"]["polled"]
        wait_until(lambda: self.service.hosts()["n0"]["polled"] > polled + 0.5, "more rounds")
        self.assertEqual([], self.rows("SELECT * FROM outage"))
        for client in silent:
            with contextlib.suppress(ConnectionResetError):
                client.recv(65536)  # told that it was too slow, or sent away

    def test_a_socket_of_the_dead_is_replaced_and_of_the_living_is_not(self):
        _, healthd = self.start_all()
        self.stop(healthd, signal.SIGKILL)
        self.assertTrue(os.path.exists(self.socket))
        self.assertIn("is tofa-healthd running?", self.refused("include", "n0"))
        healthd = self.start()
        self.done("include", "n0")
        database, self.service.database = self.service.database, self.service.path("other.db")
        snapshot, self.service.snapshot = self.service.snapshot, self.service.path("other.json")
        self.configure()
        second = self.service.start_healthd()
        self.assertEqual(second.wait(timeout=DEADLINE), 1)
        self.assertIn("another tofa-healthd listens there", self.service.log("tofa-healthd.log"))
        self.service.database, self.service.snapshot = database, snapshot
        self.done("include", "n0")
        self.assert_running(healthd)

    def test_what_is_no_socket_is_left_alone(self):
        with open(self.socket, "w") as file:
            file.write("precious")
        healthd = self.service.start_healthd()
        self.assertEqual(healthd.wait(timeout=DEADLINE), 1)
        self.assertIn("is there already and no socket", self.service.log("tofa-healthd.log"))
        with open(self.socket) as file:
            self.assertEqual(file.read(), "precious")

    def test_an_unknown_group_is_named(self):
        self.configure("no-such-group")
        healthd = self.service.start_healthd()
        self.assertEqual(healthd.wait(timeout=DEADLINE), 2)
        self.assertIn('there is no group "no-such-group"', self.service.log("tofa-healthd.log"))
        checked = subprocess.run([os.path.join(BIN, "tofa-healthd"), "--config", self.service.config, "--check"],
                                 capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual((checked.returncode, checked.stdout), (2, ""))
        self.assertIn('there is no group "no-such-group"', checked.stderr)

    def test_it_is_reloaded(self):
        _, healthd = self.start_all()
        self.done("exclude", "n1", "--reason", "r")
        self.configure("root")
        self.reload(healthd)
        self.done("include", "n0")
        self.assertEqual(stat.S_IMODE(os.stat(self.socket).st_mode), 0o660, "the same place, another group")
        moved = self.service.path("moved.sock")
        self.configure(path=moved)
        self.reload(healthd)
        self.assertFalse(os.path.exists(self.socket))
        self.done("include", "n0", path=moved)
        self.configure("no-such-group")
        self.reload(healthd)
        self.done("include", "n0", path=moved)
        self.service.write_config()
        self.reload(healthd)
        self.assertFalse(os.path.exists(moved))
        self.assertIn("[control]", self.refused("include", "n0", path=moved))
        self.assertEqual(self.service.hosts()["n1"]["state"], "planned", "what was changed stays")

    def test_a_daemon_that_hangs_is_not_waited_for(self):
        _, healthd = self.start_all()
        healthd.send_signal(signal.SIGSTOP)
        self.assertIn("did not answer in time", self.refused("include", "n0", deadline=0.2))
        full = [self.socket_that_waits() for _ in range(100)]
        self.assertIn("did not answer in time", self.refused("include", "n0", deadline=0.2))
        for client in full:
            client.close()
        healthd.send_signal(signal.SIGCONT)
        self.done("include", "n0")

    def socket_that_waits(self):
        """A client that the daemon has not accepted, or cannot even be queued any more."""
        client = socket.socket(socket.AF_UNIX)
        self.addCleanup(client.close)
        client.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            client.connect(self.socket)
        return client

    def test_nobody_listens_unless_configured(self):
        self.service.write_config()
        self.service.start_agents()
        self.service.start_healthd()
        self.service.wait_for_state("n0", "up")
        self.assertFalse(os.path.exists(self.socket))
        self.assertIn("is tofa-healthd running here", self.refused("export"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
