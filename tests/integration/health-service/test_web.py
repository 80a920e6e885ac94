# SPDX-License-Identifier: BSD-3-Clause
"""tofa-health-web serves what tofa-healthd knows, and lets no client keep others waiting."""
import contextlib
import http.client
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import threading
import time
import unittest

try:
    from prometheus_client.parser import text_string_to_metric_families
except ImportError:
    text_string_to_metric_families = None

from service import DEADLINE, ServiceTest, free_port, wait_until

DASHBOARD = os.path.join(os.path.dirname(__file__), "..", "..", "..", "health-service", "web", "grafana-dashboard.json")


class Attackers:
    """Keep many connections open, from one address; each sends `first`, then `more` once a second and reads nothing, and
    is made anew when it is ended."""

    def __init__(self, port, count, first, more):
        self.port, self.first, self.more = port, first, more
        self.rounds = self.ended = 0
        self.stopped = threading.Event()
        self.open = [self.connect() for _ in range(count)]
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def connect(self):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", self.port))
        connection.setblocking(False)
        with contextlib.suppress(OSError):  # it is ended already
            connection.send(self.first)
        return connection

    def run(self):
        while not self.stopped.wait(1):
            self.open = [self.go_on(connection) for connection in self.open]
            self.rounds += 1
        for connection in self.open:
            connection.close()

    def go_on(self, connection):
        poll = select.poll()
        poll.register(connection, select.POLLRDHUP)
        if not poll.poll(0):
            with contextlib.suppress(OSError):
                connection.send(self.more)
                return connection
        connection.close()
        self.ended += 1
        return self.connect()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.stopped.set()
        self.thread.join(DEADLINE)


class Web(ServiceTest):
    def setUp(self):
        super().setUp()
        self.port = free_port(socket.SOCK_STREAM)

    def start_web(self, *arguments):
        web = self.service.start("tofa-health-web", "--listen", f"127.0.0.1:{self.port}",
                                 "--snapshot", self.service.snapshot, *arguments)
        wait_until(lambda: "serving" in self.service.log("tofa-health-web.log"), "the page")
        return web

    def get(self, path, method="GET", body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)
        try:
            connection.request(method, path, body=body)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            connection.close()

    def test_shows_what_the_daemon_knows(self):
        agents = self.service.start_agents()
        self.service.start_healthd()
        web = self.start_web()
        for host in agents:
            self.service.wait_for_state(host, "up")
        self.assertIn('tofa_host_up{host="n1"} 1\n', self.get("/metrics")[2])
        self.stop(agents["n1"])
        wait_until(lambda: 'tofa_host_up{host="n1"} 0\n' in self.get("/metrics")[2], "the outage")
        snapshot = json.loads(self.get("/snapshot.json")[2])
        self.assertEqual([host["state"] for host in snapshot["hosts"]], ["up", "down", "up"])
        self.assertEqual(json.loads(self.get("/layout.json")[2]),
                         [{"name": "", "columns": 0, "hosts": ["n0", "n1", "n2"]}])
        self.assertEqual(self.stop(web), 0)

    def test_without_a_snapshot_it_says_so(self):
        self.start_web()
        self.assertIn("tofa_snapshot_readable 0\n", self.get("/metrics")[2])
        status, _, text = self.get("/snapshot.json")
        self.assertEqual(status, 503)
        self.assertIn("is tofa-healthd running", text)
        with open(self.service.snapshot, "w") as file:
            file.write("garbage")
        self.assertIn("tofa_snapshot_readable 0\n", self.get("/metrics")[2])
        self.service.write_snapshot({"n0": 0.5})
        self.assertIn("tofa_snapshot_readable 1\n", self.get("/metrics")[2])

    def test_is_read_only_and_keeps_to_itself(self):
        self.service.write_snapshot({"n0": 0.5})
        web = self.start_web()
        for method in ("POST", "PUT", "DELETE", "PATCH"):
            self.assertIn(self.get("/metrics", method)[0], (400, 404, 405), method)
        for path in ("/../etc/passwd", "/%2e%2e/etc/passwd", "/page.js/..", "/x" * 5000):
            self.assertGreaterEqual(self.get(path)[0], 400, path[:20])
        self.assertGreaterEqual(self.get("/metrics", "POST", b"x" * 100000)[0], 400)
        headers = self.get("/")[1]
        self.assertIn("default-src 'self'", headers["Content-Security-Policy"])
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assert_running(web)

    def test_clients_that_send_nothing_keep_nobody_waiting_for_long(self):
        self.service.write_snapshot({"n0": 0.5})
        self.start_web()
        silent = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(100)]
        self.assertEqual(self.get("/metrics")[0], 200)
        for connection in silent:
            connection.close()

    def test_clients_that_send_a_byte_now_and_then_keep_nobody_waiting(self):
        self.service.write_snapshot({"n0": 0.5})
        web = self.start_web()
        before = self.threads_of(web)
        with Attackers(self.port, 600, b"GET /metrics HTTP/1.1\r\nX-A: ", b"a") as attackers:
            wait_until(lambda: attackers.rounds > 2, "the attack")
            for _ in range(20):
                self.assertEqual(self.get("/metrics")[0], 200)
            wait_until(lambda: attackers.ended >= 1200, "all of them to be cut off")
            self.assertEqual(self.get("/metrics")[0], 200)
            self.assertEqual(self.threads_of(web), before)
        self.assert_running(web)

    def test_few_clients_that_send_a_byte_now_and_then_are_cut_off(self):
        self.start_web()
        with Attackers(self.port, 3, b"GET /metrics HTTP/1.1\r\nX-A: ", b"a") as attackers:
            wait_until(lambda: attackers.ended >= 3, "their end")

    def test_clients_that_take_no_answer_keep_nobody_waiting(self):
        self.service.write_snapshot({f"n{i}": 0.5 for i in range(6000)})
        web = self.start_web()
        size = len(self.get("/metrics")[2])
        with Attackers(self.port, 60, b"GET /metrics HTTP/1.1\r\n\r\n" * 2, b"") as attackers:
            wait_until(lambda: attackers.rounds > 2, "the attack")
            for _ in range(5):
                status, _, text = self.get("/metrics")
                self.assertEqual((status, len(text)), (200, size))
            wait_until(lambda: attackers.ended >= 20, "some of them to be cut off")
        with open(f"/proc/{web.pid}/status") as status:
            peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
        self.assertLess(peak, 500_000, "kB of memory at any time")
        self.assert_running(web)

    def test_a_client_that_is_slow_to_read_gets_all_of_its_answer(self):
        self.service.write_snapshot({f"n{i}": 0.5 for i in range(100)})
        self.start_web()
        for ending in (b"Connection: close\r\n", b""):
            with socket.socket() as client:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                client.settimeout(DEADLINE)
                client.connect(("127.0.0.1", self.port))
                client.sendall(b"GET /metrics HTTP/1.1\r\nHost: a\r\n" + ending + b"\r\n")
                time.sleep(7)
                with client.makefile("rb") as answer:
                    head = iter(answer.readline, b"\r\n")
                    size = next(int(line.split()[1]) for line in list(head) if line.startswith(b"Content-Length:"))
                    self.assertEqual(len(answer.read(size)), size)

    def test_answers_requests_however_they_arrive(self):
        self.service.write_snapshot({"n0": 0.5})
        self.start_web()
        request = b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n"
        last = b"GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        for parts in ([request * 2 + last], [bytes([byte]) for byte in request * 2 + last]):
            with socket.create_connection(("127.0.0.1", self.port), timeout=DEADLINE) as client:
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                for part in parts:
                    client.sendall(part)
                client.shutdown(socket.SHUT_WR)
                with client.makefile("rb") as answers:
                    self.assertEqual(answers.read().count(b"HTTP/1.1 200 OK"), 3)

    def threads_of(self, process):
        return os.listdir(f"/proc/{process.pid}/task")

    def test_says_what_is_wrong_with_its_options(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            for options, expected in ((["--listen", "nowhere:1"], "numeric address"),
                                      (["--listen", f"127.0.0.1:{taken.getsockname()[1]}"], "cannot listen"),
                                      (["--topology", "/nowhere"], "/nowhere")):
                result = subprocess.run([os.path.join(os.environ["TOFA_BIN"], "tofa-health-web"), *options],
                                        capture_output=True, text=True, timeout=DEADLINE)
                self.assertIn(result.returncode, (1, 2), result.stderr)
                self.assertIn(expected, result.stderr)

    @unittest.skipUnless(text_string_to_metric_families, "needs python3-prometheus-client")
    def test_metrics_read_as_prometheus_reads_them(self):
        self.service.write_snapshot({"n0": 0.5, "n1": 0}, rates={"n0": 0.1})
        self.start_web()
        families = {family.name: family for family in text_string_to_metric_families(self.get("/metrics")[2])}
        within = {tuple(sample.labels.values()): sample.value for sample in families["tofa_host_outage_probability"].samples}
        self.assertEqual(within[("n0", "0")], 0.5)
        self.assertGreater(within[("n0", "86400")], 0.9)
        self.assertEqual(within[("n1", "604800")], 0)
        self.assertEqual({family.type for family in families.values()}, {"gauge"})

    def test_the_dashboard_asks_for_metrics_that_there_are(self):
        now = time.time()
        self.service.write_snapshot({"n0": 0.5, "n1": 0}, rates={"n0": 0.1},
                                    excluded={"n1": {"reason": "fan", "by": "al", "since": now}},
                                    drains={"n0": {"state": "drained", "since": now, "reason": "tofa: x", "why": "y"}})
        self.start_web()
        metrics = self.get("/metrics")[2]
        with open(DASHBOARD) as file:
            panels = json.load(file)["panels"]
        self.assertEqual(len({panel["id"] for panel in panels}), len(panels))
        asked = [target["expr"] for panel in panels for target in panel["targets"]]
        for name in {name for expression in asked for name in re.findall(r"tofa_\w+", expression)}:
            self.assertRegex(metrics, rf"(?m)^{name}[ {{]", name)
        for name in ("tofa_host_excluded", "tofa_host_exclusion_info", "tofa_drains", "tofa_host_drain_info"):
            self.assertTrue(any(name in expression for expression in asked), name)
        places = [panel["gridPos"] for panel in panels]
        cells = [(x, y) for place in places for x in range(place["x"], place["x"] + place["w"])
                 for y in range(place["y"], place["y"] + place["h"])]
        self.assertEqual(len(set(cells)), len(cells), "no panel hides another")

    @unittest.skipUnless(shutil.which("promtool"), "needs promtool")
    def test_promtool_finds_nothing_to_complain_about(self):
        self.service.write_snapshot({"n0": 0.5, "n1": 0}, rates={"n0": 0.1},
                                    drains={"n0": {"state": "drained", "since": 1700000000, "reason": "x", "why": "y"}})
        self.start_web()
        result = subprocess.run(["promtool", "check", "metrics"], input=self.get("/metrics")[2], capture_output=True,
                                text=True, timeout=DEADLINE)
        self.assertEqual((result.returncode, result.stdout + result.stderr), (0, ""))

    @unittest.skipUnless(shutil.which("chromium"), "needs chromium")
    def test_the_page_draws_the_machine(self):
        now = time.time()
        self.service.write_snapshot({"n0": 0.5, "n1": 0, "n2": 0},
                                    outages=[{"host": "n0", "start": now - 90000, "end": now - 86400,
                                              "cause": "heartbeat"}],
                                    excluded={"n2": {"reason": "<b>fan</b>", "by": "al", "since": 1700000000,
                                                     "until": 1700003600}})
        topology = self.service.path("topology.conf")
        with open(topology, "w") as file:
            file.write("SwitchName=s1 Nodes=n[0-1]\nSwitchName=s2 Nodes=n[2-3]\nSwitchName=top Switches=s[1-2]\n")
        self.start_web("--topology", topology)
        browser = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={self.service.folder}/browser",
             "--virtual-time-budget=5000", "--dump-dom", f"http://127.0.0.1:{self.port}/#n0"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True)
        try:
            page = browser.communicate(timeout=DEADLINE)[0]
        finally:
            if browser.poll() is None:
                os.killpg(browser.pid, signal.SIGKILL)
        for expected in ("3 hosts, 0 down, 1 likely to fail within a day, 1 excluded by admins", 'class="excluded"',
                         "n2: planned, excluded by al since 2023-11-14T22:13:20Z until 2023-11-14T23:13:20Z: &lt;b&gt;fan",
                         "<h2>s1</h2>", "<h2>s2</h2>", 'class="up p3"',
                         "n1: up, 0.0 % likely to fail within a day", "<dt>fails within a week</dt>", "(heartbeat)", '<h2 id="name">n0</h2>'):
            self.assertIn(expected, page)


if __name__ == "__main__":
    unittest.main(verbosity=2)
