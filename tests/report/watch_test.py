"""`scree watch` and `scree run --view`: watch_test.py <scree> [Watch.test_name ...]

The page is requested as browsers do, and as clients without permission do. Headless Chromium watches a run that goes
on. Without Chromium this part is skipped, but not in CI.
"""
import http.client
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from chromium import Chromium

PROGRAM = os.path.abspath(sys.argv[1])

# Grains that fall, with small steps, so that the run lasts longer than the test; and many grains, so that a step takes
# some time: a run that writes 50,000 rows of steps.csv per second is too fast for any reader.
SCENE = """
name = "rain"
time_step = 1e-4
end_time = 600.0
[output]
interval = 0.2
vtk = false
[[materials]]
name = "stone"
density = 2500
[[bodies]]
generate = "random"
count = 150
semi_axes = [0.024, 0.016, 0.012]
region = { type = "box", low = [-0.2, -0.2, 0.05], high = [0.2, 0.2, 0.8] }
[[boundaries]]
name = "floor"
type = "plane"
"""
SHORT = ("--set", "time_step=0.002", "--until", "0.2")
ADDRESS = re.compile(r"^(\S+), on this machine only: (http://127\.0\.0\.1:\d+/[0-9a-f]{32}/)$")


class Watch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.run_folder = os.path.join(self.folder, "out")
        self.scene = os.path.join(self.folder, "rain.toml")
        with open(self.scene, "w", encoding="utf-8") as file:
            file.write(SCENE)

    def start(self, *arguments):
        process = subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        def end():
            process.kill()
            process.wait()
            process.stdout.close()
            process.stderr.close()

        self.addCleanup(end)
        return process

    def address(self, process):
        line = process.stdout.readline()
        found = ADDRESS.match(line)
        self.assertTrue(found, line or process.stderr.read())
        return urllib.parse.urlsplit(found.group(2))

    def finished_run(self):
        subprocess.run([PROGRAM, "run", self.scene, "-q", "-o", self.run_folder, *SHORT], check=True)

    def ask(self, address, path, method="GET", host=None, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", address.port, timeout=20)
        self.addCleanup(connection.close)
        connection.request(method, path, body=body, headers={"Host": host or f"127.0.0.1:{address.port}"})
        answer = connection.getresponse()
        return answer.status, answer.read().decode(), dict(answer.getheaders())

    def raw(self, address, request):
        """All data returned for these bytes until the server closes, or one second passes."""
        with socket.create_connection(("127.0.0.1", address.port), timeout=1) as connection:
            connection.sendall(request)
            answer = b""
            try:
                while more := connection.recv(1 << 16):
                    answer += more
            except (TimeoutError, ConnectionResetError):
                pass
        return answer

    def test_only_the_address_gives_access(self):
        self.finished_run()
        process = self.start("watch", self.run_folder)
        address = self.address(process)
        status, page, headers = self.ask(address, address.path)
        self.assertEqual(status, 200)
        self.assertIn("<title>rain", page)
        self.assertEqual((headers["Cache-Control"], headers["Referrer-Policy"]), ("no-store", "no-referrer"))
        self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
        self.assertNotIn("Access-Control-Allow-Origin", headers)
        token, port = address.path.strip("/"), address.port
        self.assertEqual(self.ask(address, f"/{token}/", host=f"localhost:{port}")[0], 200)

        for host in ("example.org", f"example.org:{port}", "127.0.0.1", f"127.0.0.1:{port}.example.org", f"127.0.0.1:{port + 1}", "x"):
            self.assertEqual(self.ask(address, address.path, host=host)[:2], (403, ""), host)
        wrong = token[:-1] + ("0" if token[-1] != "0" else "1")
        for path in ("/", f"/{wrong}/", f"/{token}", f"/{token.upper()}x/", f"/{token}/../", f"/{token}/../../etc/passwd", f"/{token}/rain.toml",
                     f"/{token}/summary.json", f"/{token}//etc/passwd", f"/{token}/%2e%2e/", "/favicon.ico", f"/?{token}/",
                     f"http://127.0.0.1:{port}/"):
            self.assertEqual(self.ask(address, path)[:2], (404, ""), path)
        for method in ("POST", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE"):
            self.assertEqual(self.ask(address, address.path, method=method)[:2], (405, ""), method)
        self.assertEqual(self.ask(address, address.path, method="POST", body="a" * 100000)[0], 405)

        # Invalid requests and requests without a host get no page, and the server continues.
        for request in (b"\x00\x01\x02\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", f"GET {address.path} HTTP/1.0\r\n\r\n".encode(),
                        f"GET {address.path} HTTP/1.1\r\nHost: {'a' * 100000}\r\n\r\n".encode(), b""):
            self.assertNotIn(b"rain", self.raw(address, request), request[:60])
        # Also not from another interface.
        for other in {entry[4][0] for entry in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {"127.0.0.1"}:
            with self.assertRaises(OSError, msg=other), socket.create_connection((other, port), timeout=2):
                pass
        silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(20)]
        self.assertEqual(self.ask(address, address.path)[0], 200)  # clients that send no request do not block others
        for connection in silent:
            connection.close()

        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=20), 0)
        self.assertEqual(process.stderr.read(), "")

    def test_it_serves_on_where_descriptors_are_few(self):
        """More connections than files it may open, without any request; waiting for room does not keep a core busy."""
        self.finished_run()
        limit = 64
        resource.setrlimit(resource.RLIMIT_NOFILE, (1024, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        process = subprocess.Popen([PROGRAM, "watch", self.run_folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        address = self.address(process)
        browser = http.client.HTTPConnection("127.0.0.1", address.port, timeout=20)  # stays open, with few requests
        self.addCleanup(browser.close)

        def page():
            browser.request("GET", address.path)
            answer = browser.getresponse()
            return answer.status, len(answer.read())

        self.assertEqual(page()[0], 200)
        silent = []
        for k in range(5 * limit):
            silent.append(socket.create_connection(("127.0.0.1", address.port), timeout=20))
            if k % 4 == 0:  # 16 connections may be open; the server accepts new ones a few at a time
                self.assertEqual(page()[0], 200)
        self.assertEqual(self.ask(address, address.path)[0], 200)
        before = os.times().elapsed, self.processor_time(process)
        time.sleep(1.0)
        busy = (self.processor_time(process) - before[1]) / (os.times().elapsed - before[0])
        self.assertLess(busy, 0.1)  # of a core; it was 0.7
        for connection in silent:
            connection.close()
        self.assertEqual(self.ask(address, address.path)[0], 200)

    @staticmethod
    def processor_time(process):
        """s, so far"""
        with open(f"/proc/{process.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def test_two_pages_have_two_tokens_and_ports_are_checked(self):
        self.finished_run()
        first, second = (self.address(self.start("watch", self.run_folder)) for _ in range(2))
        self.assertNotEqual(first.path, second.path)
        self.assertEqual(self.ask(second, first.path)[0], 404)
        taken = subprocess.run([PROGRAM, "watch", self.run_folder, "--port", str(first.port)], capture_output=True, text=True)
        self.assertEqual(taken.returncode, 2)
        self.assertIn("in use", taken.stderr)
        self.assertIn(str(first.port), taken.stderr)
        for wrong in ("65536", "-1", "http"):
            self.assertEqual(subprocess.run([PROGRAM, "watch", self.run_folder, "--port", wrong], capture_output=True).returncode, 2)
        nowhere = subprocess.run([PROGRAM, "watch", os.path.join(self.folder, "nowhere")], capture_output=True, text=True)
        self.assertEqual(nowhere.returncode, 6)
        self.assertIn("no such folder", nowhere.stderr)

    def data(self, address, have):
        """The next data after this version."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            status, text, headers = self.ask(address, f"{address.path}data?have={have}")
            if status == 200:
                self.assertEqual(headers["Content-Type"], "application/json")
                return json.loads(text)
            self.assertEqual((status, text), (204, ""))
            time.sleep(0.1)
        self.fail("there is nothing new")

    @staticmethod
    def end_of_diagrams(data):
        return max((plot["x"][-1] for plot in data["plots"] if plot["over_time"]), default=0)

    def test_frames_come_while_the_run_goes_on_and_it_ends_with_it(self):
        process = self.start("run", self.scene, "-o", self.run_folder, "--view")
        process.stdout.readline()  # the first line of output
        address = self.address(process)
        status, page, _ = self.ask(address, address.path)
        self.assertEqual(status, 200)
        data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL).group(1))
        self.assertGreater(data["version"], 0)
        seen = [data]
        for _ in range(3):
            seen.append(self.data(address, seen[-1]["version"]))
        for before, after in zip(seen, seen[1:]):
            self.assertGreater(after["version"], before["version"])
            self.assertGreater(len(after["view"]["times"]), len(before["view"]["times"]))
            self.assertGreaterEqual(self.end_of_diagrams(after), self.end_of_diagrams(before))
        self.assertGreater(self.end_of_diagrams(seen[-1]), 0)
        self.assertIsNone(seen[-1]["summary"])
        process.send_signal(signal.SIGINT)
        last = self.data(address, seen[-1]["version"])
        while last["version"]:
            last = self.data(address, last["version"])
        self.assertEqual(last["summary"]["status"], "interrupted")
        self.assertAlmostEqual(last["view"]["times"][-1], last["summary"]["simulated_time_s"], places=4)
        process.communicate(timeout=20)
        self.assertEqual(process.returncode, 130)
        with self.assertRaises(OSError):
            self.ask(address, address.path)

    def test_a_run_that_writes_all_the_time_can_be_read(self):
        """A frame every few milliseconds: a reader meets the writer again and again."""
        process = self.start("run", self.scene, "-q", "-o", self.run_folder, "--set", "output.interval=0.005")
        end = time.monotonic() + 20
        while not os.path.exists(os.path.join(self.run_folder, "trajectory.h5")) and time.monotonic() < end:
            time.sleep(0.05)
        for _ in range(5):
            time.sleep(0.2)
            done = subprocess.run([PROGRAM, "report", self.run_folder, "-q"], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIsNone(process.poll(), "the run was too short for this test")

    def test_the_page_dies_with_a_run_that_is_killed(self):
        process = self.start("run", self.scene, "-q", "-o", self.run_folder, "--view")
        address = self.address(process)
        self.assertEqual(self.ask(address, address.path)[0], 200)
        process.kill()
        process.wait()
        end = time.monotonic() + 20
        while time.monotonic() < end:
            try:
                self.ask(address, address.path)
            except OSError:
                return
            time.sleep(0.1)
        self.fail("it is still served")

    def test_open_asks_xdg_open(self):
        self.finished_run()
        programs = os.path.join(self.folder, "bin")
        os.mkdir(programs)
        said = os.path.join(self.folder, "said")
        with open(os.path.join(programs, "xdg-open"), "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\necho "$1" > {said}.part; mv {said}.part {said}\n')
        os.chmod(os.path.join(programs, "xdg-open"), 0o755)
        process = subprocess.Popen([PROGRAM, "watch", self.run_folder, "--open"], stdout=subprocess.PIPE, text=True,
                                   env=dict(os.environ, PATH=programs + ":" + os.environ["PATH"]))
        self.addCleanup(process.stdout.close)
        address = self.address(process)
        end = time.monotonic() + 20
        while not os.path.exists(said) and time.monotonic() < end:
            time.sleep(0.05)
        with open(said, encoding="utf-8") as file:
            self.assertEqual(file.read().strip(), address.geturl())
        process.terminate()
        self.assertEqual(process.wait(timeout=20), 0)

    def test_a_browser_sees_frames_come(self):
        if not Chromium.is_here():
            self.assertNotEqual(os.environ.get("CI"), "true", "there is no Chromium")
            self.skipTest("no Chromium here (Debian: chromium), so nobody has looked at the page")
        process = self.start("run", self.scene, "-q", "-o", self.run_folder, "--view")
        address = self.address(process)
        browser = Chromium(self.folder)
        self.addCleanup(browser.close)
        browser.open(address.geturl())
        browser.wait_for("document.body && document.body.dataset.state")
        self.assertEqual(browser.value("document.body.dataset.state"), "ready")
        now = """(() => ({ atEnd: document.getElementById("time").max === document.getElementById("time").value, clock: document.getElementById("clock").textContent, status: document.getElementById("status").textContent,
            diagrams: document.querySelectorAll(".uplot").length, version: Number(document.body.dataset.version || 0) }))()"""
        first = browser.value(now)
        self.assertEqual((first["status"], first["atEnd"]), ("running", True))
        browser.wait_for(f"{now}.version > {first['version']}")
        second = browser.value(now)
        self.assertTrue(second["atEnd"])  # a viewer at the last frame stays at the last frame
        self.assertNotEqual(second["clock"], first["clock"])
        self.assertGreaterEqual(second["diagrams"], 10)
        # A viewer at an earlier frame stays there.
        browser.value('const slider = document.getElementById("time"); slider.value = 1; slider.dispatchEvent(new Event("input"));')
        earlier = browser.value(now)
        self.assertFalse(earlier["atEnd"])
        browser.wait_for(f"{now}.version > {earlier['version']}")
        self.assertEqual((browser.value(now)["atEnd"], browser.value(now)["clock"]), (False, earlier["clock"]))
        if os.environ.get("SCREE_WATCH_PICTURE"):
            browser.picture(os.environ["SCREE_WATCH_PICTURE"])
        process.send_signal(signal.SIGINT)
        browser.wait_for(f"{now}.status === 'interrupted'")
        self.assertIn("Verdict", browser.value('document.getElementById("verdict-title").textContent'))
        process.communicate(timeout=20)
        self.assertEqual(process.returncode, 130)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
