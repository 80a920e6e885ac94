# SPDX-License-Identifier: BSD-3-Clause
"""Whoever starts the gateway may hold its port, as systemd does: then it is never free for somebody else to take."""
import os
import signal
import socket
import subprocess
import threading
import unittest

from service import BIN, DEADLINE, ServiceTest, wait_until


class PassedSocket(ServiceTest):
    def setUp(self):
        super().setUp()
        self.service.write_snapshot({"n0": 0, "n1": 0.25})
        self.holder = socket.create_server(("127.0.0.1", self.service.gateway_port), backlog=64)
        self.addCleanup(self.holder.close)

    def start_gateway_on(self, passed, *arguments):
        """As systemd starts it: the socket is descriptor 3, and the environment says so."""
        log = open(self.service.path("passed.log"), "ab")
        self.addCleanup(log.close)
        gateway = subprocess.Popen(
            ["sh", "-c", f'LISTEN_PID=$$ LISTEN_FDS=1; export LISTEN_PID LISTEN_FDS; exec "$@" 3<&{passed.fileno()}',
             "sh", os.path.join(BIN, "tofa-pmix-gateway"), "--snapshot", self.service.snapshot, *arguments],
            stderr=log, stdout=log, stdin=subprocess.DEVNULL, pass_fds=[passed.fileno()],
            env={**os.environ, "TMPDIR": self.service.folder})
        self.service.started.append(gateway)
        return gateway

    def assert_answers(self):
        self.assertEqual(sorted(self.service.outages()), ["n0", "n1"])

    def assert_nobody_else_gets_the_port(self):
        for option in (None, socket.SO_REUSEADDR, socket.SO_REUSEPORT):
            for address in ("127.0.0.1", "0.0.0.0"):
                with socket.socket() as stranger:
                    if option is not None:
                        stranger.setsockopt(socket.SOL_SOCKET, option, 1)
                    with self.assertRaises(OSError, msg=f"{option} {address}"):
                        stranger.bind((address, self.service.gateway_port))
                        stranger.listen()

    def test_the_port_is_never_free(self):
        for _ in range(3):
            gateway = self.start_gateway_on(self.holder)
            self.assert_answers()
            self.assert_nobody_else_gets_the_port()
            self.assertEqual(self.stop(gateway, signal.SIGKILL), -signal.SIGKILL)
            self.assert_nobody_else_gets_the_port()

    def test_who_asks_meanwhile_waits_for_the_next_gateway(self):
        self.stop(self.start_gateway_on(self.holder), signal.SIGKILL)
        answers = []
        asking = threading.Thread(target=lambda: answers.append(self.service.query(deadline=60)))
        asking.start()
        wait_until(self.connections_in_the_queue, "the query to be in the queue")
        self.start_gateway_on(self.holder)
        asking.join(DEADLINE)
        self.assertEqual([(answer.returncode, answer.stderr) for answer in answers], [(0, "")])

    def connections_in_the_queue(self):
        local = f"0100007F:{self.service.gateway_port:04X}"
        with open("/proc/net/tcp") as table:
            return [line for line in table if line.split()[1] == local and line.split()[3] == "01"]

    def test_starting_afresh_keeps_it(self):
        gateway = self.start_gateway_on(self.holder, "--renew-after", "2")
        for _ in range(7):
            self.assert_answers()
        self.assertIn("starting afresh", self.service.log("passed.log"))
        self.assert_running(gateway)
        self.assert_nobody_else_gets_the_port()

    def test_says_where_it_answers(self):
        self.start_gateway_on(self.holder, "--listen", "127.0.0.1:1")
        wait_until(lambda: f"tcp4://{self.service.uri}," in self.service.log("passed.log"), "the gateway")

    def test_refuses_another_kind_of_socket(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams, socket.socket() as silent, \
                socket.create_server(self.service.path("local"), family=socket.AF_UNIX) as local:
            for passed in (datagrams, silent, local):
                self.assertEqual(self.start_gateway_on(passed).wait(timeout=DEADLINE), 2)
        self.assertEqual(self.service.log("passed.log").count("not one listening TCP socket"), 3)


if __name__ == "__main__":
    unittest.main(verbosity=2)
