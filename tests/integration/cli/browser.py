# SPDX-License-Identifier: BSD-3-Clause
"""A browser to look at pages with, as far as tests need one: Chromium, spoken to over a pair of pipes in its DevTools
protocol, so that it opens no port."""
import json
import os
import select
import shutil
import signal
import subprocess
import time

PROGRAM = shutil.which("chromium")
DEADLINE = 120  # seconds; a busy machine starts a browser slowly
KEY_CODES = {"Tab": 9, "Enter": 13, "PageDown": 34, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
             "ArrowDown": 40, "+": 187, "-": 189}


class Browser:
    """A browser, which takes seconds to start, with one page at a time. `complaints` are the errors and warnings that its
    console shows."""

    def __init__(self, folder):
        self.complaints = []
        self._number = 0
        self._buffer = b""
        self._page = self._session = None
        commands, self._commands = os.pipe()
        self._answers, answers = os.pipe()

        def at_3_and_4():
            # Through other numbers first, since either may be 3 or 4 itself.
            first, second = os.dup(commands), os.dup(answers)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self._process = subprocess.Popen(
            [PROGRAM, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--window-size=1280,1600",
             f"--user-data-dir={folder}/browser"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=at_3_and_4, close_fds=False)
        os.close(commands)
        os.close(answers)
        self.renew()

    def renew(self):
        """A new page, which knows nothing of the one before: neither where the mouse was nor what had the focus."""
        self._session, before = None, self._page
        self._page = self.call("Target.createTarget", url="about:blank")["targetId"]
        if before:
            self.call("Target.closeTarget", targetId=before)
        self._session = self.call("Target.attachToTarget", targetId=self._page, flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Page"):
            self.call(f"{domain}.enable")
        self.complaints.clear()

    def close(self):
        os.close(self._commands)
        os.close(self._answers)
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()

    def _read(self, deadline):
        while b"\0" not in self._buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._answers], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self._answers, 1 << 20)
            if not part:
                raise EOFError("the browser has ended")
            self._buffer += part
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def _note(self, message):
        parameters = message.get("params", {})
        if message["method"] == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description") or details["text"])
        elif message["method"] == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.complaints.append(parameters["entry"]["text"])
        elif message["method"] == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.complaints.append(str(parameters["args"]))

    def call(self, method, **parameters):
        self._number += 1
        command = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            command["sessionId"] = self._session
        data = json.dumps(command).encode() + b"\0"
        while data:
            data = data[os.write(self._commands, data):]
        deadline = time.monotonic() + DEADLINE
        while True:
            answer = self._read(deadline)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            if "method" in answer:
                self._note(answer)

    def open(self, path, ground="light"):
        """Shows a file, once it is loaded and its scripts have run."""
        self.complaints.clear()
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": ground}])
        self.call("Page.navigate", url=f"file://{os.path.abspath(path)}")
        self.wait_for("document.readyState === 'complete' && location.protocol === 'file:'")

    def ask(self, expression):
        """What a JavaScript expression is in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait_for(self, expression):
        deadline = time.monotonic() + DEADLINE
        while not self.ask(expression):
            if time.monotonic() > deadline:
                raise TimeoutError(f"in the page, this did not become true: {expression}")
            time.sleep(0.05)

    def press(self, key, modifiers=0):
        """A key that goes down and up again, such as "Tab" or "ArrowDown"."""
        code = KEY_CODES[key]
        text = {"Enter": "\r"}.get(key)
        down = {"type": "keyDown", "key": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        self.call("Input.dispatchKeyEvent", **down, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code, modifiers=modifiers)

    def point(self, x, y):
        """The mouse, with no button down, to a point of the window."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def drag(self, start, end):
        """The mouse, with its left button down from one point of the window to another."""
        steps = [(start[0] + (end[0] - start[0]) * part / 4, start[1] + (end[1] - start[1]) * part / 4) for part in range(5)]
        self.call("Input.dispatchMouseEvent", type="mousePressed", x=start[0], y=start[1], button="left", buttons=1, clickCount=1)
        for x, y in steps:
            self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, button="left", buttons=1)
        self.call("Input.dispatchMouseEvent", type="mouseReleased", x=end[0], y=end[1], button="left", buttons=0, clickCount=1)
