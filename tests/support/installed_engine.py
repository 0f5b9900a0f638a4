"""Installs a build, moves the installation, and builds and runs an external program against it.

    python3 tests/support/installed_engine.py BUILD_DIR OUTSIDE_SOURCE_DIR SOURCE_DIR
"""
import pathlib
import subprocess
import sys
import tempfile


def call(*command):
    subprocess.run([str(word) for word in command], check=True)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    call("cmake", "--install", sys.argv[1], "--prefix", folder / "first")
    (folder / "first").rename(folder / "moved")
    call("cmake", "-G", "Ninja", "-S", sys.argv[2], "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={folder / 'moved'}")
    call("cmake", "--build", folder / "build")
    call(folder / "build/outside")

    # The engine alone searches only for oneTBB and Eigen.
    others = ("fmt", "spdlog", "tomlplusplus", "CLI11", "nlohmann_json", "PkgConfig", "embree", "GTest", "VTK")
    call("cmake", "-G", "Ninja", "-S", sys.argv[3], "-B", folder / "alone", "-DSCREE_PROGRAM=OFF",
         *(f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in others))
