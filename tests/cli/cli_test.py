"""Runs the real program: cli_test.py <scree> [CommandLine.test_name ...]"""
import csv
import fcntl
import json
import os
import pty
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
import xml.etree.ElementTree as xml

PROGRAM = sys.argv[1]
PROGRESS_LINE = r" *\d+ %  step "

SCENE = """
name = "drop"
gravity = [0, 0, -9.81]
time_step = 0.001
end_time = {end_time}
[output]
interval = 0.01
[[materials]]
name = "stone"
density = 2500
[[bodies]]
semi_axes = [0.05, 0.04, 0.03]
material = "stone"
position = [0, 0, 0.2]
velocity = [{speed}, 0, 0]
[[bodies]]
semi_axes = [0.05, 0.04, 0.03]
material = "stone"
position = [0.01, 0, 0.3]
[[boundaries]]
name = "floor"
type = "plane"
material = "stone"
point = [0, 0, 0]
normal = [0, 0, 1]
"""

# Forty grains that fall into a heap; steps and sweeps decide whether the result is good.
HEAP = """
name = "heap"
time_step = 0.002
end_time = 0.6
[output]
vtk = false
hdf5 = false
[[materials]]
name = "stone"
density = 2500
[[bodies]]
generate = "lattice"
count = 40
semi_axes = [0.05, 0.04, 0.03]
jitter = 0.005
region = { type = "box", low = [-0.2, -0.2, 0.1], high = [0.2, 0.2, 2.0] }
[[boundaries]]
name = "box"
type = "box"
low = [-0.2, -0.2, 0.0]
high = [0.2, 0.2, 2.0]
open = ["+z"]
"""
RASH = ("--set", "time_step=0.02", "--set", "solver.max_sweeps=1")  # a red run of it
HASTY = ("--set", "solver.tolerance=1e-6")                           # an amber one
CAREFUL = ("--set", "solver.max_sweeps=1000")                        # a green one


class CommandLine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.scene = self.write_scene()
        self.results = os.path.join(self.folder, "out")

    def write_scene(self, end_time=0.05, speed=0.1):
        path = os.path.join(self.folder, "drop.toml")
        with open(path, "w") as file:
            file.write(SCENE.format(end_time=end_time, speed=speed))
        return path

    def command(self, *arguments):
        return [PROGRAM, "run", self.scene, "-o", self.results, *arguments]

    def run_program(self, *arguments, **options):
        return subprocess.run(arguments, capture_output=True, text=True, cwd=self.folder, timeout=60, **options)

    def start_endless(self):
        """A run without an end, after its first line of progress."""
        self.write_scene(end_time=1e6)
        refused = self.run_program(*self.command())
        self.assertEqual(refused.returncode, 13)  # without a limit it would fill the disk
        self.assertIn("--force", refused.stderr)
        process = subprocess.Popen(self.command("--force"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        for line in process.stdout:
            if re.match(PROGRESS_LINE, line):
                return process
        self.fail(process.stderr.read())

    def summary(self):
        with open(os.path.join(self.results, "summary.json")) as file:
            return json.load(file)

    def rows(self):
        with open(os.path.join(self.results, "steps.csv")) as file:
            return list(csv.DictReader(file))

    def listed_frames(self):
        root = xml.parse(os.path.join(self.results, "bodies.pvd")).getroot()
        return [(float(entry.get("timestep")), entry.get("file")) for entry in root.iter("DataSet")]

    def check_whole(self):
        """All files of an ended run can be read, and every listed frame exists and is well-formed."""
        rows = self.rows()
        self.assertGreater(len(rows), 0)
        self.assertTrue(all(row["state_hash"] for row in rows))
        self.assertGreater(len(self.listed_frames()), 0)
        for _, name in self.listed_frames():
            xml.parse(os.path.join(self.results, name))
        with open(os.path.join(self.results, "trajectory.h5"), "rb") as file:
            self.assertEqual(file.read(8), b"\x89HDF\r\n\x1a\n")

    def test_version_and_usage(self):
        version = self.run_program(PROGRAM, "--version")
        self.assertEqual(version.returncode, 0)
        self.assertRegex(version.stdout, r"^scree \d+\.\d+\.\d+(\+(\d+\.)?g[0-9a-f]+)?$")
        self.assertEqual(self.run_program(PROGRAM, "run", "--help").returncode, 0)
        for wrong in ([], ["fly"], ["run"], ["run", self.scene, "--threads", "-1"], ["run", self.scene, "--set", "x"],
                      ["run", self.scene, "--until", "soon"]):
            self.assertEqual(self.run_program(PROGRAM, *wrong).returncode, 2, wrong)

    def test_bad_scene(self):
        self.assertEqual(self.run_program(PROGRAM, "run", "missing.toml").returncode, 3)
        with open(self.scene, "a") as file:
            file.write("colour = 'red'\n[nonsense]\n")
        done = self.run_program(*self.command())
        self.assertEqual(done.returncode, 3)
        faults = done.stderr.strip().splitlines()
        self.assertGreaterEqual(len(faults), 2, done.stderr)
        self.assertTrue(all("drop.toml:" in fault for fault in faults), done.stderr)
        self.assertFalse(os.path.exists(self.results))

    def test_runs_and_reports(self):
        done = self.run_program(*self.command())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        for part in ("drop finished: 50 steps", "resolution", "ms a step", "state hash", "created by contacts", "view.py", "scree report", "scree render", "scree paraview"):
            self.assertIn(part, done.stdout)
        # The verdict is the second line after the heading of the run, and the whole report is short.
        report = done.stdout[done.stdout.index("drop finished"):].splitlines()
        self.assertTrue(report[2].startswith("verdict: green"), report)
        self.assertLess(len(report), 20, report)
        self.check_whole()
        summary = self.summary()
        self.assertEqual(summary["status"], "finished")
        self.assertEqual(summary["steps"], 50)
        self.assertEqual(len(self.rows()), 50)
        self.assertEqual(self.rows()[-1]["state_hash"], summary["state_hash"])
        times = [time_s for time_s, _ in self.listed_frames()]
        self.assertEqual(len(times), 6)
        for k, time_s in enumerate(times):
            self.assertAlmostEqual(time_s, 0.01 * k, places=9)

    def test_details(self):
        done = self.run_program(*self.command("--details"))
        for part in ("ms/step", "lost to friction", "remainder", "potential, start", "touching"):
            self.assertIn(part, done.stdout)

    def test_quiet(self):
        done = self.run_program(*self.command("--quiet"))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(self.summary()["steps"], 50)

    def heap(self, *arguments, **options):
        self.scene = os.path.join(self.folder, "heap.toml")
        with open(self.scene, "w") as file:
            file.write(HEAP)
        return self.run_program(*self.command("--overwrite", *arguments), **options)

    def grades(self):
        verdict = self.summary()["verdict"]
        return verdict["grade"], {finding["code"]: finding for finding in verdict["findings"]}

    def test_verdict(self):
        """The last line of a run's output is the verdict, with advice; summary.json has the same."""
        done = self.heap(*RASH)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertNotIn("\x1b", done.stdout)
        grade, findings = self.grades()
        self.assertEqual(grade, "red")
        last = done.stdout[done.stdout.index("\nverdict: red"):]
        for code in ("overlap", "unsolved_steps", "missed_goal"):
            self.assertNotEqual(findings[code]["grade"], "green", findings[code])
            self.assertGreater(findings[code]["value"], findings[code]["limit"])
            self.assertIn(f"  {findings[code]['grade']}: {findings[code]['text']}\n", last)
            self.assertIn(f"    -> {findings[code]['advice']}\n", last)
        self.assertIn("raise solver.max_sweeps from 1 to", last)
        deepest = self.summary()["deepest_overlap"]
        self.assertAlmostEqual(deepest["value"], findings["overlap"]["value"])
        self.assertIn(f"(step {deepest['at']['step']})", findings["overlap"]["text"])
        rows = self.rows()
        self.assertEqual(float(rows[deepest["at"]["step"] - 1]["penetration_max"]), deepest["value"])
        self.assertEqual(sum(row["solver_status"] != "converged" for row in rows), self.summary()["steps_not_converged"])
        done = self.heap(*CAREFUL)
        self.assertEqual(self.grades()[0], "green", done.stdout)
        self.assertIn("\nverdict: green, all checks passed\n", done.stdout)

    def test_quiet_verdict(self):
        """With -q a run prints only checks that are not green, and not on its standard output."""
        done = self.heap("-q", *CAREFUL)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        for settings, grade in ((HASTY, "amber"), (RASH, "red")):
            done = self.heap("-q", *settings)
            self.assertEqual((done.returncode, done.stdout), (0, ""))
            self.assertTrue(done.stderr.startswith(f"verdict: {grade}, "), done.stderr)
            self.assertNotIn("\x1b", done.stderr)
            self.assertIn("    -> ", done.stderr)
            self.assertLess(len(done.stderr.splitlines()), 12)

    def test_strict(self):
        for settings, plain, amber in ((CAREFUL, 0, 0), (HASTY, 0, 12), (RASH, 12, 12)):
            self.assertEqual(self.heap("-q", *settings, "--strict").returncode, plain, settings)
            self.assertEqual(self.heap("-q", *settings, "--strict=red").returncode, plain, settings)
            self.assertEqual(self.heap("-q", *settings, "--strict=amber").returncode, amber, settings)
        self.assertEqual(self.heap("--strict=blue").returncode, 2)
        # The scene's name is not a grade.
        self.assertEqual(self.run_program(PROGRAM, "run", "--strict", self.scene, "-q", "-o", "strict").returncode, 0)
        # A run that fails keeps its own status, and is red too.
        self.scene = self.write_scene(speed=1e200)
        done = self.run_program(*self.command("--overwrite", "--strict"))
        self.assertEqual(done.returncode, 5)
        self.assertIn("verdict: red", done.stdout)

    def test_one_pass_is_judged_too(self):
        self.heap("-q", "--set", 'solver.kind="one_pass"')
        grade, findings = self.grades()
        self.assertEqual(grade, "red")
        self.assertEqual(findings["unsolved_steps"]["grade"], "red")
        self.assertIn('solver.kind = "gauss_seidel"', findings["unsolved_steps"]["advice"])
        self.assertGreater(self.summary()["steps_not_converged"], 100)

    def test_set_and_until(self):
        done = self.run_program(*self.command("--set", "time_step=0.002", "--set", "output.vtk=false", "--until", "0.02"))
        self.assertEqual(done.returncode, 0, done.stderr)
        summary = self.summary()
        self.assertEqual((summary["time_step_s"], summary["steps"], summary["end_time_s"]), (0.002, 10, 0.02))
        self.assertFalse(os.path.exists(os.path.join(self.results, "bodies.pvd")))
        self.assertEqual(self.run_program(*self.command("--set", "time_stop=1")).returncode, 3)

    def contents(self):
        found = {}
        for folder, _, files in os.walk(self.results):
            for name in files:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    found[path] = (file.read(), os.stat(path).st_mtime_ns)
        return found

    def test_refuses_to_overwrite(self):
        self.run_program(*self.command())
        before = self.contents()
        self.assertGreater(len(before), 8)
        done = self.run_program(*self.command())
        self.assertEqual(done.returncode, 4)
        self.assertIn("--overwrite", done.stderr)
        self.assertEqual(self.contents(), before)

    def test_overwrite(self):
        self.run_program(*self.command())
        note = os.path.join(self.results, "vtk", "note.txt")
        with open(note, "w") as file:
            file.write("mine")
        done = self.run_program(*self.command("--overwrite", "--until", "0.01"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.summary()["steps"], 10)
        self.assertEqual(sorted(os.listdir(os.path.join(self.results, "vtk"))),
                         ["bodies_000000.vtp", "bodies_000001.vtp", "contacts_000000.vtp", "contacts_000001.vtp",
                          "note.txt"])

    def test_unwritable(self):
        for place in ("/proc/scree", os.path.join(self.scene, "below")):
            done = self.run_program(PROGRAM, "run", self.scene, "-o", place)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn(place, done.stderr)
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)

    def test_a_run_which_fails_waits_for_vtk(self):
        # VTK is loaded in parallel with the start of a run. Its constructors must have ended when the program exits, or
        # they run together with the destructors. A library with a slow start replaces it here.
        with open(os.path.join(self.folder, "slow.c"), "w") as file:
            file.write("#include <unistd.h>\n"
                       "__attribute__((constructor)) static void load(void) {\n"
                       "  usleep(300000);\n  if (write(2, \"loaded\\n\", 7) != 7) _exit(1);\n}\n")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", os.path.join(self.folder, "libscree_vtk.so"),
                        os.path.join(self.folder, "slow.c")], check=True)
        with open(self.scene, "a") as file:
            file.write("colour = 1\n")
        done = self.run_program(*self.command(), env=os.environ | {"LD_LIBRARY_PATH": self.folder})
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(done.stderr.splitlines()[0], "loaded", done.stderr)
        self.assertIn("colour", done.stderr)

    def test_full_disk(self):
        # A limit on file sizes stands in for a full disk. 100 kB are reached after some frames.
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        for setting in ("output.vtk=false", "output.hdf5=false"):
            self.write_scene(end_time=20)
            done = self.run_program(*self.command("--overwrite", "--set", setting), preexec_fn=limit)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("File too large", done.stderr)
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
            self.assertEqual(self.summary()["status"], "failed")

    def test_numerical_failure(self):
        self.write_scene(speed=1e200)  # its kinetic energy overflows
        done = self.run_program(*self.command())
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("finite", done.stderr)
        self.assertEqual(self.summary()["status"], "failed")
        self.check_whole()

    def test_ledger_tolerance(self):
        """A ball that falls between two: a run that creates more energy than the limit ends as failed."""
        pile = os.path.join(self.folder, "pile.toml")
        with open(pile, "w") as file:
            file.write(
                'time_step = 1e-3\nend_time = 0.3\n[[materials]]\nname = "m"\ndensity = 1000.0\n'
                "[[boundaries]]\ntype = \"plane\"\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\n"
                "[[bodies]]\nradius = 0.1\nposition = [0, 0, 0.1]\n"
                "[[bodies]]\nradius = 0.1\nposition = [0.201, 0, 0.1]\n"
                "[[bodies]]\nradius = 0.1\nposition = [0.1, 0, 0.35]\nvelocity = [0, 0, -1]\n"
            )

        def run(limit):
            done = self.run_program(PROGRAM, "run", pile, "-o", self.results, "--overwrite", "--set", f"checks.ledger_tolerance={limit}")
            return done, self.summary()

        done, summary = run(1e-4)
        self.assertEqual((done.returncode, summary["status"]), (0, "finished"), done.stderr)
        created = summary["energy_created_relative"]
        self.assertGreater(created, 0)  # less with a shorter step: 3e-6 here, 7e-8 with a quarter of it and a tolerance of 1e-9
        done, summary = run(0.1 * created)
        self.assertEqual((done.returncode, summary["status"]), (5, "failed"))
        self.assertIn("ledger does not close", done.stderr)
        self.assertLess(summary["simulated_time_s"], 0.3)

    def test_ledger_in_the_trajectory(self):
        """The balances of a frame are the sums of steps.csv up to its step, to the last bit."""
        try:
            import h5py
        except ImportError:
            self.assertNotEqual(os.environ.get("CI"), "true", "h5py is missing")
            self.skipTest("h5py is not installed")
        done = self.run_program(*self.command("--set", "output.interval=0.01"))
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.rows()
        with h5py.File(os.path.join(self.results, "trajectory.h5")) as file:
            steps, ledger = file["frames/step"][:], file["ledger"]
            self.assertGreater(len(steps), 3)
            for frame, step in enumerate(steps[1:], 1):
                past = rows[:step]
                self.assertEqual(ledger["kinetic_energy"][frame], float(past[-1]["kinetic_energy_J"]))
                self.assertEqual(ledger["potential_energy"][frame], float(past[-1]["potential_energy_J"]))
                for flow in ("dissipated_by_friction", "dissipated_by_impact", "position_correction", "energy_remainder"):
                    column = flow + "_J"
                    total = 0.0
                    for row in past:
                        total += float(row[column])
                    self.assertEqual(ledger[flow][frame], total, flow)
                impulse = sum(float(row["boundary_impulse_z_N_s"]) for row in past)
                self.assertAlmostEqual(ledger["boundary_impulse"][frame][2], impulse, delta=1e-12 + 1e-12 * abs(impulse))

    def test_solve(self):
        """A step is stored, solved again, and drawn; impossible requests give a message."""
        problem = os.path.join(self.folder, "step.h5")
        self.scene = self.write_scene(end_time=0.25, speed=1.0)
        done = self.run_program(*self.command("--dump-problem", problem, "--dump-step", "200"))
        self.assertEqual(done.returncode, 0, done.stderr)
        table, plot = os.path.join(self.folder, "t.csv"), os.path.join(self.folder, "t.svg")
        done = self.run_program(PROGRAM, "solve", problem, "--csv", table, "--plot", plot)
        self.assertEqual(done.returncode, 0, done.stderr)
        for solver in ("gauss_seidel", "nsgs", "admm", "one_pass"):
            self.assertIn(solver, done.stdout)
        with open(table) as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({row["solver"] for row in rows}, {"gauss_seidel", "nsgs", "admm", "one_pass"})
        self.assertTrue(all(float(row["residual_relative"]) >= 0.0 for row in rows))
        self.assertEqual(xml.parse(plot).getroot().tag.split("}")[-1], "svg")
        fclib = os.path.join(self.folder, "t.hdf5")
        done = self.run_program(PROGRAM, "solve", problem, "--solver", "nsgs", "--fclib", fclib)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.run_program(PROGRAM, "solve", fclib, "--warm", "--solver", "gauss_seidel", "--max-sweeps", "1")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("drop, step 200", done.stdout)
        done = self.run_program(PROGRAM, "solve", problem, problem)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("| step.h5 |"), 2)
        self.assertRegex(done.stdout, r"\| gauss_seidel +\| +2 of 2 \|")
        done = self.run_program(PROGRAM, "solve", self.scene)
        self.assertEqual(done.returncode, 3)
        self.assertIn("drop.toml:2:1: dimension", done.stderr)
        done = self.run_program(PROGRAM, "solve", problem, "--solver", "best")
        self.assertEqual(done.returncode, 2)

    def test_dump_without_need(self):
        problem = os.path.join(self.folder, "step.h5")
        done = self.run_program(*self.command("--dump-problem", problem))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("every step converged", done.stderr)
        self.assertFalse(os.path.exists(problem))

    def check_interrupted(self, process, number):
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        summary = self.summary()
        self.assertEqual(summary["status"], "interrupted")
        self.assertGreater(summary["steps"], 0)
        self.assertEqual(len(self.rows()), summary["steps"])
        # The last frame shows the last step.
        self.assertAlmostEqual(self.listed_frames()[-1][0], summary["simulated_time_s"], places=9)
        self.check_whole()

    def test_interrupt(self):
        self.check_interrupted(self.start_endless(), signal.SIGINT)

    def test_terminate(self):
        self.check_interrupted(self.start_endless(), signal.SIGTERM)

    def test_killed(self):
        process = self.start_endless()
        time.sleep(0.5)
        process.kill()
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGKILL)
        self.assertFalse(os.path.exists(os.path.join(self.results, "summary.json")))
        self.check_whole()
        self.assertEqual(self.run_program(*self.command("--force")).returncode, 4)

    def test_closed_stdout(self):
        # The same as `scree run ... | head -1`: the run continues to its end.
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run(self.command(), stdout=writing, stderr=subprocess.PIPE, timeout=60)
        os.close(writing)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.summary()["status"], "finished")

    def test_plain_progress(self):
        done = self.run_program(*self.command())
        self.assertNotIn("\r", done.stdout)
        self.assertNotIn("\x1b", done.stdout)
        lines = [line for line in done.stdout.splitlines() if re.match(PROGRESS_LINE, line)]
        self.assertEqual(len(lines), 2, done.stdout)  # the first and the last
        self.assertRegex(lines[-1], r"^100 %  step 50  t 0\.05")

    def run_in_terminal(self, columns, **environment):
        """The output in a terminal of the given width."""
        terminal, program_side = pty.openpty()
        fcntl.ioctl(program_side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen(self.command(), stdout=program_side, stderr=program_side, close_fds=True,
                                   env={**os.environ, "TERM": "xterm", "NO_COLOR": "", **environment})
        os.close(program_side)
        received = b""
        while True:
            try:
                part = os.read(terminal, 65536)
            except OSError:  # Linux raises this when the program has closed the terminal
                break
            if not part:
                break
            received += part
        os.close(terminal)
        self.assertEqual(process.wait(timeout=60), 0)
        return received.decode()

    def drawn(self, received):
        return re.findall(r"\r([^\r\n\x1b]*)\x1b\[K", received)

    def test_terminal_progress(self):
        received = self.run_in_terminal(120)
        bars = self.drawn(received)
        self.assertGreaterEqual(len(bars), 2, received)
        self.assertIn("#", bars[-1])
        self.assertIn("100 %", bars[-1])
        self.assertIn("contacts", bars[-1])
        self.assertTrue(all(len(bar) < 120 for bar in bars), bars)
        self.assertIn("drop finished", received)

    def test_verdict_is_coloured_on_a_terminal(self):
        self.assertIn("verdict: \x1b[1;32mgreen\x1b[0m, ", self.run_in_terminal(80))
        self.results += "_"
        self.assertIn("verdict: green, ", self.run_in_terminal(80, NO_COLOR="1"))

    def test_narrow_terminal(self):
        for columns in (12, 30, 50):
            bars = self.drawn(self.run_in_terminal(columns))
            self.assertGreaterEqual(len(bars), 2)
            self.assertTrue(all(len(bar) < columns for bar in bars), bars)
            self.results += "_"

    def test_stage_table(self):
        done = self.run_program(*self.command("--stage-table"))
        with open(os.path.join(self.results, "stage_table.txt")) as file:
            table = file.read()
        self.assertEqual(len(table.splitlines()), 2 + 12)
        self.assertIn(table, done.stdout)

    def test_threads_agree(self):
        hashes = set()
        for threads in ("1", "2"):
            self.assertEqual(self.run_program(*self.command("--threads", threads, "--overwrite")).returncode, 0)
            self.assertEqual(self.summary()["threads"], int(threads))
            hashes.add(self.summary()["state_hash"])
        self.assertEqual(len(hashes), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
