"""Instructions of a bounded step with a break: breaks_test.py PIECEWISE_STEPS. 77: no valgrind here."""

import json
import re
import shutil
import subprocess
import sys
import tempfile

MOST = 1.5  # times a smooth step: the bound for a step in real time


def instructions(program, function, folder):
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", "--collect-atstart=no",
               f"--toggle-collect=*{function}*", program, "break"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(re.search(r"Collected\s*:\s*(\d+)", done.stderr)[1]), json.loads(done.stdout)


def main():
    if not shutil.which("valgrind"):
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        smooth, counts = instructions(sys.argv[1], "counted_smooth", folder)
        broken, _ = instructions(sys.argv[1], "counted_broken", folder)
    smooth, broken = smooth / counts["smooth"], broken / counts["broken"]
    print(f"a smooth step {smooth:.0f} instructions, a step with a break {broken:.0f}: {broken / smooth:.2f} times; "
          f"{counts['smooth']} and {counts['broken']} steps, {counts['calls_smooth'] / counts['smooth']:.2f} and "
          f"{counts['calls_broken'] / counts['broken']:.2f} calls of f")
    if counts["broken"] < 20 or broken > MOST * smooth:
        sys.exit(1)


if __name__ == "__main__":
    main()
