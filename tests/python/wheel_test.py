"""The wheel from python/build_backend.py for pip: it is complete, and uses this build instead of a new one."""

import base64
import csv
import hashlib
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path
from unittest import mock

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "python"))
import build_backend  # noqa: E402


class Wheel(unittest.TestCase):
    def test_a_wheel_is_whole_and_runs(self):
        build = Path(os.environ.get("SCREE_BUILD", SOURCE / "build/release"))
        with tempfile.TemporaryDirectory() as folder:
            with mock.patch.object(build_backend, "_compile") as compiled, \
                    mock.patch.object(build_backend, "_build_folder", return_value=build):
                name = build_backend.build_wheel(folder, {"cmake": "-DSCREE_VTK=OFF"})
                compiled.assert_called_once_with(build, "-DSCREE_VTK=OFF")
            metadata = build_backend.prepare_metadata_for_build_wheel(folder)
            root = Path(folder) / "root"
            with zipfile.ZipFile(Path(folder) / name) as wheel:
                self.assertIsNone(wheel.testzip())
                record = list(csv.reader(io.StringIO(wheel.read(f"{metadata}/RECORD").decode())))
                self.assertEqual({path for path, *_ in record}, set(wheel.namelist()))
                for path, digest, size in record[:-1]:
                    data = wheel.read(path)
                    said = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                    self.assertEqual((f"sha256={said}", str(len(data))), (digest, size), path)
                wheel.extractall(root)
                for entry in wheel.infolist():
                    (root / entry.filename).chmod(entry.external_attr >> 16 & 0o777)
            for made in ("METADATA", "WHEEL", "entry_points.txt"):
                self.assertEqual((root / metadata / made).read_text(), (Path(folder) / metadata / made).read_text())
            self.assertNotIn("Requires-Dist: numpy\n", (root / metadata / "METADATA").read_text())  # pip fetches nothing
            code = ("import scree, scree.machines; from scree import program; print(program.path()); "
                    "run = scree.Run(scree.machines.scenes_folder() / 'inclined_tube/inclined_tube.toml', folder='r'); "
                    "run.until(0.01); run.finish(); run.render('a.png')")
            environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(root),
                           **{key: os.environ[key] for key in ("LD_PRELOAD", "ASAN_OPTIONS") if key in os.environ}}
            done = subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, timeout=100)
            self.assertEqual((done.returncode, done.stdout.strip()), (0, str(root / "scree/bin/scree")), done.stderr)
            self.assertTrue((Path(folder) / "a.png").exists())

    def test_an_archive_of_the_sources(self):
        if subprocess.run(["git", "-c", "safe.directory=*", "rev-parse"], cwd=SOURCE, capture_output=True, check=False).returncode:
            self.skipTest("no git here")
        with tempfile.TemporaryDirectory() as folder:
            name = build_backend.build_sdist(folder)
            with tarfile.open(Path(folder) / name) as archive:
                names = archive.getnames()
        top = name.removesuffix(".tar.gz")
        for path in ("pyproject.toml", "CMakeLists.txt", "engine/run/run.cpp", "python/scree/run.py", "PKG-INFO"):
            self.assertIn(f"{top}/{path}", names)

    def test_without_cmake_it_names_the_package(self):
        with mock.patch("shutil.which", return_value=None), self.assertRaisesRegex(SystemExit, "pybind11-dev"):
            build_backend._compile(Path("/nowhere"), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
