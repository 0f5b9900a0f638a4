"""Runs the Python example of docs/file_formats.md without changes. Without h5py it skips, but not in CI."""
import os
import re
import subprocess
import sys
import tempfile

SKIP = 77

try:
    import h5py  # noqa: F401
except ImportError:
    print("h5py is not installed (Debian: python3-h5py)")
    sys.exit(1 if os.environ.get("CI") == "true" else SKIP)

writer, document = sys.argv[1:3]
with open(document, encoding="utf-8") as file:
    examples = re.findall(r"```python\n(.*?)```", file.read(), re.DOTALL)
assert len(examples) == 1, "docs/file_formats.md has to hold one Python example"
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([writer, folder], check=True)
    shown = subprocess.run([sys.executable, "-c", examples[0]], cwd=folder, check=True, capture_output=True, text=True)
print(shown.stdout)
# The made-up run has 50 bodies of speed 1 m/s and 6 frames.
assert "example: 6 frames of 50 bodies" in shown.stdout
assert "it moves from [" in shown.stdout
