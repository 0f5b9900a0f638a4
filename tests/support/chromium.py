"""Chromium without a window, for tests of pages."""
import base64
import json
import os
import shutil
import subprocess
import time


class Chromium:
    """Headless, controlled by the DevTools protocol through its pipe: JSON, each message ended by a zero byte."""

    @staticmethod
    def is_here():
        return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

    def __init__(self, folder):
        into, self.out = os.pipe()
        self.back, outof = os.pipe()
        command = [self.is_here(), "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--use-angle=swiftshader",
                   "--enable-unsafe-swiftshader", "--remote-debugging-pipe", f"--user-data-dir={folder}/profile", "about:blank"]
        # Its ends of the pipe must be 3 and 4.
        shell = 'exec "$@" 3<&%d 4>&%d' % (into, outof)
        self.process = subprocess.Popen(["bash", "-c", shell, "chromium", *command], pass_fds=(into, outof),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(into)
        os.close(outof)
        self.number, self.rest, self.session = 0, b"", None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def ask(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                more = os.read(self.back, 1 << 16)
                assert more, "Chromium has ended"
                self.rest += more
            text, _, self.rest = self.rest.partition(b"\0")
            answer = json.loads(text)
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]

    def open(self, url, width=700, height=500):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        answer = self.ask("Page.navigate", url=url)
        assert "errorText" not in answer, answer
        self.wait_for(f"location.href === {json.dumps(url)}")

    def value(self, expression):
        return self.ask("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def wait_for(self, expression, seconds=200):  # software rendering on a busy machine is slow
        end = time.monotonic() + seconds
        while not self.value(expression):
            assert time.monotonic() < end, (expression, self.value("document.body.outerText"))
            time.sleep(0.2)

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("Page.captureScreenshot")["data"]))

    def close(self):
        self.process.terminate()
        self.process.wait()
        os.close(self.out)
        os.close(self.back)
