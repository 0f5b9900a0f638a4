"""docs/python.md: all Python code of the page, from top to bottom, in a separate interpreter."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]


class Tutorial(unittest.TestCase):
    def test_the_page_runs(self):
        page = (SOURCE / "docs/python.md").read_text(encoding="utf-8")
        blocks = re.findall(r"^```python(?: file=(\S+))?\n(.*?)^```", page, re.M | re.S)
        self.assertGreater(len(blocks), 8)
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(SOURCE / "scenes", Path(folder) / "scenes")
            script = []
            for name, text in blocks:
                if name:
                    (Path(folder) / name).write_text(text, encoding="utf-8")
                else:
                    script.append(text)
            body = "\n".join("    " + line for line in "\n".join(script).splitlines())
            (Path(folder) / "page.py").write_text(f"if __name__ == '__main__':\n{body}\n", encoding="utf-8")
            done = subprocess.run([sys.executable, "page.py"], cwd=folder, capture_output=True, text=True, timeout=250)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            for picture in ("drum_power.png", "energy.png", "frame.png", "heap.png"):
                self.assertGreater((Path(folder) / picture).stat().st_size, 5000, picture)
            for words in ("time_step | is out of range", "did you mean", "finished green"):
                self.assertIn(words, done.stdout)
            if "SCREE_KEEP" in os.environ:
                print(done.stdout)
                subprocess.run(["cp", "-r", folder, os.environ["SCREE_KEEP"]], check=True)


if __name__ == "__main__":
    unittest.main(verbosity=2)
