# SPDX-License-Identifier: BSD-3-Clause
"""A tofa-healthd with a socket for admins, for the tests of what they may tell it."""
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess

from service import BIN, DEADLINE, ServiceTest, wait_until

GROUP = "games"  # of Debian's own, without members
NOBODY = 65534


class ControlTest(ServiceTest):
    def setUp(self):
        super().setUp()
        self.program = os.path.join(BIN, "tofa")
        self.socket = self.service.path("control.sock")
        os.chmod(self.service.folder, 0o755)  # others find the socket
        self.configure()

    def configure(self, group=None, path=None):
        self.service.write_config(more=f'[control]\nsocket = "{path or self.socket}"\n' +
                                  (f'group = "{group}"\n' if group else ""))

    def start(self):
        def opened():
            return self.service.log("tofa-healthd.log").count("may change things")
        before = opened()
        healthd = self.service.start_healthd()
        wait_until(lambda: healthd.poll() is not None or opened() > before, "the socket")
        self.assert_running(healthd)
        return healthd

    def start_all(self):
        agents = self.service.start_agents()
        healthd = self.start()
        for host in agents:
            self.service.wait_for_state(host, "up")
        return agents, healthd

    def let_others_in(self):
        """A copy of the command that other users can run, wherever this was built."""
        self.program = shutil.copy(self.program, self.service.folder)
        os.chmod(self.program, 0o755)
        if subprocess.run(["/usr/bin/test", "-x", self.program], user=NOBODY, group=NOBODY, extra_groups=[],
                          check=False).returncode != 0:
            self.skipTest(f"other users do not reach {self.service.folder}")

    def tofa(self, *arguments, path=None, deadline=60, **who):
        return subprocess.run([self.program, "health", *arguments, "--socket", path or self.socket,
                               "--deadline", str(deadline)], capture_output=True, text=True, timeout=DEADLINE, **who)

    def done(self, *arguments, **who):
        result = self.tofa(*arguments, **who)
        self.assertEqual((result.returncode, result.stderr), (0, ""), arguments)
        return result.stdout

    def refused(self, *arguments, status=1, **who):
        result = self.tofa(*arguments, **who)
        self.assertEqual((result.returncode, result.stdout), (status, ""), result.stderr)
        self.assertTrue(result.stderr.startswith("tofa: "), result.stderr)
        return result.stderr

    def changes(self):
        return json.loads(self.done("export", "--json"))["changes"]

    def excluded(self, host):
        return self.service.hosts()[host].get("excluded")

    def reload(self, healthd):
        log = "tofa-healthd.log"
        before = self.service.log(log).count("configuration")
        healthd.send_signal(signal.SIGHUP)
        wait_until(lambda: self.service.log(log).count("configuration") > before, "the reload")

    def connect(self):
        client = socket.socket(socket.AF_UNIX)
        self.addCleanup(client.close)
        client.setblocking(False)

        def connected():
            try:
                client.connect(self.socket)
                return True
            except BlockingIOError:  # as many wait as may
                return False
        wait_until(connected, "the daemon to accept")
        client.settimeout(DEADLINE)
        return client

    def say(self, data, end=True):
        """What the daemon answers to these bytes; everything up to the end of the connection."""
        client = self.connect()
        with contextlib.suppress(BrokenPipeError):  # it has heard enough
            client.sendall(data)
        if end:
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_WR)
        answer = b""
        with contextlib.suppress(ConnectionResetError):
            while part := client.recv(65536):
                answer += part
        return json.loads(answer) if answer else None
