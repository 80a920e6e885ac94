# SPDX-License-Identifier: BSD-3-Clause
"""The load of links from a real Prometheus server, which scrapes an exporter of ours; and from servers that fail."""
import contextlib
import http.server
import json
import os
import random
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.parse
import urllib.request

TOFA = os.environ["TOFA"]
DEADLINE = 60  # seconds that are waited for what must happen
BANDWIDTH = 8e9

TORUS = f'[topology]\nkind = "torus"\nshape = [4, 4]\nnodes = "n[00-15]"\nbandwidth = {BANDWIDTH}\n'
GRAPH = "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 1000000\n2 1 1000000\n"


def wait_until(condition):
    end = time.monotonic() + DEADLINE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"not within {DEADLINE} s")
        time.sleep(0.1)


def free_port():
    """Below the ports that the system gives to clients: one of those may be taken again before it is bound."""
    while True:
        port = random.randrange(20000, 32000)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


class Server:
    """Answers every GET with what `answer` says; None is no answer at all."""

    def __init__(self, answer):
        self.ended = threading.Event()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                text = answer()
                if text is None:
                    outer.ended.wait(DEADLINE)
                    return
                self.send_response(200)
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self.ended.set()
        self.server.shutdown()
        self.server.server_close()


class LinkLoadTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.write("torus.toml", TORUS)
        self.write("app.bytes.mtx", GRAPH)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def tofa(self, *arguments, **environment):
        inherited = {key: value for key, value in os.environ.items()
                     if not key.startswith(("TOFA_", "SLURM", "http_proxy", "HTTP_PROXY"))}
        site = {"TOFA_SITE_FILE": os.path.join(self.folder, "site.toml"), "SLURM_CONF": "/none"}
        return subprocess.run([TOFA, *arguments, "--topology", "torus.toml"], cwd=self.folder, capture_output=True,
                              text=True, timeout=DEADLINE, check=False, env={**inherited, **site, **environment})

    def query(self, *more):
        result = self.tofa("topology", "query", "n00", "n01", *more)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def serve(self, answer):
        server = Server(answer)
        self.addCleanup(server.close)
        return server

    def place(self, **environment):
        """Of two ranks on three nodes of which n00 and n01 are neighbours."""
        result = self.tofa("map", "--graph", "app", "--nodes", "n[00-02]", **environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(result.stdout.split()), 2)
        return set(result.stdout.split()), result.stderr


class RealPrometheus(LinkLoadTest):
    def setUp(self):
        super().setUp()
        program = shutil.which("prometheus")
        self.assertIsNotNone(program, "prometheus is missing; as root: apt-get install prometheus")
        start = time.monotonic()

        def metrics():
            sent = 0.75 * BANDWIDTH * (time.monotonic() - start)
            lines = ["# TYPE link_sent_bytes_total counter"]
            for source, to in (("n00", "n01"), ("n01", "n00")):
                lines.append(f'link_sent_bytes_total{{node="{source}",peer="{to}"}} {sent:.0f}')
            lines.append('link_stalled_percent{node="n00",peer="n01"} 50')
            return "\n".join(lines) + "\n"

        exporter = self.serve(metrics)
        self.write("prometheus.yml", json.dumps({
            "global": {"scrape_interval": "1s", "scrape_timeout": "1s"},
            "scrape_configs": [{"job_name": "links", "static_configs": [{"targets": [exporter.address]}]}]}))
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        log = open(os.path.join(self.folder, "log"), "w", encoding="utf-8")  # pylint: disable=consider-using-with
        self.addCleanup(log.close)
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [program, "--config.file=prometheus.yml", "--storage.tsdb.path=data", "--log.level=warn",
             f"--web.listen-address=127.0.0.1:{self.port}"], cwd=self.folder, stdout=log, stderr=log)
        self.addCleanup(self.stop)
        self.write("site.toml", f'[link_load]\nsource = "{self.url}"\nfrom_label = "node"\nto_label = "peer"\n'
                                'query = "rate(link_sent_bytes_total[20s])"\nstalls_query = "link_stalled_percent"\n'
                                "timeout = 20\n")

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(DEADLINE)

    def knows_rates(self):
        query = urllib.parse.urlencode({"query": "rate(link_sent_bytes_total[20s])"})
        try:
            with urllib.request.urlopen(f"{self.url}/api/v1/query?{query}", timeout=10) as answer:
                series = json.load(answer)["data"]["result"]
                # A window that is not full yet makes less of it.
                return len(series) == 2 and all(float(one["value"][1]) > 0.6 * BANDWIDTH for one in series)
        except OSError:
            return False

    def test_what_it_scrapes_counts(self):
        wait_until(self.knows_rates)
        pair = self.query()
        # About a quarter is left, as well as a rate of some samples can be told.
        self.assertLess(pair["bandwidth_left"], 0.6 * BANDWIDTH)
        self.assertGreater(pair["bandwidth_left"], 0.049 * BANDWIDTH)
        self.assertGreater(pair["cost"], 1.6)
        self.assertEqual(pair["stalls"], 50)
        self.assertEqual(self.query("--pair-cost", "stalls")["cost"], 2)
        hosts, warnings = self.place()
        self.assertEqual(hosts, {"n01", "n02"})
        self.assertEqual(warnings, "")
        # It goes away: the job is placed all the same.
        self.stop()
        _, warnings = self.place()
        self.assertIn("all links are taken to be free", warnings)
        self.assertEqual(warnings.count("warning"), 1, warnings)
        refused = self.tofa("map", "--graph", "app", "--link-load", self.url)
        self.assertEqual(refused.returncode, 1, refused.stderr)

    def test_a_query_that_makes_no_sense_is_told(self):
        wait_until(self.knows_rates)
        self.write("site.toml", '[link_load]\nquery = "rate("\n')
        refused = self.tofa("map", "--graph", "app", "--link-load", self.url)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("parse error", refused.stderr)


class ServersThatFail(LinkLoadTest):
    def warning_with(self, answer, timeout=20):
        server = self.serve(answer)
        self.write("site.toml", f'[link_load]\nquery = "x"\ntimeout = {timeout}\n')
        _, warnings = self.place(TOFA_LINK_LOAD=f"http://{server.address}/")
        self.assertEqual(warnings.count("warning"), 1, warnings)
        self.assertIn("(named by TOFA_LINK_LOAD); all links are taken to be free", warnings)
        return warnings

    def test_garbled(self):
        self.assertIn("no JSON", self.warning_with(lambda: '{"status":"succ'))
        self.assertIn("is not `from to", self.warning_with(lambda: "n00 n01 5 5 5"))

    def test_without_series(self):
        self.assertIn("has no value", self.warning_with(
            lambda: '{"status":"success","data":{"resultType":"vector","result":[]}}'))

    def test_stale(self):
        self.assertIn("s are allowed", self.warning_with(
            lambda: '{"status":"success","data":{"resultType":"vector","result":'
                    '[{"metric":{"instance":"n00"},"value":[1000,"5"]}]}}'))

    def test_without_an_answer(self):
        self.assertIn("curl", self.warning_with(lambda: None, timeout=0.5))

    def test_nobody_listens(self):
        self.write("site.toml", '[link_load]\nquery = "x"\n')
        _, warnings = self.place(TOFA_LINK_LOAD=f"http://127.0.0.1:{free_port()}")
        self.assertIn("all links are taken to be free", warnings)

    def test_without_a_query(self):
        _, warnings = self.place(TOFA_LINK_LOAD="http://127.0.0.1:9")
        self.assertIn("what shall Prometheus be asked?", warnings)

    def test_a_wrong_site_file(self):
        self.write("site.toml", "[link_load]\nwindows = 5\n")
        _, warnings = self.place(TOFA_LINK_LOAD="http://127.0.0.1:9")
        self.assertIn("site.toml:2", warnings)


if __name__ == "__main__":
    unittest.main()
