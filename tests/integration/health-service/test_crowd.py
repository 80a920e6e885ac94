# SPDX-License-Identifier: BSD-3-Clause
"""However many connections others hold, and from however many addresses, an honest client is answered."""
import os
import resource
import select
import socket
import threading
import unittest

from gateway import GatewayTest
from service import DEADLINE, wait_until


class Flood:
    """Keeps many connections open, each with `first` sent and nothing after it, and makes each anew that is ended."""

    def __init__(self, port, count, first=b"", from_many_addresses=False):
        self.port, self.first, self.many = port, first, from_many_addresses
        self.ended, self.problem = 0, None
        self.poll, self.open = select.epoll(), {}
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.run, args=(count,), daemon=True)
        self.thread.start()

    def run(self, count):
        try:
            for number in range(count):
                self.connect(number)
            while not self.stopped.is_set():
                for descriptor, event in self.poll.poll(0.1):
                    self.go_on(descriptor, event)
        except Exception as error:  # for stop() to tell
            self.problem = error
        for connection, _ in self.open.values():
            connection.close()

    def connect(self, number):
        connection = socket.socket()
        connection.setblocking(False)
        if self.many:
            connection.bind((f"127.9.{number // 250}.{1 + number % 250}", 0))
        connection.connect_ex(("127.0.0.1", self.port))
        self.open[connection.fileno()] = connection, number
        self.poll.register(connection.fileno(), select.EPOLLIN | select.EPOLLOUT | select.EPOLLET)

    def go_on(self, descriptor, event):
        connection, number = self.open[descriptor]
        try:
            if event & select.EPOLLOUT:
                self.poll.modify(descriptor, select.EPOLLIN | select.EPOLLET)
                connection.send(self.first)
            while connection.recv(65536):
                pass
        except BlockingIOError:
            return
        except OSError:
            pass
        del self.open[descriptor]
        connection.close()
        self.ended += 1
        self.connect(number)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.stopped.set()
        self.thread.join(DEADLINE)
        self.poll.close()
        if self.problem:
            raise self.problem


class Crowd(GatewayTest):
    def test_held_sessions_do_not_keep_others_waiting(self):
        gateway = self.service.start_gateway()
        handshake = self.record_handshake()
        held = [self.connect() for _ in range(600)]  # more than there may be, and they would stay for 15 s
        for connection in held:
            connection.sendall(handshake)
        self.assert_answers_within(10)
        self.assert_running(gateway)
        for connection in held:
            connection.close()

    def test_held_sessions_do_not_keep_it_from_starting_afresh(self):
        gateway = self.service.start_gateway("--renew-after", "5")
        handshake, *messages = self.record_conversation()
        held = [self.let_in(handshake) for _ in range(4)]
        self.assert_answers_within(10)
        wait_until(lambda: "starting afresh" in self.service.log("tofa-pmix-gateway.log"), "it to start afresh")
        # Those that the old process has are served to their end.
        held[0].sendall(b"".join(messages[:-1]))
        answer = b""
        while b'"outages"' not in answer:
            data = held[0].recv(65536)
            self.assertNotEqual(data, b"", "cut off")
            answer += data
        self.assert_running(gateway)
        for connection in held:
            connection.close()

    def test_floods_do_not_keep_others_waiting(self):
        """From one address, which the honest client has, too, and from as many as there are connections."""
        most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most[1], most[1]))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, most)
        gateway = self.service.start_gateway()
        handshake = self.record_handshake()
        for count, first in (3000, b""), (3000, handshake[:20]), (800, handshake):
            for many in (False, True):
                with self.subTest(bytes=len(first), many=many), \
                        Flood(self.service.gateway_port, count, first, many) as flood:
                    wait_until(lambda: flood.ended > 100 or flood.problem, "the gateway to be full")
                    for _ in range(3):
                        self.assert_answers_within(10)
        self.assert_running(gateway)

    def test_tells_systemd_what_it_cut_off(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(self.service.path("notify"))
            manager.settimeout(DEADLINE)
            os.environ["NOTIFY_SOCKET"] = self.service.path("notify")
            self.addCleanup(os.environ.pop, "NOTIFY_SOCKET")
            self.service.start_gateway()
            self.assert_answers()
            with self.connect() as silent, self.connect() as garbage:
                garbage.sendall(b"GET / HTTP/1.1\r\n\r\n")
                expected = "STATUS=1 clients let in, 0 connections now; cut off: 0 to make room, 1 too late, 1 refused"
                messages = [manager.recv(4096).decode()]
                while messages[-1] != expected and len(messages) < 20:
                    messages.append(manager.recv(4096).decode())
                self.assertEqual(messages[-1], expected, messages)
                self.assert_ends(silent)
        self.assertEqual(messages[0], "READY=1")


if __name__ == "__main__":
    unittest.main(verbosity=2)
