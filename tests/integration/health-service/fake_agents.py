# SPDX-License-Identifier: BSD-3-Clause
"""Agents of many hosts in one thread, which are silent or start anew when a test wants them to."""
import contextlib
import selectors
import socket
import threading

from service import wait_until


class Agents(threading.Thread):
    """Answers for all hosts, but those that are silent, each with its boot, and counts the rounds in which each was asked."""

    def __init__(self, service):
        super().__init__(daemon=True)
        self.selector = selectors.DefaultSelector()
        self.asked = {host: set() for host in service.names}
        self.silent = set()
        self.boots = {host: "b" for host in service.names}
        self.over = threading.Event()
        for host in service.names:
            agent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            agent.bind((service.address(host), service.agent_port))
            agent.setblocking(False)
            self.selector.register(agent, selectors.EVENT_READ, host)
        self.start()

    def run(self):
        while not self.over.is_set():
            for key, _ in self.selector.select(timeout=0.05):
                with contextlib.suppress(BlockingIOError):
                    request, sender = key.fileobj.recvfrom(2048)
                    nonce = request.split()[2].decode()
                    self.asked[key.data].add(nonce)  # the same one twice in a round at most
                    if key.data not in self.silent:
                        key.fileobj.sendto(f"tofa-heartbeat 1 {nonce} {key.data} {self.boots[key.data]} 1\n".encode(), sender)

    def close(self):
        self.over.set()
        self.join()
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()
        self.selector.close()

    def rounds(self):
        return {host: len(nonces) for host, nonces in self.asked.items()}

    def await_rounds(self, count):
        """In which every host was asked."""
        before = self.rounds()
        wait_until(lambda: all(now - before[host] >= count for host, now in self.rounds().items()), f"{count} rounds")
