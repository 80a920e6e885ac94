# SPDX-License-Identifier: BSD-3-Clause
"""Prometheus as a source of health, from a server that answers, or fails to answer, as a test wants."""
import http.server
import json
import subprocess
import threading
import time
import unittest
import urllib.parse

from service import BIN, DEADLINE, ServiceTest, wait_until


class Prometheus:
    """Speaks /api/v1/query below /prefix."""

    def __init__(self):
        self.values = {}
        self.mode = "answer"
        self.queries = []
        self.ended = threading.Event()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                outer.queries.append(self.path)
                try:
                    outer.answer(self)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/prefix"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        if not self.ended.is_set():
            self.ended.set()
            self.server.shutdown()
            self.server.server_close()

    def reply(self, request, status, body):
        request.send_response(status)
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def drip(self, request, data):
        """Byte by byte, for as long as somebody reads."""
        for byte in data:
            if self.ended.wait(0.2):
                return
            request.wfile.write(bytes([byte]))
            request.wfile.flush()

    def answer(self, request):
        url = urllib.parse.urlparse(request.path)
        if url.path != "/prefix/api/v1/query":
            return self.reply(request, 404, b"404 page not found")
        result = [{"metric": {"__name__": "up", "instance": f"{host}:9100"}, "value": [time.time(), value]}
                  for host, value in self.values.items()]
        good = json.dumps({"status": "success", "data": {"resultType": "vector", "result": result}}).encode()
        if self.mode == "answer":
            return self.reply(request, 200, good)
        if self.mode == "error":
            return self.reply(request, 400, b'{"status":"error","errorType":"bad_data","error":"1:3: no such thing"}')
        if self.mode == "proxy":
            return self.reply(request, 502, b"<html>Bad gateway</html>")
        if self.mode == "garbled":
            return self.reply(request, 200, good[:-7] + b"\xff\x00}")
        if self.mode == "short":
            request.close_connection = True
            request.send_response(200)
            request.send_header("Content-Length", str(len(good) + 10))
            request.end_headers()
            return request.wfile.write(good)
        if self.mode == "endless":
            request.close_connection = True
            request.send_response(200)
            request.end_headers()
            while not self.ended.is_set():
                request.wfile.write(b" " * 65536)
        if self.mode == "silent":
            self.ended.wait()
        if self.mode == "slow headers":
            return self.drip(request, b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: y\r\n" % i for i in range(10000)))
        if self.mode == "slow body":
            request.close_connection = True
            request.send_response(200)
            request.end_headers()
            return self.drip(request, b" " * 100_000)
        return None


class PrometheusTest(ServiceTest):
    def setUp(self):
        super().setUp()
        self.prometheus = Prometheus()
        self.addCleanup(self.prometheus.close)
        self.prometheus.values = {"n0": "1", "n1": "1", "n2": "1", "db1": "0"}

    def configure(self, heartbeats="false", timeout=2, query='up{job="node"}'):
        self.service.write_config(more=f'[prometheus]\nurl = "{self.prometheus.url}"\n'
                                       f"query = '{query}'\nperiod = 0.2\ntimeout = {timeout}\n")
        with open(self.service.config) as file:
            text = file.read()
        with open(self.service.config, "w") as file:
            file.write(text.replace("[poll]", f"[poll]\nheartbeats = {heartbeats}"))

    def wait_for_rounds(self, count=8):
        polled = set()
        wait_until(lambda: polled.add(self.service.hosts()["n0"]["polled"]) or len(polled) > count, "more rounds")


class Alone(PrometheusTest):
    def test_zero_is_down_and_anything_else_is_up(self):
        self.configure()
        healthd = self.service.start_healthd()
        self.service.wait_for_state("n1", "up")
        self.prometheus.values["n1"] = "0"
        self.assertEqual(self.service.wait_for_state("n1", "down")["probability"], 1)
        self.prometheus.values["n1"] = "17.5"
        self.service.wait_for_state("n1", "up")
        self.assertEqual([(host, cause) for host, *_, cause in self.service.recorded_outages()], [("n1", "prometheus")])
        self.assertIn("n1 is down (prometheus up{job=\"node\"})", self.log())
        query = urllib.parse.parse_qs(urllib.parse.urlparse(self.prometheus.queries[0]).query)
        self.assertEqual(query["query"], ['up{job="node"}'])
        self.assertEqual(self.stop(healthd), 0)

    def test_what_fails_is_told_once_and_says_nothing_of_hosts(self):
        self.configure(timeout=1)
        self.service.start_healthd()
        self.service.wait_for_state("n1", "up")
        for mode, problem in (("error", 'it says: "1:3: no such thing"'), ("proxy", "HTTP status 502"),
                              ("garbled", "no JSON"), ("short", "no node states from"),
                              ("endless", "no node states from"), ("silent", "no node states from"),
                              ("slow headers", "no answer within 1 s"), ("slow body", "no answer within 1 s")):
            with self.subTest(mode):
                before = self.log().count("no node states from")
                self.prometheus.mode = mode
                wait_until(lambda: any(problem in warning for warning in self.warnings()), f"the status: {problem}")
                self.assertEqual(self.service.hosts()["n1"]["state"], "up")
                self.prometheus.mode = "answer"
                wait_until(lambda: not self.warnings(), "an answer")
                self.assertEqual(self.log().count("no node states from"), before + 1, self.log())
        self.assertEqual(self.service.recorded_outages(), [])

    def test_gone_and_back(self):
        self.configure()
        self.service.start_healthd()
        self.service.wait_for_state("n1", "up")
        self.prometheus.close()
        wait_until(lambda: any("Connection" in warning for warning in self.warnings()), "the warning")
        self.assertEqual(len(self.warnings()), 1)
        self.assertEqual(self.service.hosts()["n1"]["state"], "up")

    def test_an_answer_about_strangers_is_a_mistake_of_the_configuration(self):
        self.prometheus.values = {"db1": "1"}
        self.configure()
        self.service.start_healthd()
        self.wait_for_log("none of the 1 series it answers with is about a host of this service")

    def test_ends_while_prometheus_hangs(self):
        self.configure(timeout=60)
        self.prometheus.mode = "silent"
        healthd = self.service.start_healthd()
        wait_until(lambda: self.prometheus.queries, "the query")
        self.assertEqual(self.stop(healthd), 0)


class BesideHeartbeats(PrometheusTest):
    def test_heartbeats_go_on_while_prometheus_hangs(self):
        self.configure(heartbeats="true", timeout=60)
        self.prometheus.mode = "slow headers"
        agents = self.service.start_agents()
        self.service.start_healthd()
        wait_until(lambda: self.prometheus.queries, "the query")
        for host in agents:
            wait_until(lambda: host in self.service.hosts(), "heartbeats")
        self.stop(agents["n1"])
        self.service.wait_for_state("n1", "down")

    def test_a_network_that_only_prometheus_lost_is_no_failure(self):
        self.configure(heartbeats="true")
        agents = self.service.start_agents()
        self.service.start_healthd()
        for host in agents:
            self.service.wait_for_state(host, "up")
        for host in agents:
            self.prometheus.values[host] = "0"
        self.service.wait_for_state("n1", "unreachable")
        for host in agents:
            self.prometheus.values[host] = "1"
        self.assertEqual(self.service.wait_for_state("n1", "up")["probability"], 0)
        self.assertEqual(self.service.recorded_outages(), [])


class Configuration(PrometheusTest):
    def test_mistakes_are_named_with_their_line(self):
        for change, expected in (('url = "localhost:9090"', "url: "), ('url = "ftp://x"', "url: "),
                                 ('url = "http://user@x"', "url: "), ('url = "http://x"\nquery = ""', "query: "),
                                 ('url = "http://x"\ntimeout = 0', "timeout: "),
                                 ('url = "http://x"\nquerry = "up"', "querry: unknown key")):
            self.service.write_config(more=f"[prometheus]\n{change}\n")
            result = subprocess.run([f"{BIN}/tofa-healthd", "--config", self.service.config, "--check"],
                                    capture_output=True, text=True, timeout=DEADLINE)
            self.assertEqual(result.returncode, 2, change)
            self.assertRegex(result.stderr, r"healthd\.toml:\d+: \[prometheus\] " + expected)


if __name__ == "__main__":
    unittest.main(verbosity=2)
