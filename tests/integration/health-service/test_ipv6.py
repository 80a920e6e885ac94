# SPDX-License-Identifier: BSD-3-Clause
"""Heartbeats, gateway and query over IPv6, beside IPv4."""
import os
import socket
import subprocess
import unittest

from service import BIN, DEADLINE, ServiceTest, free_port, wait_until


def has_ipv6():
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


@unittest.skipUnless(has_ipv6(), "this machine has no IPv6")
class Ipv6(ServiceTest):
    def start_gateway(self, address):
        self.service.start("tofa-pmix-gateway", "--listen", address, "--snapshot", self.service.snapshot)
        wait_until(lambda: "answering from" in self.service.log("tofa-pmix-gateway.log"), "the gateway")

    def test_heartbeats_over_both(self):
        port = free_port(socket.SOCK_DGRAM)
        with open(self.service.config) as file:
            config = file.read().replace(f'"{self.service.address("n1")}:{self.service.agent_port}"', f'"[::1]:{port}"')
        with open(self.service.config, "w") as file:
            file.write(config)
        self.assertIn("[::1]", config)
        self.service.start_agent("n0")
        agent = self.service.start("tofa-noded", "--listen", f"[::]:{port}", "--name", "n1")
        self.service.start_healthd()
        self.service.wait_for_state("n0", "up")
        self.service.wait_for_state("n1", "up")
        self.stop(agent)
        self.service.wait_for_state("n1", "down")
        self.assertEqual(self.service.hosts()["n0"]["state"], "up")

    def test_query(self):
        self.service.write_snapshot({"n0": 0, "n1": 0.5})
        self.start_gateway(f"[::1]:{self.service.gateway_port}")
        for uri in (f"[::1]:{self.service.gateway_port}", f"tofa-health.0;tcp6://[::1]:{self.service.gateway_port}"):
            answer = self.service.query(uri=uri)
            self.assertEqual((answer.returncode, answer.stderr), (0, ""))
            self.assertIn('"n1"', answer.stdout)
        result = subprocess.run([os.path.join(BIN, "tofa"), "health", "status", "--deadline", "30", "--health",
                                 f"[::1]:{self.service.gateway_port}"], capture_output=True, text=True, timeout=DEADLINE)
        self.assertIn("The health service answers", result.stdout, result.stderr)

    def test_a_gateway_for_both(self):
        self.service.write_snapshot({"n0": 0, "n1": 0.5})
        self.start_gateway(f"[::]:{self.service.gateway_port}")
        for host in ("[::1]", "127.0.0.1"):
            answer = self.service.query(uri=f"{host}:{self.service.gateway_port}")
            self.assertEqual((answer.returncode, answer.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
