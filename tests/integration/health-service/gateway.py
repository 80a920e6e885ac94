# SPDX-License-Identifier: BSD-3-Clause
"""What tests of tofa-pmix-gateway have in common: a gateway with three hosts, and its protocol as tofa-query speaks it."""
import os
import select
import socket
import struct
import subprocess

from service import BIN, DEADLINE, ServiceTest


class GatewayTest(ServiceTest):
    def setUp(self):
        super().setUp()
        self.service.write_snapshot({"n0": 0, "n1": 0.25, "n2": 1})

    def assert_answers(self):
        self.assertEqual({host: p for host, (p, _) in self.service.outages().items()},
                         {"n0": 0, "n1": 0.25, "n2": 1})

    def assert_answers_within(self, seconds):
        """Far less than without room being made, far more than a loaded machine needs."""
        answer = self.service.query(deadline=seconds)
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.service.gateway_port), timeout=DEADLINE)

    def record_handshake(self):
        return self.record_conversation()[0]

    def record_conversation(self):
        """What tofa-query sends to a running gateway: its handshake, then its messages, each with its header."""
        sent = b""
        with socket.create_server(("127.0.0.1", 0)) as server, self.connect() as gateway:
            server.settimeout(DEADLINE)
            client = subprocess.Popen([os.path.join(BIN, "tofa-query"), "--uri",
                                       f"127.0.0.1:{server.getsockname()[1]}", "--deadline", "60"],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                connection, _ = server.accept()
                with connection:
                    ends = {connection: gateway, gateway: connection}
                    while ends:
                        for end in select.select(list(ends), [], [], DEADLINE)[0]:
                            data = end.recv(65536)
                            if end is connection:
                                sent += data
                            if not data:
                                ends = {}
                                break
                            ends[end].sendall(data)
            finally:
                client.kill()
                client.wait()
        messages = []
        order = "="  # of a handshake; that of the network afterwards
        while sent:
            size = 16 + struct.unpack(order + "I", sent[8:12])[0]
            messages.append(sent[:size])
            sent, order = sent[size:], "!"
        return messages

    def assert_cut_off(self, connection):
        """The gateway ends it without having said another word, long before a session's time is over."""
        connection.settimeout(5)
        try:
            self.assertEqual(connection.recv(65536), b"")
        except ConnectionResetError:
            pass

    def assert_ends(self, connection):
        """As assert_cut_off(), whatever comes before."""
        connection.settimeout(5)
        try:
            while connection.recv(65536):
                pass
        except ConnectionResetError:
            pass

    def let_in(self, handshake):
        connection = self.connect()
        connection.sendall(handshake)
        answer = b""
        while len(answer) < 528:  # a status, two names of 256 and a rank each, a status
            data = connection.recv(65536)
            self.assertNotEqual(data, b"", "the handshake is refused")
            answer += data
        return connection
