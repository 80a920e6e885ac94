# SPDX-License-Identifier: BSD-3-Clause
"""tofa-query ends at its deadline and prints all or nothing, whatever the other side does."""
import contextlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import threading
import time
import unittest

from service import BIN, DEADLINE, ServiceTest, free_port, wait_until


class Query(ServiceTest):
    def setUp(self):
        super().setUp()
        self.service.write_snapshot({"n0": 0, "n1": 0.25})

    def assert_nothing(self, answer, status):
        self.assertEqual((answer.returncode, answer.stdout), (status, ""), answer.stderr)
        self.assertNotEqual(answer.stderr, "")

    def test_prints_the_snapshot(self):
        self.service.start_gateway()
        with open(self.service.snapshot) as file:
            expected = json.load(file)
        for host in expected["hosts"]:
            host["rate"] = 0
        for uri in (self.service.uri, f"tofa-health.0;tcp4://{self.service.uri}"):
            answer = json.loads(self.service.query(uri=uri).stdout)
            self.assertGreaterEqual(answer["time"], int(expected["time"]), "the gateway's clock")
            self.assertEqual({**answer, "time": 0}, {**expected, "time": 0})

    def test_ignores_what_a_launcher_left_in_the_environment(self):
        self.service.start_gateway()
        answer = self.service.query(environment={
            "PMIX_NAMESPACE": "job", "PMIX_RANK": "0", "PMIX_SERVER_URI4": "x.0;tcp4://127.0.0.1:1",
            "PMIX_MCA_ptl": "nonexistent", "OMPI_MCA_orte_ess_num_procs": "2", "PRTE_LAUNCHED": "1",
            "PMI_RANK": "3", "SLURM_PMIX_FENCE": "tree"})
        self.assertEqual(answer.returncode, 0, answer.stderr)

    @unittest.skipUnless(os.geteuid() == 0, "only root can be somebody else")
    def test_a_user_without_a_name_and_a_home(self):
        """As systemd makes users up, and as there are in containers; libpmix crashes for them."""
        os.chmod(self.service.folder, 0o755)
        programs = [shutil.copy(os.path.join(BIN, name), self.service.path(name))
                    for name in ("tofa-pmix-gateway", "tofa-query")]
        own = self.service.path("own")
        os.mkdir(own)
        os.chown(own, 64444, 64444)
        nobody = {"user": 64444, "group": 64444, "extra_groups": [], "env": {"TMPDIR": own}, "text": True}
        gateway = subprocess.Popen([programs[0], "--listen", self.service.uri, "--snapshot", self.service.snapshot],
                                   stderr=subprocess.PIPE, **nobody)
        self.addCleanup(gateway.stderr.close)
        self.service.started.append(gateway)
        self.assertIn("answering from", gateway.stderr.readline())
        answer = subprocess.run([programs[1], "--uri", self.service.uri, "--deadline", "30"], capture_output=True,
                                timeout=DEADLINE, **nobody)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertIn("n1", answer.stdout)

    def test_frozen_gateway(self):
        gateway = self.service.start_gateway()
        gateway.send_signal(signal.SIGSTOP)
        self.assert_nothing(self.service.query(deadline=0.7), 4)
        gateway.send_signal(signal.SIGCONT)
        self.assertEqual(self.service.query().returncode, 0)

    def test_silent_server(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            uri = f"127.0.0.1:{server.getsockname()[1]}"
            self.assert_nothing(self.service.query(uri=uri, deadline=0.7), 4)

    def test_gateway_killed_in_mid_query(self):
        gateway = self.service.start_gateway()
        query = threading.Thread(target=lambda: setattr(self, "answer", self.service.query(deadline=5)))
        gateway.send_signal(signal.SIGSTOP)
        query.start()
        time.sleep(0.3)
        gateway.kill()
        query.join(DEADLINE)
        self.assertIn(self.answer.returncode, (3, 4))
        self.assertEqual(self.answer.stdout, "")

    def test_nobody_there(self):
        self.assert_nothing(self.service.query(uri=f"127.0.0.1:{free_port(socket.SOCK_STREAM)}"), 3)

    def ask_through_one_that_cuts_off(self, times, **query):
        """Behind what a flood makes of a gateway: the first handshakes are cut off, the next goes through. Returns the
        answer, and how many were begun."""
        begun = []

        def relay(connection, first):
            with connection, socket.create_connection(("127.0.0.1", self.service.gateway_port)) as gateway:
                gateway.sendall(first)
                ends = {connection: gateway, gateway: connection}
                while True:
                    for end in select.select(list(ends), [], [], DEADLINE)[0]:
                        data = end.recv(65536)
                        if not data:
                            return
                        ends[end].sendall(data)

        def serve(server):
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                first = connection.recv(65536)
                if first:
                    begun.append(first)
                if first and len(begun) > times:
                    with contextlib.suppress(OSError):
                        relay(connection, first)
                connection.close()

        with socket.create_server(("127.0.0.1", 0)) as server:
            thread = threading.Thread(target=serve, args=(server,))
            thread.start()
            try:
                answer = self.service.query(uri=f"127.0.0.1:{server.getsockname()[1]}", **query)
            finally:
                server.shutdown(socket.SHUT_RDWR)
                thread.join(DEADLINE)
        return answer, len(begun)

    def test_asks_again_when_it_is_cut_off(self):
        self.service.start_gateway()
        answer, begun = self.ask_through_one_that_cuts_off(3)
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        self.assertEqual(len(json.loads(answer.stdout)["hosts"]), 2)
        self.assertGreaterEqual(begun, 4)

    def test_does_not_ask_for_ever(self):
        answer, begun = self.ask_through_one_that_cuts_off(1000, deadline=60)
        self.assert_nothing(answer, 3)
        self.assertLess(begun, 20, "an attempt is up to three of libpmix's")

    def test_another_kind_of_server(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            def be_http():
                connection, _ = server.accept()
                with connection:
                    connection.recv(100)
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 100)
            thread = threading.Thread(target=be_http)
            thread.start()
            answer = self.service.query(uri=f"127.0.0.1:{server.getsockname()[1]}", deadline=5)
            thread.join(DEADLINE)
        self.assertIn(answer.returncode, (3, 4))
        self.assertEqual(answer.stdout, "")

    def test_usage(self):
        for uri in ("localhost:7412", "127.0.0.1:0", "x.0;tcp4://", ":1", "127.0.0.1:1:2"):
            self.assert_nothing(self.service.query(uri=uri), 2)
        result = subprocess.run([os.path.join(BIN, "tofa-query")], capture_output=True, timeout=DEADLINE)
        self.assertEqual(result.returncode, 2)

    def test_works_where_the_parent_blocks_the_alarm(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            query = subprocess.Popen([os.path.join(BIN, "tofa-query"), "--uri",
                                      f"127.0.0.1:{server.getsockname()[1]}", "--deadline", "0.5"],
                                     stderr=subprocess.DEVNULL, preexec_fn=lambda: (
                                         signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32)),
                                         signal.signal(signal.SIGALRM, signal.SIG_IGN)))
            self.assertEqual(query.wait(timeout=DEADLINE), 4)

    def test_leaves_nothing_behind(self):
        self.service.start_gateway()
        before = wait_until(lambda: set(os.listdir(self.service.folder)), "files")
        for _ in range(3):
            self.assertEqual(self.service.query().returncode, 0)
        self.assertEqual(set(os.listdir(self.service.folder)), before)


if __name__ == "__main__":
    unittest.main(verbosity=2)
