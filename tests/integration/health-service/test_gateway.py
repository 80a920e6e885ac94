# SPDX-License-Identifier: BSD-3-Clause
"""tofa-pmix-gateway answers whoever asks properly, whatever everybody else does to it."""
import concurrent.futures
import json
import os
import random
import signal
import socket
import struct
import subprocess
import time
import unittest

from gateway import GatewayTest
from service import BIN, DEADLINE, wait_until


def has_ended(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


class Gateway(GatewayTest):
    def test_dead_agent_shows_through_the_whole_chain(self):
        agents = self.service.start_agents()
        self.service.start_healthd()
        self.service.wait_for_state("n1", "up")
        self.service.start_gateway()
        wait_until(lambda: self.service.outages()["n1"][0] < 1, "n1 to be trusted")
        self.stop(agents["n1"], signal.SIGKILL)
        wait_until(lambda: self.service.outages()["n1"][0] == 1, "the outage of n1")
        self.assertLess(self.service.outages()["n0"][0], 1)

    def test_tells_rates_and_history_through_the_whole_chain(self):
        agents = self.service.start_agents()
        self.service.start_healthd()
        self.service.start_gateway()
        self.service.wait_for_state("n1", "up")
        self.wait_until_heard("n1")
        self.assertEqual(self.service.history(), [])
        self.stop(agents["n1"], signal.SIGKILL)
        outage = wait_until(self.service.history, "the outage to be in the history")[0]
        self.assertEqual((outage[0], *outage[2:]), ("n1", 0, "heartbeat"))
        self.service.start_agent("n1")
        self.service.wait_for_state("n1", "up")
        ended = wait_until(lambda: self.service.history()[0][2] != 0 and self.service.history()[0], "its end")
        self.assertEqual(ended[:2], outage[:2])
        self.assertGreaterEqual(ended[2], ended[1])
        rates = self.service.rates()
        self.assertAlmostEqual(rates["n1"], 1 / 24, places=5, msg="less than a day counts as a day")
        self.assertEqual(rates["n0"], 0)

    def test_long_history(self):
        outages = [{"host": f"n{i % 7}", "start": i, "end": 0 if i == 999 else i + 1, "cause": "slurm"}
                   for i in range(1000)]
        self.service.write_snapshot({"n0": 0}, outages=outages)
        self.service.start_gateway()
        self.assertEqual(self.service.history(),
                         [(o["host"], o["start"], o["end"], "slurm") for o in outages])

    def test_follows_the_snapshot(self):
        gateway = self.service.start_gateway()
        self.assert_answers()
        self.service.write_snapshot({"m": 0.5}, age=1000)
        outages = self.service.outages()
        self.assertEqual(list(outages), ["m"])
        self.assertEqual(outages["m"][0], 0.5)
        self.assertGreaterEqual(outages["m"][1], 999)
        self.service.write_snapshot({})
        self.assertEqual(self.service.outages(), {})
        self.assertEqual(self.stop(gateway), 0)

    def test_says_that_it_has_no_data(self):
        gateway = self.service.start_gateway()
        os.remove(self.service.snapshot)
        for content in (None, "garbage", '{"version": 1}'):
            if content is not None:
                with open(self.service.snapshot, "w") as file:
                    file.write(content)
            answer = self.service.query()
            self.assertEqual((answer.returncode, answer.stdout), (5, ""))
            self.assertIn("the gateway has no data", answer.stderr)
            self.assertIn("snapshot.json", answer.stderr)
        self.service.write_snapshot({"n0": 0, "n1": 0.25, "n2": 1})
        self.assert_answers()
        self.assert_running(gateway)

    def test_large_cluster(self):
        hosts = {f"node{i:05}": random.random() for i in range(10_000)}
        hosts["node00000"] = 1e-9
        self.service.write_snapshot(hosts)
        self.service.start_gateway()
        outages = self.service.outages()
        self.assertEqual(list(outages), list(hosts))
        self.assertEqual({host: p for host, (p, _) in outages.items()}, hosts, "not rounded")
        result = subprocess.run([os.path.join(BIN, "tofa"), "health", "list", "--json", "--health", self.service.uri,
                                 "--deadline", "30"], capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual({node["host"]: node["probability"] for node in json.loads(result.stdout)["nodes"]}, hosts)

    def test_survives_garbage_and_silence(self):
        gateway = self.service.start_gateway()
        silent = [self.connect() for _ in range(50)]
        half = self.connect()
        half.send(struct.pack("=iIII", 0, 0, 500, 0) + b"native\0")
        header_only = self.connect()
        header_only.send(struct.pack("=iIII", 0, 0, 0xffffffff, 0))
        for size in (1, 15, 16, 17, 1000, 100_000):
            with self.connect() as garbage:
                try:
                    garbage.sendall(os.urandom(size))
                except OSError:
                    pass  # refused before all of it was sent
        self.assert_answers()
        # What libpmix alone would crash on: a credential that is longer than the message.
        for length in (0xffffffff, 100_000):
            with self.connect() as forged:
                body = b"native\0" + struct.pack("!I", length) + b"\3" + b"4.2.2\0"
                forged.send(struct.pack("=iIII", 0, 0, len(body), 0) + body)
                self.assert_cut_off(forged)
        self.assert_answers()
        self.assert_running(gateway)
        # Silence ends, too.
        for connection in (*silent, half, header_only):
            try:
                self.assertEqual(connection.recv(1), b"")
            except ConnectionResetError:
                pass
            connection.close()

    def test_survives_clients_killed_at_any_moment(self):
        gateway = self.service.start_gateway()
        start = time.monotonic()
        self.assert_answers()
        duration = time.monotonic() - start
        for _ in range(60):
            client = subprocess.Popen([os.path.join(BIN, "tofa-query"), "--uri", self.service.uri],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(random.uniform(0, 1.2 * duration))
            client.kill()
            client.wait()
        self.assert_answers()
        self.assert_running(gateway)

    def test_survives_handshakes_cut_off_after_any_byte(self):
        gateway = self.service.start_gateway()
        handshake = self.record_handshake()
        for _ in range(3):
            for size in (*range(0, len(handshake), 7), len(handshake)):
                client = self.connect()
                client.sendall(handshake[:size])
                if size % 2:  # reset instead of end
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                client.close()
        self.assert_answers()
        self.assert_running(gateway)

    def test_survives_queries_that_end_libpmix(self):
        gateway = self.service.start_gateway()
        handshake, _, query, _ = self.record_conversation()
        self.assertIn(b"tofa.snapshot\0", query)
        # The number of queries, the number of keys, the length of the key.
        for at in (16 + 4, 16 + 5, 16 + 6):
            for value in (0, 1, 0x7e, 0x7f, 0xff):
                with self.let_in(handshake) as attacker:
                    attacker.sendall(query[:at] + bytes([value]) + query[at + 1:])
                    self.assert_cut_off(attacker)
        self.assert_answers()
        self.assert_running(gateway)

    def test_cuts_off_who_announces_a_large_message(self):
        gateway = self.service.start_gateway()
        handshake = self.record_handshake()
        attackers = [self.let_in(handshake) for _ in range(10)]
        for attacker in attackers:
            attacker.sendall(struct.pack("!IIII", 0, 101, 0x7fffffff, 0))
        for attacker in attackers:
            self.assert_cut_off(attacker)
            attacker.close()
        self.assert_answers()
        self.assert_running(gateway)
        with open(f"/proc/{gateway.pid}/status") as status:
            peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
        self.assertLess(peak, 500_000, "kB of memory at any time")

    def test_cuts_off_who_sends_more_than_16_messages(self):
        gateway = self.service.start_gateway()
        handshake, tell_me, *_ = self.record_conversation()
        for count in (16, 17):
            with self.let_in(handshake) as client:
                client.sendall(tell_me * count)
                if count == 17:
                    self.assert_ends(client)
                    continue
                answers = b""
                while answers.count(b"pmix.bfrops.mod") < 16:
                    data = client.recv(65536)
                    self.assertNotEqual(data, b"", "cut off")
                    answers += data
        self.assert_answers()
        self.assert_running(gateway)

    def worker_of(self, gateway):
        with open(f"/proc/{gateway.pid}/task/{gateway.pid}/children") as children:
            return [int(child) for child in children.read().split()]

    def test_goes_on_when_libpmix_crashes(self):
        gateway = self.service.start_gateway()
        for _ in range(5):
            before = self.worker_of(gateway)
            self.assertEqual(len(before), 1)
            os.kill(before[0], signal.SIGKILL)  # sanitizers make something else of a crash
            wait_until(lambda ended=before[0]: has_ended(ended), "the end")
            self.assert_answers()
        self.assert_running(gateway)
        self.assertIn("libpmix was ended by signal 9 (Killed); another one starts",
                      self.service.log("tofa-pmix-gateway.log"))
        self.assertEqual(self.stop(gateway), 0)
        self.assertEqual(self.folders(), [])

    def test_goes_on_when_libpmix_hangs(self):
        gateway = self.service.start_gateway("--renew-after", "0")
        handshake = self.record_handshake()
        for in_a_hurry in (0, 1000):
            hung, = self.worker_of(gateway)
            os.kill(hung, signal.SIGSTOP)
            for _ in range(in_a_hurry):  # who leaves again is none of those that are seen to wait
                with self.connect() as client:
                    client.sendall(handshake)
            self.assert_answers()
            wait_until(lambda ended=hung: has_ended(ended), "the end of what hangs")
            self.assertEqual(len(self.worker_of(gateway)), 1)
        self.assert_running(gateway)
        self.assertIn("libpmix hangs: it has answered nobody for 3 s while clients were waiting; it is killed",
                      self.service.log("tofa-pmix-gateway.log"))
        self.assertEqual(self.stop(gateway), 0)
        self.assertEqual(self.folders(), [])

    def test_keeps_a_libpmix_that_nobody_waits_for(self):
        gateway = self.service.start_gateway()
        before = self.worker_of(gateway)
        held = [self.let_in(self.record_handshake()) for _ in range(3)]  # it is their turn
        os.kill(before[0], signal.SIGSTOP)
        time.sleep(5)
        os.kill(before[0], signal.SIGCONT)
        for connection in held:
            connection.close()
        self.assert_answers()
        self.assertEqual(self.worker_of(gateway), before)

    def test_keeps_a_libpmix_that_stood_still_together_with_the_gate(self):
        gateway = self.service.start_gateway()
        handshake = self.record_handshake()
        before, = self.worker_of(gateway)
        os.kill(before, signal.SIGSTOP)
        with self.connect() as client:
            client.sendall(handshake)
            time.sleep(0.2)
            gateway.send_signal(signal.SIGSTOP)
            time.sleep(5)
            os.kill(before, signal.SIGCONT)
            gateway.send_signal(signal.SIGCONT)
            self.assertNotEqual(client.recv(65536), b"")
        self.assertEqual(self.worker_of(gateway), [before])

    def test_leaves_nothing_behind_when_it_is_killed(self):
        gateway = self.service.start_gateway()
        self.assert_answers()
        worker, = self.worker_of(gateway)
        self.stop(gateway, signal.SIGKILL)
        wait_until(lambda: not os.path.exists(f"/proc/{worker}/fd/3"), "libpmix to end")
        wait_until(lambda: self.folders() == [], "its folder to be removed")

    def folders(self):
        return [name for name in os.listdir(self.service.folder) if name.startswith("tofa-gateway-")]

    def test_survives_any_byte_of_a_conversation_changed(self):
        gateway = self.service.start_gateway()
        handshake, *messages = self.record_conversation()
        for at in range(len(handshake)):
            with self.connect() as client:
                forged = bytearray(handshake)
                forged[at] ^= 1 << (at % 8)
                client.sendall(forged + b"".join(messages))
        rest = b"".join(messages)
        for at in range(len(rest)):
            with self.connect() as client:
                forged = bytearray(rest)
                forged[at] ^= 1 << (at % 8)
                client.sendall(handshake + forged)
        self.assert_answers()
        self.assert_running(gateway)

    def test_takes_messages_byte_by_byte_and_all_at_once(self):
        self.service.start_gateway()
        handshake, *messages = self.record_conversation()
        for parts in ([handshake + b"".join(messages[:-1])],
                      [bytes([byte]) for byte in handshake + b"".join(messages[:-1])]):
            with self.connect() as client:
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                for part in parts:
                    client.sendall(part)
                answer = b""
                while b'"outages"' not in answer:
                    data = client.recv(65536)
                    self.assertNotEqual(data, b"", "cut off")
                    answer += data

    def test_many_clients_at_once(self):
        gateway = self.service.start_gateway()
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            answers = list(pool.map(lambda _: self.service.query(deadline=60), range(60)))
        self.assertEqual([answer.returncode for answer in answers], [0] * 60)
        self.assertEqual({len(json.loads(answer.stdout)["hosts"]) for answer in answers}, {3})
        self.assert_running(gateway)

    def test_restarts_on_the_same_port_at_once(self):
        for how in (signal.SIGKILL, signal.SIGTERM, signal.SIGKILL):
            gateway = self.service.start_gateway()
            self.assert_answers()
            with self.connect():
                self.stop(gateway, how)
            os.remove(self.service.path("tofa-pmix-gateway.log"))
        self.service.start_gateway()
        self.assert_answers()

    def test_starts_afresh_without_losing_clients(self):
        gateway = self.service.start_gateway("--renew-after", "5")
        for _ in range(25):
            self.assert_answers()
        self.assertGreaterEqual(self.service.log("tofa-pmix-gateway.log").count("starting afresh"), 3)
        self.assert_running(gateway)
        descriptors = len(os.listdir(f"/proc/{gateway.pid}/fd"))
        for _ in range(25):
            self.assert_answers()
        self.assertLessEqual(len(os.listdir(f"/proc/{gateway.pid}/fd")), descriptors + 10)
        self.assertEqual(self.stop(gateway), 0)
        self.assertEqual(self.folders(), [], "temporary folders are removed")

    def test_runs_without_privilege(self):
        if os.geteuid() == 0:
            os.chmod(self.service.folder, 0o777)
            prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        else:
            prefix = []
        gateway = subprocess.Popen([*prefix, os.path.join(BIN, "tofa-pmix-gateway"), "--listen", self.service.uri,
                                    "--snapshot", self.service.snapshot], stderr=subprocess.PIPE, text=True,
                                   env={"TMPDIR": self.service.folder, "PATH": os.environ["PATH"]})
        self.service.started.append(gateway)
        self.assertIn("answering from", gateway.stderr.readline())
        self.assert_answers()
        self.assertEqual(self.stop(gateway), 0)
        gateway.stderr.close()

    def test_says_that_its_port_is_taken(self):
        with socket.create_server(("127.0.0.1", self.service.gateway_port)):
            gateway = self.service.start("tofa-pmix-gateway", "--listen", self.service.uri, "--snapshot", "x")
            self.assertEqual(gateway.wait(timeout=DEADLINE), 1)
        self.assertIn("Address already in use; choose another with --listen",
                      self.service.log("tofa-pmix-gateway.log"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
