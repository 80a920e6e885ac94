# SPDX-License-Identifier: BSD-3-Clause
"""tofa-healthd polls real tofa-noded agents: who is up, who is down, and who only pretends."""
import os
import signal
import socket
import subprocess
import unittest

from service import BIN, DEADLINE, Service, ServiceTest, wait_until


class Heartbeats(ServiceTest):
    def test_dead_agent_shows_and_recovers(self):
        agents = self.service.start_agents()
        healthd = self.service.start_healthd()
        for host in agents:
            self.service.wait_for_state(host, "up")
        self.stop(agents["n1"], signal.SIGKILL)
        self.assertEqual(self.service.wait_for_state("n1", "down")["probability"], 1)
        self.assertEqual(self.service.hosts()["n0"]["state"], "up")
        self.service.start_agent("n1")
        recovered = self.service.wait_for_state("n1", "up")
        self.assertGreater(recovered["probability"], 0, "an outage is not forgotten at once")
        self.assertLess(recovered["probability"], 1)
        self.assertEqual(self.stop(healthd), 0)

    def test_frozen_agent_is_out(self):
        agents = self.service.start_agents()
        self.service.start_healthd()
        self.service.wait_for_state("n2", "up")
        agents["n2"].send_signal(signal.SIGSTOP)
        self.service.wait_for_state("n2", "down")
        agents["n2"].send_signal(signal.SIGCONT)
        self.service.wait_for_state("n2", "up")

    def test_agent_that_answers_as_another_host_does_not_count(self):
        self.service.start_agent("n0")
        self.service.start_agent("n1", name="n0")
        self.service.start_healthd()
        self.service.wait_for_state("n0", "up")
        self.service.wait_for_state("n1", "down")
        log = self.service.log("tofa-healthd.log")
        self.assertEqual(log.count("the agent at the address of n1 calls itself n0"), 1, log)

    def test_fully_qualified_name_counts(self):
        self.service.start_agent("n0", name="n0.cluster.example")
        self.service.start_healthd()
        self.service.wait_for_state("n0", "up")

    def test_answers_from_elsewhere_or_without_the_nonce_do_not_count(self):
        # Sits at n0's address, but answers with a wrong nonce first and the right one from another port.
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as agent, \
                socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as elsewhere:
            agent.bind((self.service.address("n0"), self.service.agent_port))
            agent.settimeout(DEADLINE)
            elsewhere.bind((self.service.address("n0"), 0))
            self.service.start_healthd()
            for _ in range(12):
                request, sender = agent.recvfrom(2048)
                nonce = request.split()[2].decode()
                agent.sendto(f"tofa-heartbeat 1 {'0' * 32} n0 b 1\n".encode(), sender)
                agent.sendto(b"\xff" * 600, sender)
                elsewhere.sendto(f"tofa-heartbeat 1 {nonce} n0 b 1\n".encode(), sender)
            self.service.wait_for_state("n0", "down")
            # The same socket with the right answer does count.
            def answer():
                got, to = agent.recvfrom(2048)
                agent.sendto(f"tofa-heartbeat 1 {got.split()[2].decode()} n0 b 1\n".encode(), to)
                return self.service.hosts()["n0"]["state"] == "up"
            wait_until(answer, "n0 to be up")

    def test_reload_changes_the_hosts_and_keeps_what_is_known(self):
        agents = self.service.start_agents()
        healthd = self.service.start_healthd()
        self.service.wait_for_state("n1", "up")
        self.stop(agents["n1"])
        self.service.wait_for_state("n1", "down")
        self.service.names.append("n3")
        self.service.start_agent("n3")
        self.service.write_config()
        healthd.send_signal(signal.SIGHUP)
        self.service.wait_for_state("n3", "up")
        self.assertEqual(self.service.hosts()["n1"]["state"], "down")
        with open(self.service.config, "w") as file:
            file.write("[poll]\nperiod = -1\n")
        healthd.send_signal(signal.SIGHUP)
        wait_until(lambda: "stays as it was" in self.service.log("tofa-healthd.log"), "the complaint")
        self.assertIn("healthd.toml:2: [poll] period", self.service.log("tofa-healthd.log"))
        self.assert_running(healthd)


class Network(ServiceTest):
    """What is silent because the network is."""

    def setUp(self):
        self.service = Service(hosts=6)
        self.addCleanup(self.service.close)

    def test_a_pause_of_the_network_makes_nobody_suspect(self):
        agents = self.service.start_agents()
        self.service.start_healthd()
        for host in agents:
            self.service.wait_for_state(host, "up")
        for agent in agents.values():
            agent.send_signal(signal.SIGSTOP)
        for host in agents:
            self.assertEqual(self.service.wait_for_state(host, "unreachable")["probability"], 0)
        for host in list(agents)[1:]:
            agents[host].send_signal(signal.SIGCONT)
        # The one that stays silent has failed, the others have not.
        self.service.wait_for_state("n0", "down")
        for host in list(agents)[1:]:
            entry = self.service.wait_for_state(host, "up")
            self.assertEqual((entry["probability"], entry["rate"]), (0, 0), host)
        log = self.service.log("tofa-healthd.log")
        self.assertEqual(log.count("taken for an interruption of the network"), 1, log)
        self.assertIn("is back", log)
        self.assertEqual([host for host, *_ in self.service.recorded_outages()], ["n0"])

    def test_a_drained_host_that_is_off_hides_no_switch_that_fails(self):
        topology = self.service.path("topology.conf")
        with open(topology, "w") as file:
            file.write("SwitchName=s1 Nodes=n[0-2]\nSwitchName=s2 Nodes=n[3-5]\n"
                       "SwitchName=top Switches=s[1-2]\n")
        reports = self.service.path("reports")
        os.mkdir(reports)
        with open(os.path.join(reports, "drained"), "w") as file:
            file.write("n0 planned new memory\n")
        self.service.write_config(more=f'[network]\ntopology = "{topology}"\n'
                                       f'[folder]\npath = "{reports}"\nmax_age = 3600\nperiod = 0.1\n')
        agents = self.service.start_agents()
        self.service.start_healthd()
        self.service.wait_for_state("n0", "planned")
        for host in list(agents)[1:]:
            self.service.wait_for_state(host, "up")
        for host in ("n0", "n1", "n2"):
            agents[host].send_signal(signal.SIGSTOP)
        for host in ("n1", "n2"):
            self.assertEqual(self.service.wait_for_state(host, "unreachable")["probability"], 0)
        self.assertEqual(self.service.hosts()["n0"]["state"], "planned")
        self.assertEqual(self.service.recorded_outages(), [])

    def test_all_behind_one_switch_is_an_event_until_it_lasts_too_long(self):
        topology = self.service.path("topology.conf")
        with open(topology, "w") as file:
            file.write("SwitchName=s1 Nodes=n[0-1]\nSwitchName=s2 Nodes=n[2-5]\n"
                       "SwitchName=top Switches=s[1-2]\n")
        self.service.write_config(more=f'[network]\ntopology = "{topology}"\npatience = 2\n')
        agents = self.service.start_agents()
        self.service.start_healthd()
        for host in agents:
            self.service.wait_for_state(host, "up")
        for host in ("n0", "n1"):
            agents[host].send_signal(signal.SIGSTOP)
        self.assertEqual(self.service.wait_for_state("n1", "unreachable")["probability"], 0)
        entry = self.service.wait_for_state("n1", "down")
        self.assertEqual((entry["probability"], entry["rate"]), (1, 0), "no job can run there; it has not failed")
        agents["n1"].send_signal(signal.SIGCONT)
        agents["n0"].send_signal(signal.SIGCONT)
        self.assertEqual(self.service.wait_for_state("n1", "up")["probability"], 0)
        self.assertEqual({cause for *_, cause in self.service.recorded_outages()}, {"network"})


class Reboot(ServiceTest):
    def test_a_reboot_between_two_heartbeats_is_an_outage(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as agent:
            agent.bind((self.service.address("n0"), self.service.agent_port))
            agent.settimeout(DEADLINE)
            self.service.start_healthd()

            def answer(boot):
                request, sender = agent.recvfrom(2048)
                agent.sendto(f"tofa-heartbeat 1 {request.split()[2].decode()} n0 {boot} 1\n".encode(), sender)
                return self.service.hosts().get("n0", {})
            for _ in range(5):
                answer("b1")
            self.assertEqual(wait_until(lambda: answer("b1"), "n0")["rate"], 0)
            wait_until(lambda: answer("b2").get("rate", 0) > 0, "the outage to count")
            self.assertEqual(self.service.hosts()["n0"]["state"], "up")
            self.assertEqual([(host, cause) for host, *_, cause in self.service.recorded_outages()],
                             [("n0", "reboot")])


class Agent(ServiceTest):
    def test_drops_what_is_no_heartbeat_and_never_amplifies(self):
        agent = self.service.start_agent("n0")
        wait_until(lambda: "answering" in self.service.log("noded-n0.log"), "the agent")
        request = f"tofa-heartbeat 1 {'ab' * 16}\n".encode().ljust(512)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            client.connect((self.service.address("n0"), self.service.agent_port))
            for garbage in (b"", b"x", os.urandom(512), os.urandom(60000), request[:100], request + b" "):
                client.send(garbage)
            client.send(request)
            client.settimeout(DEADLINE)
            answer = client.recv(2048)
            self.assertIn(b" " + b"ab" * 16 + b" n0 ", answer, "the first answer is to the only heartbeat")
            self.assertLessEqual(len(answer), len(request))
        self.assert_running(agent)
        self.assertEqual(self.service.log("noded-n0.log").count("no heartbeat"), 1, "a flood does not fill the log")
        self.assertEqual(self.stop(agent), 0)

    def test_says_what_is_wrong_with_its_options(self):
        for options, expected in ((["--listen", "nowhere:1"], "numeric address"), (["--listen", "127.0.0.1:0"], "port"),
                                  (["--name", "a b"], "no host name"), (["--listen", "192.0.2.1:9"], "cannot listen")):
            result = subprocess.run([os.path.join(BIN, "tofa-noded"), *options], capture_output=True, text=True,
                                    timeout=DEADLINE)
            self.assertIn(result.returncode, (1, 2))
            self.assertIn(expected, result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
