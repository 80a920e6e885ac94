# SPDX-License-Identifier: BSD-3-Clause
"""Mistakes in the daemons are hard to make more of: how they are linked, and what their units leave them."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from service import BIN, DEADLINE

PROGRAMS = ("tofa-noded", "tofa-healthd", "tofa-pmix-gateway", "tofa-health-web", "tofa-query",
            "tofa-slurm-nodes")
MOST_EXPOSURE = 20  # tenths; 100 is a service without any limits


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=DEADLINE,
                          env={**os.environ, "LC_ALL": "C"}).stdout


@unittest.skipUnless(shutil.which("readelf"), "there is no readelf, of the package binutils")
class Programs(unittest.TestCase):
    def test_how_they_are_linked(self):
        for name in PROGRAMS:
            with self.subTest(name):
                path = os.path.join(BIN, name)
                self.assertRegex(output_of("readelf", "-hW", path), r"Type:\s+DYN", "loaded anywhere in memory")
                segments = output_of("readelf", "-lW", path)
                self.assertIn("GNU_RELRO", segments)
                self.assertRegex(segments, r"GNU_STACK\s+(0x\w+\s+){5}RW\s", "a stack without code")
                dynamic = output_of("readelf", "-dW", path)
                self.assertRegex(dynamic, r"FLAGS_1.*NOW.*PIE")
                self.assertNotRegex(dynamic, r"R(UN)?PATH.*[:\[]\.", "libraries of the working directory")
                symbols = output_of("readelf", "-sW", path)
                self.assertIn("__stack_chk_fail", symbols)
                self.assertIn("__memcpy_chk", symbols, "_FORTIFY_SOURCE")

    def test_what_every_node_has_to_load(self):
        """Of a shared library the agent would read much more than it calls: bench/health_scale.py."""
        dynamic = output_of("readelf", "-dW", os.path.join(BIN, "tofa-noded"))
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
        self.assertIn("libsodium", [name.split(".so")[0] for name in needed])
        self.assertLessEqual({name.split(".so")[0] for name in needed},
                             {"libsodium", "libc", "libm", "libpthread", "ld-linux-x86-64", "ld-linux-aarch64"})


@unittest.skipUnless(shutil.which("systemd-analyze"), "there is no systemd-analyze, of the package systemd")
class Units(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tofa-units-")
        self.addCleanup(folder.cleanup)
        subprocess.run([os.environ["TOFA_CMAKE"], "--install", os.environ["TOFA_BUILD"], "--prefix", folder.name],
                       check=True, capture_output=True, timeout=DEADLINE, cwd=folder.name)
        self.folder = f"{folder.name}/lib/systemd/system"
        self.services = sorted(name for name in os.listdir(self.folder) if name.endswith(".service"))

    def analyze(self, *arguments):
        result = subprocess.run(["systemd-analyze", "--no-pager", *arguments], capture_output=True, text=True,
                                timeout=DEADLINE, env={**os.environ, "LC_ALL": "C.UTF-8"})
        return result.returncode, result.stdout + result.stderr

    def test_what_they_leave_exposed(self):
        self.assertEqual(len(self.services), 4)
        for name in self.services:
            with self.subTest(name):
                status, said = self.analyze("security", "--offline=true", f"--threshold={MOST_EXPOSURE}",
                                            f"{self.folder}/{name}")
                self.assertIn(f"Overall exposure level for {name}", said)
                self.assertEqual(status, 0, said)

    def test_who_starts_processes_outlives_one_that_takes_too_much_memory(self):
        for name in ("tofa-noded.service", "tofa-pmix-gateway.service"):
            with open(f"{self.folder}/{name}") as unit:
                text = unit.read()
            self.assertRegex(text, "(?m)^MemoryMax=")
            self.assertRegex(text, "(?m)^OOMPolicy=continue$", name)

    def test_nothing_in_them_is_misspelt(self):
        for name in sorted(os.listdir(self.folder)):
            with self.subTest(name):
                _, said = self.analyze("verify", "--man=no", f"{self.folder}/{name}")
                self.assertEqual([line for line in said.splitlines() if re.search(rf"{name}:\d+:", line)], [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
