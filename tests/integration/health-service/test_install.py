# SPDX-License-Identifier: BSD-3-Clause
"""What is installed works from where it was installed: units name the programs below that prefix."""
import glob
import os
import re
import subprocess
import tempfile
import unittest

from service import DEADLINE


class Install(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tofa-install-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def install(self, prefix, stage=""):
        subprocess.run([os.environ["TOFA_CMAKE"], "--install", os.environ["TOFA_BUILD"], "--prefix", prefix],
                       check=True, capture_output=True, timeout=DEADLINE, cwd=self.folder,
                       env={**os.environ, "DESTDIR": stage})

    def check_units(self, prefix, stage=""):
        units = glob.glob(f"{stage}{prefix}/lib/systemd/system/*.service")
        self.assertEqual(len(units), 4)
        for unit in units:
            with open(unit) as file:
                programs = re.findall(r"^ExecStart(?:Pre)?=(\S+)", file.read(), re.MULTILINE)
            self.assertNotEqual(programs, [])
            for program in programs:
                self.assertEqual(os.path.dirname(program), f"{prefix}/bin")
                self.assertTrue(os.access(stage + program, os.X_OK), program)

    def test_units_start_the_programs_of_their_prefix(self):
        for name in ("one", "another"):
            prefix = os.path.join(self.folder, name)
            self.install(prefix)
            self.check_units(prefix)

    def test_a_folder_that_is_mounted_late_is_waited_for(self):
        self.install(self.folder)
        for unit in glob.glob(f"{self.folder}/lib/systemd/system/*.service"):
            with open(unit) as file:
                text = file.read()
            self.assertRegex(text, r"\nAfter=.*\bremote-fs\.target\b", unit)
            self.assertIn("\nStartLimitIntervalSec=0\n", text, unit)
            self.assertNotIn("RequiresMountsFor", text, f"{unit}: systemd would not try again")
            self.assertRegex(text, r"\nRestart=(always|on-failure)\n", unit)

    def test_the_gateway_is_given_its_port(self):
        self.install(self.folder)
        with open(f"{self.folder}/lib/systemd/system/tofa-pmix-gateway.service") as file:
            unit = file.read()
        self.assertIn("\nRequires=tofa-pmix-gateway.socket\n", unit)
        self.assertNotIn("--listen", unit)
        with open(f"{self.folder}/lib/systemd/system/tofa-pmix-gateway.socket") as file:
            self.assertIn("\nListenStream=127.0.0.1:7412\n", file.read())

    def test_state_is_private_and_the_snapshot_is_not(self):
        self.install(self.folder)
        with open(f"{self.folder}/lib/systemd/system/tofa-healthd.service") as file:
            unit = file.read().splitlines()
        self.assertIn("StateDirectoryMode=0700", unit)
        self.assertIn("RuntimeDirectory=tofa tofa-health", unit)
        self.assertEqual([line for line in unit if line.startswith(("RuntimeDirectoryMode=", "UMask="))], [],
                         "the gateway is another user")

    def test_relative_prefix(self):
        self.install("here")
        self.check_units(os.path.join(self.folder, "here"))

    def test_staged(self):
        self.install("/opt/tofa", stage=self.folder)
        self.check_units("/opt/tofa", stage=self.folder)


if __name__ == "__main__":
    unittest.main(verbosity=2)
