"""Builds wheels of the package for pip (PEP 517), with CMake and nothing else.

A wheel contains the package, the program `scree` and the libraries that it loads. It is built without declarative
models, and so without GiNaC: all of it is under the Apache License.

    pip install .                                  # needs a compiler and the libraries of cmake/debian-packages.txt
    pip install . -C cmake=-DSCREE_VTK=OFF         # one or several options of CMake
"""

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENTRY_POINTS = "[console_scripts]\nscree = scree.program:main\n"
# Arrays are NumPy arrays. pip does not require NumPy, so that a machine without a package index can install with
# Debian's. `pip install .[all]` installs all of these.
EXTRAS = {"all": ["numpy", "h5py", "pandas", "matplotlib", "xarray", "scipy"]}


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    info = f"scree-{_version()}.dist-info"
    (Path(metadata_directory) / info).mkdir()
    for name, text in {"METADATA": _metadata(), "WHEEL": _wheel(_tag()), "entry_points.txt": ENTRY_POINTS}.items():
        (Path(metadata_directory) / info / name).write_text(text)
    return info


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    build = _build_folder()
    _compile(build, (config_settings or {}).get("cmake", []))
    name = f"scree-{_version()}-{_tag()}.whl"
    files = {f"scree/{file.name}": file for file in sorted((build / "python/scree").iterdir()) if file.suffix != ".stamp"}
    for file in [build / "tools/scree", *sorted((build / "tools").glob("lib*.so"))]:
        files[f"scree/bin/{file.name}"] = file
    for file in sorted((ROOT / "scenes").rglob("*")):
        if file.suffix != ".md" and "results" not in file.parts:
            files[f"scree/scenes/{file.relative_to(ROOT / 'scenes')}"] = file
    files = {path: file for path, file in files.items() if file.is_file()}
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        _fill(wheel, files)
    return name


def build_sdist(sdist_directory, config_settings=None):
    name = f"scree-{_version()}"
    listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    with tarfile.open(Path(sdist_directory) / f"{name}.tar.gz", "w:gz") as archive:
        for path in listed.stdout.decode().split("\0"):
            if path:
                archive.add(ROOT / path, f"{name}/{path}")
        _add_text(archive, f"{name}/PKG-INFO", _metadata())
    return f"{name}.tar.gz"


def _build_folder():
    return ROOT / "build" / f"wheel-{sysconfig.get_config_var('SOABI')}"


def _add_text(archive, path, text):
    import io

    entry = tarfile.TarInfo(path)
    entry.size = len(text.encode())
    archive.addfile(entry, io.BytesIO(text.encode()))


def _version():
    return re.search(r"project\(scree VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def _compile(build, options):
    if shutil.which("cmake") is None:
        packages = re.findall(r"^(?:build|vtk|python) (\S+)", (ROOT / "cmake/debian-packages.txt").read_text(), re.M)
        raise SystemExit("scree: CMake is not there. On Debian: apt-get install --no-install-recommends " + " ".join(packages))
    options = [options] if isinstance(options, str) else list(options)
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    configure = ["cmake", "-S", str(ROOT), "-B", str(build), *generator, "-DCMAKE_BUILD_TYPE=Release",
                 "-DCMAKE_CXX_FLAGS_RELEASE=-O3 -DNDEBUG", "-DSCREE_PYTHON=ON", "-DSCREE_MODELS=OFF", "-DSCREE_TESTS=OFF",
                 f"-DPython_EXECUTABLE={sys.executable}", *options]
    jobs = str(os.cpu_count() or 1)
    for command in (configure, ["cmake", "--build", str(build), "--parallel", jobs, "--target", "scree", "scree_python"]):
        print(" ".join(command), flush=True)
        subprocess.run(command, check=True)


def _tag():
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    return f"{python}-{python}-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


def _wheel(tag):
    return f"Wheel-Version: 1.0\nGenerator: scree\nRoot-Is-Purelib: false\nTag: {tag}\n"


def _metadata():
    lines = ["Metadata-Version: 2.1", "Name: scree", f"Version: {_version()}",
             "Summary: Granular contact dynamics of smooth bodies", "License: Apache-2.0", "Requires-Python: >=3.9",
             "Description-Content-Type: text/markdown"]
    for extra, packages in EXTRAS.items():
        lines.append(f"Provides-Extra: {extra}")
        lines.extend(f'Requires-Dist: {package}; extra == "{extra}"' for package in packages)
    return "\n".join(lines) + "\n\n" + (ROOT / "README.md").read_text()


def _fill(wheel, files):
    info = f"scree-{_version()}.dist-info"
    record = []

    def add(path, data, executable=False):
        entry = zipfile.ZipInfo(path, (2026, 1, 1, 0, 0, 0))
        entry.external_attr = (0o100755 if executable else 0o100644) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        wheel.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{path},sha256={digest},{len(data)}")

    for path, file in files.items():
        add(path, file.read_bytes(), executable="/bin/" in path or file.suffix == ".so")
    add(f"{info}/METADATA", _metadata().encode())
    add(f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes())
    add(f"{info}/WHEEL", _wheel(_tag()).encode())
    add(f"{info}/entry_points.txt", ENTRY_POINTS.encode())
    wheel.writestr(f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,"]) + "\n")
