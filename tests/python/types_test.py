"""Types for editors and type checkers: mypy over the package, and the stub of the module against the module."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
OPTIONS = ("--strict", "--ignore-missing-imports", "--allow-subclassing-any")  # others would need a cache of their own


@unittest.skipUnless(shutil.which("mypy"), "mypy is not there (Debian: mypy)")
class Types(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cache = tempfile.TemporaryDirectory()  # one for all, so that NumPy is read once
        cls.addClassCleanup(cache.cleanup)
        cls.cache = cache.name

    def mypy(self, *command, **environment):
        return subprocess.run([*command], cwd=self.cache, capture_output=True, text=True, timeout=250,
                              env={**os.environ, "MYPY_CACHE_DIR": self.cache, **environment})

    def check(self, *command):
        done = self.mypy(*command)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_package_is_typed(self):
        self.check("mypy", *OPTIONS, str(SOURCE / "python/scree"))

    def test_the_stub_is_that_of_the_module(self):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as allowed:
            # pybind11's classes have their own metaclass; classes that Python cannot construct have an __init__ that
            # raises an error.
            allowed.write("scree\\._scree\\.\\w+\nscree\\._scree\\.\\w+\\.__init__\n")
            allowed.flush()
            self.check(sys.executable, "-m", "mypy.stubtest", "scree._scree", "--ignore-missing-stub", "--allowlist", allowed.name,
                       "--ignore-unused-allowlist")

    def test_a_users_script_is_checked(self):
        with tempfile.TemporaryDirectory() as folder:
            good = Path(folder) / "good.py"
            good.write_text("import scree\nrun = scree.Run('a.toml')\nn: int = run.step_number\nrun.until(1.0).time_s + 1.0\n"
                            "for r in run.steps(every=0.1):\n    print(r.happened)\n")
            bad = Path(folder) / "bad.py"
            bad.write_text("import scree\nscree.Run('a.toml', thread=2)\nscree.Run('a.toml').stepp()\n")
            for file, status in ((good, 0), (bad, 1)):
                done = self.mypy("mypy", *OPTIONS, str(file), MYPYPATH=str(SOURCE / "python"))
                self.assertEqual(done.returncode, status, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
