"""A headless Chromium, spoken to over its debugging pipe."""
import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def find():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return name
    return None


class Browser:
    """One page. call() is a method of the DevTools protocol, js() an expression, which may
    be a promise; requests holds what was loaded, problems what the console said."""

    def __init__(self, program):
        self.folder = tempfile.mkdtemp()
        read, self.to = os.pipe()
        self.source, write = os.pipe()
        child = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (read, write)]

        def connect():
            os.dup2(child[0], 3)
            os.dup2(child[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--no-first-run", "--disable-extensions", "--disable-background-networking",
             "--disable-dev-shm-usage", f"--user-data-dir={self.folder}",
             "--remote-debugging-pipe"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=connect, pass_fds=(3, 4))
        for end in (read, write, *child):
            os.close(end)
        self.buffer, self.number, self.session = b"", 0, None
        self.requests, self.problems, self.loads = [], [], 0
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log", "DOM", "Accessibility"):
            self.call(domain + ".enable")

    def message(self, limit_s):
        end = time.monotonic() + limit_s
        while b"\0" not in self.buffer:
            if not select.select([self.source], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            piece = os.read(self.source, 1 << 20)
            if not piece:
                raise ConnectionError("the browser ended")
            self.buffer += piece
        line, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(line)

    def keep(self, event):
        method, of = event.get("method", ""), event.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(of["request"]["url"])
        elif method == "Page.loadEventFired":
            self.loads += 1
        elif method == "Runtime.exceptionThrown":
            self.problems.append(of["exceptionDetails"].get("exception", {}).get("description", ""))
        elif method == "Log.entryAdded" and of["entry"]["level"] == "error":
            self.problems.append(of["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and of["type"] == "error":
            self.problems.append(str(of["args"]))

    def call(self, method, **parameters):
        self.number += 1
        words = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            words["sessionId"] = self.session
        os.write(self.to, json.dumps(words).encode() + b"\0")
        while True:
            answer = self.message(120)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.keep(answer)

    def js(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"].get("description", ""))
        return answer["result"].get("value")

    def open(self, url):
        """Loads the page anew, also where only its fragment differs."""
        for address in ("about:blank", url):
            before = self.loads
            self.call("Page.navigate", url=address)
            while self.loads == before:
                self.keep(self.message(60))
        self.js("page.ready")

    def key(self, key, code=0, modifiers=0):
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                      windowsVirtualKeyCode=code, modifiers=modifiers)

    def view(self, width, height, scheme):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, path):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(data["data"]))

    def choose(self, selector, path):
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[path])

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (ConnectionError, OSError, TimeoutError):
            pass
        self.process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)
