"""Runs every command of a page of docs/, in order, in its own folder.

Blocks: `sh` runs in bash and must succeed. `toml` with the first line '# file: NAME' becomes this file. `python` runs
in Debian's interpreter, which has h5py.

usage: cookbook_test.py SCREE SOURCE_FOLDER PAGE.md
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def main() -> int:
    scree, source = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    page = (source / "docs" / sys.argv[3]).read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) > 10, "the page has lost its blocks"
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(source / "scenes", os.path.join(folder, "scenes"))
        environment = dict(os.environ, PATH=f"{scree.parent}:{os.environ['PATH']}")
        for language, text in blocks:
            if language == "toml":
                name = re.match(r"# file: (\S+)\n", text)
                assert name, f"a TOML block without '# file: NAME':\n{text}"
                pathlib.Path(folder, name.group(1)).write_text(text, encoding="utf-8")
                continue
            command = {"sh": ["bash", "-e", "-c", text], "python": [sys.executable, "-c", text]}[language]
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
            if done.returncode != 0:
                print(f"status {done.returncode} from:\n{text}\n{done.stdout}\n{done.stderr}")
                return 1
    print(f"{len(blocks)} blocks ran")
    return 0


if __name__ == "__main__":
    sys.exit(main())
