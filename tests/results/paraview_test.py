"""Draws a made-up run with ParaView's own pvbatch and compares the picture with rays. Without ParaView it skips.

usage: paraview_test.py WRITE_EXAMPLE_RESULTS
"""
import os
import shutil
import subprocess
import sys
import tempfile

SKIP = 77

pvbatch = shutil.which("pvbatch")
if not pvbatch:
    print("SKIPPED: pvbatch is not installed (Debian: paraview)")
    sys.exit(SKIP)
# Without -noreset Xvfb restarts when a client leaves, and ParaView sometimes connects at this moment.
screen = [] if os.environ.get("DISPLAY") else ["xvfb-run", "-a", "-s", "-screen 0 1600x1200x24 -noreset"]
if screen and not shutil.which(screen[0]):
    print("SKIPPED: there is no display and no xvfb-run (Debian: xvfb, xauth)")
    sys.exit(SKIP)
script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "paraview_picture.py")
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([sys.argv[1], folder], check=True)
    sys.exit(subprocess.run([*screen, pvbatch, script, folder], timeout=280).returncode)
