"""Drives a headless Chromium over its DevTools pipe.

Waits only for responses. Events are dropped, except for exceptions in a page's script, which raise an error.
"""

import fcntl
import itertools
import json
import os
import select
import signal
import subprocess
import tempfile
import time

# The file descriptors that `--remote-debugging-pipe` reads and writes; our own ends are above both.
_READS, _WRITES = 3, 4

_SWITCHES = [
    "--headless",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--hide-scrollbars",
    "--disable-gpu",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
    # Of two pages, at least one is in the background, which must not slow it down.
    "--disable-renderer-backgrounding",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
]


def _pipe():
    """A pipe whose descriptors don't collide with others, and aren't inherited by programs."""
    low = os.pipe()
    high = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in low]
    for end in low:
        os.close(end)
    return high


class ProtocolError(Exception):
    """A command has failed."""


class ScriptError(Exception):
    """A script of a page has failed, or one that was run in it."""

    def __init__(self, details):
        super().__init__(details.get("exception", {}).get("description", details["text"]))


class Chromium:
    """A browser with its own profile, both of which are removed at the end of a `with`."""

    def __init__(self, program, limit=120):
        self.limit = limit
        self.ids = itertools.count(1)
        self.rest = b""
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        # Only pages of our own are opened; as root, Chromium has no sandbox.
        switches = _SWITCHES + (["--no-sandbox"] if os.geteuid() == 0 else [])
        browser_input, self.requests = _pipe()
        self.answers, browser_output = _pipe()

        def place():
            os.dup2(browser_input, _READS)
            os.dup2(browser_output, _WRITES)

        self.process = subprocess.Popen(
            [program, *switches, f"--user-data-dir={self.profile.name}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            close_fds=False, preexec_fn=place, start_new_session=True,
        )
        os.close(browser_input)
        os.close(browser_output)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.post("Browser.close")
            self.process.wait(timeout=10)
        except (OSError, EOFError, subprocess.TimeoutExpired):
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self.requests)
        os.close(self.answers)
        self.profile.cleanup()

    def post(self, method, parameters=None, session=None):
        """Sends a command without waiting for the response."""
        # Read the pending messages first, because a full pipe would block the browser.
        for _ in self._messages(0):
            pass
        message = {"id": next(self.ids), "method": method, "params": parameters or {}}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.requests, data):]
        return message["id"]

    def send(self, method, parameters=None, session=None):
        """Sends a command; returns the result of its response."""
        asked = self.post(method, parameters, session)
        end = time.monotonic() + self.limit
        while (left := end - time.monotonic()) > 0:
            for message in self._messages(left):
                if message.get("id") == asked:
                    if "error" in message:
                        raise ProtocolError(f"{method}: {message['error']['message']}")
                    return message["result"]
        raise TimeoutError(f"{method} was not answered")

    def _messages(self, seconds):
        """Yields messages that are pending or arrive within some seconds. Callers drop those that they don't await."""
        while select.select([self.answers], [], [], seconds)[0]:
            data = os.read(self.answers, 1 << 20)
            if not data:
                raise EOFError("Chromium has ended")
            self.rest += data
            *whole, self.rest = self.rest.split(b"\0")
            # Check all messages before yielding any: the caller stops at the response that it awaits.
            messages = [json.loads(each) for each in whole]
            for message in messages:
                if message.get("method") == "Runtime.exceptionThrown":
                    raise ScriptError(message["params"]["exceptionDetails"])
            if messages:
                yield from messages
                seconds = 0

    def page(self, width=1280, height=800):
        """A page in a browser context of its own, with separate cookies, cache and storage."""
        context = self.send("Target.createBrowserContext")["browserContextId"]
        return Page(self, context, width, height)


class Page:
    """A page, which is closed with its context at the end of a `with`."""

    def __init__(self, browser, context, width, height):
        self.browser, self.context, self.session = browser, context, None
        target = browser.send("Target.createTarget", {"url": "about:blank", "browserContextId": context})["targetId"]
        self.session = browser.send("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ["Page", "Runtime"]:
            self.send(f"{domain}.enable")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.send("Emulation.setDeviceMetricsOverride", **size)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.browser.send("Target.disposeBrowserContext", {"browserContextId": self.context})

    def send(self, method, **parameters):
        return self.browser.send(method, parameters, self.session)

    def before_scripts(self, script):
        """Runs a script in each document that is opened from now on, before the document's own scripts."""
        self.send("Page.addScriptToEvaluateOnNewDocument", source=script)

    def open(self, address):
        """Navigates to an address, without waiting for it to load."""
        answer = self.send("Page.navigate", url=address)
        if "errorText" in answer:
            raise ProtocolError(f"{address}: {answer['errorText']}")

    def run(self, expression):
        """The value of an expression, or of the promise that it returns."""
        answer = self.send(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True, userGesture=True
        )
        if "exceptionDetails" in answer:
            raise ScriptError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def wait(self, condition, limit=120):
        """Waits until an expression is true."""
        end = time.monotonic() + limit
        while not self._is_true(condition):
            if time.monotonic() > end:
                raise TimeoutError(f"it never became true: {condition}")
            time.sleep(0.02)

    def _is_true(self, condition):
        try:
            return self.run(f"Boolean({condition})")
        except ProtocolError:
            # Between two documents, there is none to evaluate it in.
            return False

    def mouse(self, kind, x, y, is_held=True, waits=True):
        """Dispatches `mouseMoved`, `mousePressed` or `mouseReleased`; `is_held` tells whether the button is down."""
        parameters = {
            "type": kind, "x": x, "y": y, "clickCount": 0 if kind == "mouseMoved" else 1,
            "button": "left" if is_held or kind != "mouseMoved" else "none",
            "buttons": 1 if is_held and kind != "mouseReleased" else 0,
        }
        ask = self.browser.send if waits else self.browser.post
        ask("Input.dispatchMouseEvent", parameters, self.session)
