"""Makes the Debian package of a build, unpacks it, and runs its content; lintian checks it where it is installed.

    python3 tests/support/package.py BUILD_DIR
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIP = 77


def call(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **options).stdout


if not shutil.which("dpkg-deb") or not shutil.which("dpkg-shlibdeps"):
    print("SKIPPED: no dpkg-dev here")
    sys.exit(SKIP)
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    call("cpack", "-G", "DEB", "-B", folder / "made", cwd=sys.argv[1])
    (package,) = (folder / "made").glob("scree_*.deb")
    needs = call("dpkg-deb", "-f", package, "Depends")
    for library in ("libc6", "libtbb12", "libhdf5-103-1", "libembree3-3", "fonts-dejavu-core"):
        assert library in needs, needs
    call("dpkg-deb", "-x", package, folder / "root")
    usr = folder / "root" / "usr"
    for path in ("share/man/man1/scree.1.gz", "share/bash-completion/completions/scree", "share/zsh/vendor-completions/_scree",
                 "share/fish/vendor_completions.d/scree.fish", "share/doc/scree/docs/first_hour.md", "share/doc/scree/copyright",
                 "share/scree/scenes/inclined_tube/inclined_tube.toml", "lib/libscree_simulation.a", "lib/scree/libscree_fmu.so"):
        assert (usr / path).is_file(), path
    program = usr / "bin" / "scree"
    scenes = list((usr / "share/scree/scenes").glob("inclined_tube/*.toml"))
    call(program, "check", scenes[0], "--quick")
    call(program, "run", scenes[0], "-q", "--until", "0.01", "-o", folder / "out")
    call(program, "report", folder / "out", "-q")
    call(program, "fmu", usr / "share/scree/scenes/cosimulation/paddle.toml", "-o", folder / "paddle.fmu")
    packages = [package, *(folder / "made").glob("python3-scree_*.deb")]
    for other in packages[1:]:
        assert "python3-numpy" in call("dpkg-deb", "-f", other, "Depends")
        assert "libginac" not in call("dpkg-deb", "-f", other, "Depends")  # it is under the Apache License
        call("dpkg-deb", "-x", other, folder / "root")
        code = ("import scree, scree.machines; run = scree.Run(%r, folder=%r); run.until(0.01); run.finish(); "
                "scree.open(%r).render(%r); scree.machines.scenes_folder()")
        code %= (str(scenes[0]), str(folder / "py"), str(folder / "py"), str(folder / "a.png"))
        call("/usr/bin/python3", "-c", code, env={"PATH": f"{usr / 'bin'}:/usr/bin:/bin", "PYTHONPATH": str(usr / "lib/python3/dist-packages")})
        assert (folder / "py" / "vtk").is_dir()  # VTK's module is found
    if shutil.which("lintian"):
        told = subprocess.run(["lintian", *packages], capture_output=True, text=True, env=dict(os.environ, LC_ALL="C.UTF-8"))
        assert told.returncode == 0 and not told.stdout, told.stdout
