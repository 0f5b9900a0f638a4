"""Scenes on pages of the documentation are scenes without errors: pages_test.py <scree> <project>

Each block of TOML with [[materials]] on the pages for users of other codes is a whole scene.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM, PROJECT = (pathlib.Path(path).resolve() for path in sys.argv[1:3])


class Pages(unittest.TestCase):
    def test_scenes_for_users_of_other_codes(self):
        found = 0
        for page in sorted((PROJECT / "docs").glob("from_*.md")):
            for block in re.findall(r"^```toml\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE):
                if "[[materials]]" not in block:
                    continue
                found += 1
                with self.subTest(page=page.name), tempfile.TemporaryDirectory() as folder:
                    scene = pathlib.Path(folder, "scene.toml")
                    scene.write_text(block)
                    done = subprocess.run([PROGRAM, "check", "--quick", scene], capture_output=True, text=True,
                                          timeout=60)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertGreaterEqual(found, 5)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
