"""The launcher ./scree: when it builds, what it installs and passes on, and its messages if something fails.

    python3 tests/support/launcher.py SOURCE_DIR

Runs the real launcher on a made-up project, with stand-ins for cmake, ctest, dpkg-query, apt-get and sudo that note how
they were called; nothing is built or installed.
"""

import os
import pty
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

STAND_INS = {
    "cmake": """
echo "cmake $*" >>"$NOTES/calls"
echo chatter; echo louder chatter >&2
[[ ! -f $NOTES/fail ]] || { echo "the fault: no such thing"; exit 3; }
if [[ $1 == --build ]]; then
  mkdir -p "$2/tools"
  printf '#!/bin/bash\\npwd\\nprintf "<%%s>\\\\n" "$@"\\nexit 7\\n' >"$2/tools/scree"
  chmod +x "$2/tools/scree"
  if [[ $* == *scree_python* ]]; then
    mkdir -p "$2/python/scree"
    touch "$2/python/scree/_scree.so"
    printf '#!/bin/bash\necho "$PYTHONPATH"\nprintf "<%%s>\\n" "$@"\nexit 5\n' >"$NOTES/interpreter"
    chmod +x "$NOTES/interpreter"
  fi
else
  mkdir -p "$2/build/release"
  touch "$2/build/release/build.ninja"
  [[ $* != *SCREE_PYTHON=ON* ]] || python=ON
  [[ $* != *SCREE_MPI=ON* ]] || mpi=ON
  printf '%s\n' "CMAKE_HOME_DIRECTORY:INTERNAL=$2" SCREE_VTK:STRING=AUTO SCREE_PYTHON:BOOL=${python:-OFF} SCREE_MPI:BOOL=${mpi:-OFF} "SCREE_PYTHON_PROGRAM:FILEPATH=$NOTES/interpreter" >"$2/build/release/CMakeCache.txt"
fi""",
    "mpirun": 'printf "<%s>\\n" "$@"',
    "ctest": 'echo "ctest $*" >>"$NOTES/calls"; echo "100% tests passed"',
    "dpkg-query": "sed 's/^/installed /' \"$NOTES/installed\"",
    "apt-get": """
echo "apt-get $*" >>"$NOTES/calls"
[[ ! -f $NOTES/no_packages && ! ( -f $NOTES/no_vtk && $* == *--simulate* ) ]]""",
    "sudo": '[[ $1 == -n ]] && shift; exec "$@"',
}


class Launcher(unittest.TestCase):
    source = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="scree launcher ")
        self.addCleanup(folder.cleanup)
        self.top = Path(folder.name).resolve()
        self.project = self.top / "a project"
        self.notes = self.top / "notes"
        for name in ("cmake", "engine/core", "io", "python", "tools"):
            (self.project / name).mkdir(parents=True)
        for name in ("CMakeLists.txt", "CMakePresets.json", "engine/core/a.cpp"):
            (self.project / name).touch()
        shutil.copy(self.source / "scree", self.project)
        (self.project / "cmake/debian-packages.txt").write_text("# why\nbuild compiler\nbuild library\nvtk vtk-dev\nvtk-paraview paraview-dev\nmpi messages\npython binder\ntest checker\n")
        self.notes.mkdir()
        (self.notes / "installed").write_text("binder\nchecker\ncompiler\nlibrary\nmessages\nvtk-dev\n")
        (self.top / "bin").mkdir()
        for name, text in STAND_INS.items():
            (self.top / "bin" / name).write_text(f"#!/bin/bash\n{text}\n")
            (self.top / "bin" / name).chmod(0o755)
        self.environment = {"PATH": f"{self.top / 'bin'}:/usr/bin:/bin", "NOTES": str(self.notes)}

    def launch(self, *arguments, cwd=None, terminal=None, **environment):
        """Runs ./scree; `terminal` is the input from a terminal, None without a terminal."""
        command = [str(self.project / "scree"), *arguments]
        settings = {"cwd": cwd or self.top, "env": self.environment | environment, "text": True, "timeout": 60}
        if terminal is None:
            return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, **settings)
        try:
            ours, theirs = pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminal to be had here: {error}")
        try:
            os.write(ours, terminal.encode())
            return subprocess.run(command, stdin=theirs, capture_output=True, **settings)
        finally:
            os.close(ours)
            os.close(theirs)

    def calls(self, name=""):
        """The calls of the stand-ins since the last check."""
        file = self.notes / "calls"
        lines = file.read_text().splitlines() if file.exists() else []
        file.unlink(missing_ok=True)
        return [line for line in lines if line.startswith(name)]

    def build_once(self):
        self.launch()
        self.assertTrue(self.calls("cmake --build"))
        time.sleep(0.02)  # longer than a tick of the clock for file times

    def test_arguments_folder_and_exit_status_are_the_programs(self):
        folder = self.top / "else where"
        folder.mkdir()
        done = self.launch("run", "a b.toml", "", "--x=*", cwd=folder)
        self.assertEqual(f"{folder}\n<run>\n<a b.toml>\n<>\n<--x=*>\n", done.stdout)
        self.assertEqual(7, done.returncode)

    def test_a_symbolic_link_works_from_anywhere(self):
        (self.top / "link").symlink_to(self.project / "scree")
        done = subprocess.run(["./link"], cwd=self.top, env=self.environment, capture_output=True, timeout=60, check=False)
        self.assertEqual(7, done.returncode)

    def test_success_is_quiet_and_the_second_run_builds_nothing(self):
        first = self.launch("run")
        self.assertEqual(1, len(first.stderr.splitlines()), first.stderr)
        self.assertEqual(
            [f"cmake -S {self.project} --preset release -DSCREE_TESTS=OFF",
             f"cmake --build {self.project}/build/release --target scree"], self.calls())
        second = self.launch("run")
        self.assertEqual("", second.stderr)
        self.assertEqual([], self.calls())

    def test_every_kind_of_change_builds(self):
        file = self.project / "engine/core/a.cpp"
        old = file.stat()
        changes = {
            "edited": lambda: file.write_text("int a;"),
            "put back with its old time": lambda: os.utime(file, ns=(old.st_atime_ns, old.st_mtime_ns)),
            "new": lambda: (self.project / "io/b.cpp").touch(),
            "renamed": lambda: (self.project / "io/b.cpp").rename(self.project / "io/c.cpp"),
            "removed": lambda: (self.project / "io/c.cpp").unlink(),
            "program lost": lambda: (self.project / "build/release/tools/scree").unlink(),
        }
        self.build_once()
        for name, change in changes.items():
            with self.subTest(name):
                change()
                self.launch()
                self.assertTrue(self.calls("cmake --build"))
                time.sleep(0.02)
                self.launch()
                self.assertEqual([], self.calls())

    def test_a_failed_build_shows_all_and_is_tried_again(self):
        self.build_once()
        (self.project / "io/b.cpp").touch()
        (self.notes / "fail").touch()
        for _ in range(2):
            done = self.launch("run")
            self.assertIn("the fault: no such thing", done.stderr)
            self.assertIn("louder chatter", done.stderr)
            self.assertEqual("", done.stdout)
            self.assertEqual(1, done.returncode)
        (self.notes / "fail").unlink()
        self.assertEqual(7, self.launch("run").returncode)

    def test_a_moved_folder_is_configured_afresh(self):
        self.build_once()
        self.project = self.project.rename(self.top / "moved")
        (self.project / "io/b.cpp").touch()
        self.launch()
        self.assertIn(f"cmake -S {self.project} --preset release --fresh -DSCREE_TESTS=OFF", self.calls())

    def test_tests_are_built_and_run_by_ctest(self):
        done = self.launch("test", "--fast", "-R", "a b")
        self.assertEqual(0, done.returncode)
        self.assertTrue(done.stdout.endswith("100% tests passed\n"))
        build = f"{self.project}/build/release"
        self.assertEqual(
            [f"cmake -S {self.project} --preset release -DSCREE_TESTS=ON -DSCREE_MPI=ON -DSCREE_PYTHON=ON", f"cmake --build {build} --target all",
             f"ctest --test-dir {build} -j2 --output-on-failure --no-tests=error -L ^fast$ -R a b"], self.calls())
        self.launch("run")
        self.assertEqual([], self.calls())

    def test_python_has_the_package_on_its_path(self):
        self.launch("run")
        self.calls()
        build = f"{self.project}/build/release"
        done = self.launch("python", "a b.py", "-c", PYTHONPATH="/mine")
        self.assertEqual((5, f"{build}/python:/mine\n<a b.py>\n<-c>\n"), (done.returncode, done.stdout))
        self.assertEqual(
            [f"cmake -S {self.project} --preset release -DSCREE_TESTS=OFF -DSCREE_PYTHON=ON",
             f"cmake --build {build} --target scree scree_python"], self.calls())
        self.assertEqual(5, self.launch("python").returncode)
        self.assertEqual(7, self.launch("run").returncode)
        self.assertEqual([], self.calls())  # one build covers both
        (self.project / "python/a.py").touch()
        self.launch("run")
        self.assertEqual(f"cmake --build {build} --target scree scree_python", self.calls()[1])

    def test_studies_have_the_package_built(self):
        build = f"{self.project}/build/release"
        for first, command in enumerate(("sweep", "calibrate", "validate")):
            self.assertEqual(7, self.launch(command, "a.toml").returncode)
            self.assertEqual([f"cmake -S {self.project} --preset release -DSCREE_TESTS=OFF -DSCREE_PYTHON=ON",
                              f"cmake --build {build} --target scree scree_python"] if first == 0 else [], self.calls())

    def test_many_processes_are_started_by_mpirun(self):
        self.launch("run")
        self.calls()
        done = self.launch("mpi", "3", "run", "a b.toml")
        build = f"{self.project}/build/release"
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertTrue(done.stdout.endswith(f"<-n>\n<3>\n<{build}/tools/scree>\n<run>\n<a b.toml>\n"), done.stdout)
        self.assertEqual([f"cmake -S {self.project} --preset release -DSCREE_TESTS=OFF -DSCREE_MPI=ON",
                          f"cmake --build {build} --target scree"], self.calls())
        self.launch("mpi", "2", "run")
        self.launch("run")
        self.assertEqual([], self.calls())  # the program also works for one process
        none = self.launch("mpi", "run", "a.toml")
        self.assertEqual(1, none.returncode)
        self.assertIn("how many processes?", none.stderr)

    def test_missing_packages_are_installed_without_a_question_where_there_is_no_terminal(self):
        (self.notes / "installed").write_text("compiler\nlibrary-extra\nvtk-dev\n")
        done = self.launch("run")
        self.assertEqual(7, done.returncode, done.stderr)
        update, install = self.calls("apt-get")
        self.assertTrue(update.endswith(" update"), update)
        self.assertTrue(install.endswith(" install --no-install-recommends library"), install)
        self.launch("test")
        self.assertTrue(self.calls("apt-get")[1].endswith(" install --no-install-recommends binder checker library messages"))

    def test_ci_is_never_asked(self):
        (self.notes / "installed").write_text("compiler\nvtk-dev\n")
        self.assertEqual(7, self.launch("run", terminal="", CI="true").returncode)
        self.assertEqual(2, len(self.calls("apt-get")))

    def test_a_person_is_asked_once(self):
        (self.notes / "installed").write_text("compiler\nvtk-dev\n")
        no = self.launch("run", terminal="n\n")
        self.assertEqual(1, no.returncode)
        self.assertIn("apt-get install --no-install-recommends library", no.stderr)
        self.assertEqual([], self.calls())
        yes = self.launch("run", terminal="y\n")
        self.assertEqual(7, yes.returncode)
        self.assertEqual(2, len(self.calls("apt-get")))

    def test_packages_that_cannot_be_had_stop_it(self):
        (self.notes / "installed").write_text("compiler\nvtk-dev\n")
        (self.notes / "no_packages").touch()
        done = self.launch("run")
        self.assertEqual(1, done.returncode)
        self.assertIn("install --no-install-recommends library", done.stderr)
        self.assertEqual([], self.calls("cmake"))

    def test_vtk_comes_too_or_that_of_paraview(self):
        (self.notes / "installed").write_text("compiler\n")
        self.assertEqual(7, self.launch("run").returncode)
        update, tried, install = self.calls("apt-get")
        self.assertTrue(tried.endswith(" install --no-install-recommends --simulate vtk-dev"), tried)
        self.assertTrue(install.endswith(" install --no-install-recommends library vtk-dev"), install)
        (self.project / "engine/core/a.cpp").touch()
        (self.notes / "installed").write_text("compiler\nlibrary\n")  # removed since: this build still records it
        self.launch("run")
        self.assertEqual([], self.calls("apt-get"))
        shutil.rmtree(self.project / "build")
        (self.notes / "installed").write_text("compiler\nlibrary\npython3-paraview\n")
        self.launch("run")
        self.assertTrue(self.calls("apt-get")[2].endswith(" install --no-install-recommends paraview-dev"))

    def test_without_vtk_it_goes_on_and_says_so(self):
        (self.notes / "installed").write_text("compiler\n")
        (self.notes / "no_vtk").touch()
        done = self.launch("run")
        self.assertEqual(7, done.returncode, done.stderr)
        self.assertIn("VTK's library is not installed (Debian: vtk-dev)", done.stderr)
        self.assertTrue(self.calls("apt-get")[2].endswith(" install --no-install-recommends library"))
        shutil.rmtree(self.project / "build")
        (self.notes / "installed").write_text("compiler\nlibrary\n")
        refused = self.launch("run", terminal="n\n")
        self.assertEqual(7, refused.returncode, refused.stderr)
        self.assertIn("runs write no files for ParaView", refused.stderr)


if __name__ == "__main__":
    Launcher.source = Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
