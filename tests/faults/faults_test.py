"""Runs that are killed, that meet a full disk, and that are resumed: the end is always the same, bit for bit.

    faults_test.py SCREE PROJECT_SOURCE_DIR [--kills N] [--disks N] [--haul SECONDS] [unittest arguments]

N random kills and full disks (default: 6 each); the long haul has 10 simulated seconds by default. Full disks are
tmpfs, in a separate namespace if this user may not mount. They are skipped if neither is allowed.
"""

import contextlib
import csv
import itertools
import json
import math
import os
import random
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

try:
    import h5py
except ImportError:
    sys.exit(77)

SCREE = PROJECT = None
KILLS = DISKS = 6
HAUL = 10

# Scenes and their options: together they need all data that a checkpoint stores.
RUNS = {
    "impacts": ("settling_box/settling_box.toml", ["--until", "0.5"]),
    "several steps a step": ("settling_box/settling_box.toml", ["--until", "0.3", "--set", "substeps=2"]),
    "nsgs": ("settling_box/settling_box.toml", ["--until", "0.3", "--set", "solver.kind=\"nsgs\""]),
    "energetic": ("glass_rice_steel/glass_rice_steel.toml",
                  ["--until", "0.15", "--set", "restitution_law=\"energetic\""]),
    "admm": ("beans/beans.toml", ["--until", "0.3", "--set", "solver.kind=\"admm\"",
                                       "--set", "solver.max_sweeps=20"]),
    "adaptive": ("settling_box/settling_box.toml", ["--until", "0.3", "--set", "time_step=\"adaptive\""]),
    "sorted": ("settling_box/settling_box.toml", ["--until", "0.4", "--set", "sort_interval=7"]),
    "asleep": ("beans/beans.toml", ["--until", "1.2", "--set", "sleep.speed=0.2", "--set", "sleep.duration=0.02"]),
    "functions": ("beans/beans.toml", ["--until", "0.4"]),
    "coming and going": ("conveyor/conveyor.toml", ["--until", "2.5"]),
    "events and motions": ("events/filled_drum.toml", ["--until", "1.2"]),
    "a gate that goes": ("events/dam_break.toml", ["--until", "0.8"]),
    "walls that forces move": ("machines/triaxial.toml", ["--until", "0.25", "--set", "solver.max_sweeps=100"]),
    "a cell that flows": ("cells/shear_cell.toml", ["--until", "0.36"]),
    "a cell that is poured into": ("cells/periodic_channel.toml", ["--until", "0.4"]),
    "a press by equations": ("machines/press.toml", ["--until", "0.4", "--set", "models[0].parameters.pump=6e-4"]),
    "clumps that are led": ("clumps/stirrer.toml", ["--until", "0.2", "--set", "bodies[1].motion[0].function=\"6 * t\""]),
    "bonds": ("bonds/brazilian.toml", ["--until", "0.002", "--set", "bonds[0].tensile_strength=3e5"]),
    "a cell that holds a stress": ("cells/constant_pressure.toml", ["--until", "0.1", "--set", "cell.flow[0].start=0.05"]),
    "elastic grains": ("elastic/silo.toml", ["--until", "0.3"]),
    "wet grains": ("cohesion/sandcastle.toml", ["--until", "0.1"]),
    "everything at once": ("../tests/determinism/everything.toml", []),
    "a machine": ("machines/four_bar.toml", ["--until", "0.3", "--set", "bodies[0].count=300"]),
    "a turning mesh": ("mill/mill.toml", ["--until", "0.3"]),
}
if len(sys.argv) > 1 and subprocess.run([sys.argv[1], "model", "--help"], capture_output=True).returncode == 11:  # left out
    del RUNS["a press by equations"]


def scree(*arguments, **options):
    return subprocess.run([SCREE, *map(str, arguments)], capture_output=True, text=True, **options)


def start(name, folder, steps, threads=1):
    scene, options = RUNS[name]
    return ["run", PROJECT / "scenes" / scene, *options, "-q", "-o", folder, "--threads", threads,
            "--set", f"checkpoints.steps={steps}", "--set", "output.vtk=false", "--force"]


def summary(folder):
    return json.loads((folder / "summary.json").read_text())


def table(file):
    """The rows in order, without wall times."""
    with open(file) as stream:
        rows = csv.reader(stream)
        names = next(rows)
        keep = [k for k, name in enumerate(names) if name == "time_s" or not name.endswith("_time_s")]
        for row in itertools.chain([names], rows):
            yield [row[k] for k in keep]


def arrays(file):
    """All arrays of a recorded run, by name, as bytes."""
    found = {}

    def see(name, item):
        if isinstance(item, h5py.Dataset):
            value = item[()]
            found[name] = (item.shape, value.tobytes() if hasattr(value, "tobytes") and item.dtype != object
                           else repr(value).encode())

    with h5py.File(file, "r") as opened:
        opened.visititems(see)
    return found


def own_memory(process):
    """Memory of a process without mapped files, bytes; 0 after its end."""
    try:
        text = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    return next((1024 * int(line.split()[1]) for line in text.splitlines() if line.startswith("RssAnon")), 0)


HEALED = 0


def whole_frames(file):
    """The number of frames of a file; reads all numbers of all frames. If the program was killed while it wrote pages
    into the file, the journal has them: they are applied, and this is counted."""
    global HEALED
    journal = Path(str(file) + ".journal")
    if journal.exists() and journal.stat().st_size > 0:
        HEALED += 1
        scree("verify", file.parent, "-q")
    return arrays(file)["frames/time"][0][0]


class Faults(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="scree faults ")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def assert_same_table(self, a, b):
        for row, (one, other) in enumerate(itertools.zip_longest(table(a), table(b))):
            self.assertEqual(one, other, f"row {row} of {a.name}")

    def assert_same_run(self, a, b):
        self.assertEqual(sorted(f.name for f in a.glob("*.csv")), sorted(f.name for f in b.glob("*.csv")))
        for file in a.glob("*.csv"):
            self.assert_same_table(file, b / file.name)
        first, second = arrays(a / "trajectory.h5"), arrays(b / "trajectory.h5")
        self.assertEqual(first.keys(), second.keys())
        for name in first:
            if name != "scene/overrides":
                self.assertEqual(first[name], second[name], name)
        times = ("wall_time_s", "recording_time_s", "real_time_factor", "median_step_time_s", "stage_time_s",
                 "threads", "resumed_after_steps", "files", "crc32")  # files: tables hold wall times
        one, other = ({k: v for k, v in summary(f).items() if k not in times} for f in (a, b))
        self.assertEqual(one, other)

    def reference(self, name, steps=20):
        """A run without faults, and its wall time."""
        folder = self.folder / "reference"
        begin = time.monotonic()
        done = scree(*start(name, folder, steps))
        self.assertEqual(done.returncode, 0, done.stderr)
        return folder, time.monotonic() - begin

    def go_on(self, folder, threads=2):
        done = scree("run", "--resume", folder, "-q", "--threads", threads, "--force")
        self.assertEqual(done.returncode, 0, done.stderr)

    def killed_once(self, name):
        """Killed in the middle and resumed on two threads."""
        reference, wall = self.reference(name)
        folder = self.folder / "killed"
        process = subprocess.Popen([SCREE, *map(str, start(name, folder, 20))], stderr=subprocess.PIPE)
        deadline = time.monotonic() + 20 * wall + 10
        while len(list(folder.glob("checkpoints/step_*.h5"))) < 2 and process.poll() is None:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.002)
        time.sleep(0.1 * wall)
        process.kill()
        process.communicate()
        whole_frames(folder / "trajectory.h5")
        if not (folder / "summary.json").exists():
            self.go_on(folder)
        self.assert_same_run(reference, folder)

    def test_killed_many_times(self):
        """One run that is killed again and again, at random moments, and resumed each time."""
        reference, wall = self.reference("impacts", 10)
        chance = random.Random(1)
        killed = 0
        while killed < KILLS:
            folder = self.folder / f"run {killed}"
            arguments = start("impacts", folder, 10)
            frames = 0
            while True:
                process = subprocess.Popen([SCREE, *map(str, arguments)], stderr=subprocess.DEVNULL)
                try:
                    process.wait(chance.uniform(0.0, 0.8 * wall))
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGKILL)
                    process.wait()
                    killed += 1
                if (folder / "trajectory.h5").exists():
                    frames = max(frames, whole_frames(folder / "trajectory.h5"))
                over = folder / "summary.json"  # killed when all work was done
                if process.returncode == 0 or (over.exists() and summary(folder)["status"] == "finished"):
                    break
                if list(folder.glob("checkpoints/step_*.h5")):
                    arguments = ["run", "--resume", folder, "-q", "--threads", chance.choice([1, 2]), "--force"]
                else:
                    arguments = start("impacts", folder, 10) + ["--overwrite"]
            self.assertGreaterEqual(whole_frames(folder / "trajectory.h5"), frames)
            self.assert_same_run(reference, folder)
            shutil.rmtree(folder)
        print(f"{killed} kills, {HEALED} of them while a journal was brought in")

    def test_long_haul(self):
        """A plant that runs for the time of --haul: memory and balances stay constant, and ten kills change no bit."""
        steps, kept = 1000 * HAUL, 20 * HAUL
        begin = ["run", PROJECT / "tests/faults/long_haul.toml", "-q", "--until", HAUL, "--force",
                 "--set", f"checkpoints.steps={kept}"]
        reference, folder = self.folder / "reference", self.folder / "killed"

        def begun(*arguments):
            return subprocess.Popen([SCREE, *map(str, arguments)], stderr=subprocess.PIPE, text=True)

        def reached():
            return max((int(f.stem.removeprefix("step_")) for f in folder.glob("checkpoints/step_*.h5")), default=0)

        chance = random.Random(5)
        kills = sorted(chance.randrange(kept, steps - kept) for _ in range(10))
        sound, killed = begun(*begin, "--threads", 1, "-o", reference), begun(*begin, "--threads", 1, "-o", folder)
        used, killed_at = [], []
        while sound.poll() is None or killed.poll() is None:
            time.sleep(0.05)
            if sound.poll() is None:
                used.append(own_memory(sound.pid))
            if kills and reached() >= kills[0]:
                kills.pop(0)
                time.sleep(chance.uniform(0.0, 0.3))
                killed.kill()
                killed.communicate()
                killed_at.append(reached())
                killed = begun("run", "--resume", folder, "-q", "--threads", chance.choice([1, 2]), "--force")
        for process in (sound, killed):
            said = process.communicate()[1]
            self.assertEqual(process.returncode, 0, said)
        self.assertEqual(kills, [])
        self.assert_same_run(reference, folder)

        part = len(used) // 5
        early, late = max(used[part:2 * part]), max(used[-part:])
        self.assertLess(late, 1.05 * early + 2e6)

        done = summary(reference)
        energy, exchange = done["energy"], done["insertion"]
        turned_over = energy["dissipated_by_friction_J"] + energy["dissipated_by_impact_J"]
        self.assertLess(abs(energy["energy_remainder_J"]), 1e-13 * turned_over)  # rounding of steps, which may add up
        self.assertLess(done["energy_unexplained_relative"], 1e-13)
        self.assertLess(done["momentum_created_relative"], 1e-14)
        self.assertLess(done["angular_momentum_created_relative"], 1e-14)
        self.assertLess(done["energy_created_relative"], 1e-3)
        self.assertEqual(done["narrow_phase_failures"], 0)
        self.assertEqual(done["lost_bodies"], 0)
        passed = {"inlet": [], "other": []}
        for opening in exchange["openings"]:
            passed["inlet" if opening["kind"] == "inlet" else "other"].append(opening)
        self.assertEqual(sum(o["bodies"] for o in passed["inlet"]) - sum(o["bodies"] for o in passed["other"]),
                         done["bodies"])
        came = math.fsum(o["mass_kg"] for o in passed["inlet"])
        self.assertAlmostEqual(came - math.fsum(o["mass_kg"] for o in passed["other"]), exchange["mass_kg"],
                               delta=1e-12 * came)

        # The grains' quantities are the same in both halves of the time, within their scatter; the initial filling is
        # excluded.
        with open(reference / "steps.csv") as stream:
            kinetic = [float(row["kinetic_energy_J"]) for row in csv.DictReader(stream)]
        blocks = [math.fsum(kinetic[k * steps // 50:(k + 1) * steps // 50]) * 50 / steps for k in range(10, 50)]
        halves = blocks[:20], blocks[20:]
        scatter = math.sqrt(sum(statistics.variance(half) / len(half) for half in halves))
        self.assertLess(abs(statistics.mean(halves[0]) - statistics.mean(halves[1])), 5 * scatter)
        print(f"{steps} steps, {done['wall_time_s']:.0f} s, {sum(o['bodies'] for o in passed['inlet'])} bodies came, killed after steps "
              f"{killed_at}; memory {early / 1e6:.1f} and {late / 1e6:.1f} MB, kinetic energy "
              f"{statistics.mean(halves[0]):.4g} and {statistics.mean(halves[1]):.4g} J (+- {scatter:.2g}), ledger "
              f"{energy['energy_remainder_J']:.2g} of {turned_over:.6g} J, deepest overlap {100 * done['penetration_max_of_run']:.1f} %, "
              f"created {done['energy_created_relative']:.2g}, median step {1e6 * done['median_step_time_s']:.0f} us")

    def test_interrupted(self):
        """Ctrl-C, kill and a closed terminal leave a frame and a checkpoint; the final results have neither."""
        reference, wall = self.reference("events and motions", 100000)
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGHUP, 130)):
            folder = self.folder / number.name
            process = subprocess.Popen([SCREE, *map(str, start("events and motions", folder, 100000))],
                                       stderr=subprocess.PIPE, text=True)
            while not (folder / "steps.csv").exists() or len((folder / "steps.csv").read_text()) < 4000:
                time.sleep(0.002)
            process.send_signal(number)
            said = process.communicate()[1]
            self.assertEqual(process.returncode, code, said)
            self.assertEqual(summary(folder)["status"], "interrupted")
            self.go_on(folder)
            self.assert_same_run(reference, folder)

    def test_further_than_its_end(self):
        folder = self.folder / "run"
        arguments = start("impacts", folder, 1000)
        arguments[arguments.index("--until") + 1] = "0.2"
        self.assertEqual(scree(*arguments).returncode, 0)
        again = scree("run", "--resume", folder, "-q")
        self.assertEqual(again.returncode, 0, again.stderr)  # all work is done, so a script ends here
        self.assertIn("--until continues it", again.stderr)
        done = scree("run", "--resume", folder, "-q", "--until", "0.5", "--force")
        self.assertEqual(done.returncode, 0, done.stderr)
        reference, _ = self.reference("impacts")
        self.assertEqual(summary(folder)["state_hash"], summary(reference)["state_hash"])
        self.assert_same_table(folder / "steps.csv", reference / "steps.csv")

    def test_killed_before_it_was_summed_up(self):
        """All steps and the last checkpoint are done, but no summary: it is made, without further steps."""
        for name, until in (("impacts", None), ("a gate that goes", 20)):
            reference = self.folder / name
            arguments = start(name, reference, 1000)
            if until:  # an event ends it
                arguments[arguments.index("--until") + 1] = until
            self.assertEqual(scree(*arguments).returncode, 0)
            folder = self.folder / f"{name} copy"
            shutil.copytree(reference, folder)
            (folder / "summary.json").unlink()
            self.go_on(folder)
            self.assert_same_run(reference, folder)
            written = (folder / "summary.json").read_text()
            self.assertEqual(scree("run", "--resume", folder, "-q").returncode, 0)
            self.assertEqual((folder / "summary.json").read_text(), written)

    def test_the_same_command_begins_goes_on_and_is_done(self):
        """A script repeats one command after any interruption: before any file, before a checkpoint, later."""
        reference, wall = self.reference("impacts", 100000)
        folder = self.folder / "run"
        command = [a if a != "-o" else "--resume" for a in start("impacts", folder, 100000)]

        def killed_when(reached):
            process = subprocess.Popen([SCREE, *map(str, command)], stderr=subprocess.PIPE)
            deadline = time.monotonic() + 20 * wall + 10
            while not reached() and process.poll() is None:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.001)
            process.kill()
            process.communicate()

        def size():  # a run that begins anew has no table for a moment
            with contextlib.suppress(FileNotFoundError):
                return (folder / "steps.csv").stat().st_size
            return 0

        killed_when(lambda: (folder / "steps.csv").exists())
        killed_when(lambda: size() > 20000)
        self.assertEqual([f.name for f in folder.glob("checkpoints/*.h5")], ["step_000000000.h5"])
        done = scree(*command)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_same_run(reference, folder)
        again = scree(*command)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("has reached its end", again.stderr)
        other = scree(*command, "--set", "gravity=[0, 0, -5]")
        self.assertEqual(other.returncode, 6)
        self.assertIn("was started with another --set", other.stderr)
        for there in (self.folder / "nowhere", self.folder):
            none = scree("run", "--resume", there, "-q")
            self.assertEqual(none.returncode, 6)
            self.assertIn("starts the run there", none.stderr)

    def test_killed_before_its_first_checkpoint(self):
        """The initial state is a checkpoint too."""
        for name in ("impacts", "functions", "a machine", "everything at once"):
            with self.subTest(name):
                reference = self.folder / f"{name} reference"
                self.assertEqual(scree(*start(name, reference, 100000)).returncode, 0)
                folder = self.folder / name
                process = subprocess.Popen([SCREE, *map(str, start(name, folder, 100000))], stderr=subprocess.PIPE)
                while not (folder / "steps.csv").exists() or (folder / "steps.csv").read_bytes().count(b"\n") < 3:
                    self.assertIsNone(process.poll(), "the run was too short for this test")
                    time.sleep(0.001)
                process.kill()
                process.communicate()
                self.assertEqual([f.name for f in folder.glob("checkpoints/*.h5")], ["step_000000000.h5"])
                self.go_on(folder)
                self.assert_same_run(reference, folder)

    def test_a_kill_leaves_as_many_frames_in_every_format(self):
        def counted():
            files = {str(f.relative_to(folder)) for f in folder.glob("vtk/bodies_*.vtp")}
            listed = set(re.findall(r'file="([^"]+)"', (folder / "bodies.pvd").read_text()))
            return whole_frames(folder / "trajectory.h5"), files, listed

        chance, most, apart = random.Random(6), 0, 0
        for k in range(KILLS):
            folder = self.folder / f"run {k}"
            process = subprocess.Popen([SCREE, *map(str, start("impacts", folder, 100000)), "--set", "output.vtk=true",
                                        "--set", "output.interval=0.002"], stderr=subprocess.PIPE)
            while not (folder / "steps.csv").exists():
                time.sleep(0.001)
            time.sleep(chance.uniform(0.3, 1.2))
            process.kill()
            process.communicate()
            frames, files, listed = counted()
            self.assertGreater(len(listed), 0)
            self.assertLessEqual(listed, files)  # all listed frames are there
            # Frames are committed to the trajectory, then named, then listed: about ten times a second, all that came
            # since. A kill between two of these has a chance of one in hundreds.
            self.assertGreaterEqual(frames, len(files))
            differ = not frames == len(files) == len(listed)
            apart += differ
            most = max(most, frames)
            if differ or k == KILLS - 1:
                self.assertEqual(scree("run", "--resume", folder, "-q", "--force").returncode, 0)
                frames, files, listed = counted()
                self.assertEqual(files, listed)
                self.assertEqual(len(files), frames)
            shutil.rmtree(folder)
        self.assertGreater(most, 1)
        self.assertLess(apart, KILLS / 2)

    def test_a_damaged_checkpoint_gives_way_to_the_one_before(self):
        reference, _ = self.reference("impacts", 100)
        folder = self.folder / "copy"
        shutil.copytree(reference, folder)
        newest = max(folder.glob("checkpoints/*.h5"))
        data = bytearray(newest.read_bytes())
        data[len(data) // 2] ^= 1
        newest.write_bytes(data)
        done = scree("run", "--resume", folder, "-q")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{newest.name}: its checksum is wrong: it is damaged", done.stderr)
        self.assert_same_run(reference, folder)
        for file in folder.glob("checkpoints/*.h5"):
            file.write_bytes(file.read_bytes()[:-1])
        none = scree("run", "--resume", folder, "-q")
        self.assertEqual(none.returncode, 6)
        self.assertEqual(none.stderr.count("it is damaged"), 2)

    def test_a_checkpoint_of_another_version_is_reported(self):
        reference, _ = self.reference("impacts", 100000)
        for file in reference.glob("checkpoints/*.h5"):
            file.write_bytes(file.read_bytes().replace(b"\nversion 17\n", b"\nversion 18\n", 1))
        done = scree("run", "--resume", reference, "-q")
        self.assertEqual(done.returncode, 6)
        self.assertIn("it has format version 18, but this program reads 17", done.stderr)

    def test_a_scene_whose_files_have_changed_does_not_go_on(self):
        scenes = self.folder / "conveyor"
        shutil.copytree(PROJECT / "scenes/conveyor", scenes)
        folder = self.folder / "run"
        self.assertEqual(scree("run", scenes / "conveyor.toml", "--until", "0.1", "-q", "-o", folder).returncode, 0)
        (scenes / "conveyor.toml").unlink()  # the checkpoint contains the scene
        self.assertEqual(scree("run", "--resume", folder, "-q", "--until", "0.2").returncode, 0)
        with open(scenes / "sieves.csv", "a") as file:
            file.write("# more\n")
        done = scree("run", "--resume", folder, "-q", "--until", "0.3")
        self.assertEqual(done.returncode, 6)
        self.assertIn("sieves.csv has changed since the start of the run", done.stderr)

    def test_two_runs_in_one_folder(self):
        folder = self.folder / "run"
        first = subprocess.Popen([SCREE, *map(str, start("impacts", folder, 20))], stderr=subprocess.PIPE)
        while not (folder / "trajectory.h5").exists():
            time.sleep(0.002)
        first.send_signal(signal.SIGSTOP)  # while the others try
        for arguments in (start("impacts", folder, 20) + ["--overwrite"], ["run", "--resume", folder, "-q"]):
            second = scree(*arguments)
            self.assertIn(second.returncode, (4, 6), second.stderr)
        self.assertIn("another run writes to it", scree(*start("impacts", folder, 20), "--overwrite").stderr)
        first.send_signal(signal.SIGCONT)
        first.communicate()
        self.assertEqual(first.returncode, 0)
        reference, _ = self.reference("impacts")
        self.assert_same_run(reference, folder)

    def test_file_size_limit(self):
        """A quota without a warning: files cannot grow beyond it."""
        reference, _ = self.reference("impacts", 20)
        size = (reference / "trajectory.h5").stat().st_size
        chance = random.Random(2)
        for _ in range(DISKS):
            folder = self.folder / "run"
            limit = chance.randrange(20_000, size)
            done = scree(*start("impacts", folder, 20),
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("File too large", done.stderr)
            if (folder / "trajectory.h5").exists():
                whole_frames(folder / "trajectory.h5")
            if list(folder.glob("checkpoints/*.h5")):
                self.assertIn("--resume", done.stderr)
                self.go_on(folder)
                self.assert_same_run(reference, folder)
            shutil.rmtree(folder)

    def test_full_disk(self):
        disk = self.folder / "disk"
        disk.mkdir()

        def mount(size, *options):
            return subprocess.run(["mount", "-t", "tmpfs", "-o", ",".join([f"size={size}k", *options]), "tmpfs", disk],
                                  capture_output=True).returncode == 0

        if not mount(100):
            self.skipTest("tmpfs cannot be mounted here")
        self.addCleanup(lambda: subprocess.run(["umount", "-q", disk]))
        reference, _ = self.reference("impacts", 20)
        most = sum(f.stat().st_size for f in reference.rglob("*") if f.is_file()) // 1024
        chance = random.Random(3)
        in_order = 0
        for _ in range(DISKS):
            subprocess.run(["umount", disk], check=True)
            self.assertTrue(mount(chance.randrange(40, most)))
            folder = disk / "run"
            done = scree(*start("impacts", folder, 20))
            self.assertIn(done.returncode, (0, 4), done.stderr)
            if (folder / "trajectory.h5").exists():
                whole_frames(folder / "trajectory.h5")
            self.assertTrue(mount(8 * most, "remount"))
            if done.returncode != 0 and list(folder.glob("checkpoints/*.h5")):
                in_order += "is nearly full" in done.stderr
                self.go_on(folder)
                self.assert_same_run(reference, folder)
        self.assertGreater(in_order, 0)

    def test_memory_limit(self):
        """The place where memory ends is random, but the message is not, and written files stay complete."""
        chance = random.Random(4)
        folder = self.folder / "run"
        for _ in range(2 * DISKS):
            limit = chance.randrange(100, 260) << 20  # below 96 MB even the code before main() has no room
            done = scree(*start("impacts", folder, 20, 2), "--overwrite",
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
            self.assertIn(done.returncode, (0, 1, 4, 13, 127), done.stderr)  # 127: even its libraries found no room
            self.assertEqual(done.returncode == 0, done.stderr == "", done.stderr)
            if (folder / "trajectory.h5").exists():
                whole_frames(folder / "trajectory.h5")

    def test_verify(self):
        """Unchanged files are complete; a changed file is reported by name."""
        reference, _ = self.reference("events and motions", 300)
        done = scree("verify", reference)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        for file in ("trajectory.h5", "steps.csv", "boundaries.csv", "events.csv", "summary.json", "checkpoints/step_"):
            self.assertIn(file, done.stdout)
        self.assertNotIn("DAMAGED", done.stdout)
        folder = self.folder / "damaged"

        def told(file, change, words):
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(reference, folder)
            target = next(folder.glob(file))
            target.write_bytes(change(target.read_bytes()))
            found = scree("verify", folder, "-q")
            self.assertEqual(found.returncode, 6, file)
            self.assertIn(words, found.stderr)
            self.assertIn(target.name, found.stderr)

        def flip(part):
            return lambda data: data[:int(part * len(data))] + bytes([data[int(part * len(data))] ^ 16]) + \
                data[int(part * len(data)) + 1:]

        told("steps.csv", lambda data: data.replace(b"e-", b"e+", 1), "changed since they were written")
        told("steps.csv", lambda data: data[:-30], "cut off")
        told("boundaries.csv", flip(0.5), "changed since they were written")
        told("events.csv", lambda data: data[:-9], "cut off")
        told("trajectory.h5", lambda data: data[:len(data) // 2], "trajectory.h5")
        told("checkpoints/*.h5", flip(0.7), "its checksum is wrong")
        told("summary.json", lambda data: data[:100], "is not a summary")
        with h5py.File(reference / "trajectory.h5") as run:  # a flipped bit in the numbers of a frame
            place = run["frames/position"].id.get_chunk_info(0).byte_offset
        told("trajectory.h5", lambda data: data[:place + 40] + bytes([data[place + 40] ^ 1]) + data[place + 41:],
             "frames/position")

    def test_verify_where_an_event_changes_the_state_of_a_checkpoint(self):
        for until in ("0.1", "0.05"):  # in the middle of the run, and in its last step, the fiftieth
            folder = self.folder / until
            done = scree("run", PROJECT / "tests/faults/event_at_checkpoint.toml", "-q", "-o", folder, "--until", until)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len((folder / "events.csv").read_text().splitlines()), 2)
            found = scree("verify", folder)
            self.assertEqual(found.returncode, 0, found.stderr)
            rows = list(table(folder / "steps.csv"))
            self.assertEqual(summary(folder)["state_hash"], rows[-1][-1])

    def test_verify_finds_every_changed_digit(self):
        """In any row of any table, with a summary, and without one after a kill."""
        finished, _ = self.reference("everything at once", 100000)
        killed = self.folder / "killed"
        process = subprocess.Popen([SCREE, *map(str, start("everything at once", killed, 100000))], stderr=subprocess.PIPE)
        while not (killed / "steps.csv").exists() or (killed / "steps.csv").read_bytes().count(b"\n") < 10:
            self.assertIsNone(process.poll(), "the run was too short for this test")
            time.sleep(0.002)
        process.kill()
        process.communicate()
        self.assertFalse((killed / "summary.json").exists())
        chance = random.Random(7)
        for folder in (finished, killed):
            self.assertEqual(scree("verify", folder, "-q").returncode, 0)
            for file in sorted([*folder.glob("*.csv"), *folder.glob("*.txt"), *folder.glob("summary.json")]):
                whole = file.read_bytes()
                digits = [k for k, c in enumerate(whole) if chr(c).isdigit()]
                for k in chance.sample(digits, min(3, len(digits))):
                    changed = b"7" if whole[k:k + 1] != b"7" else b"3"
                    file.write_bytes(whole[:k] + changed + whole[k + 1:])
                    found = scree("verify", folder, "-q")
                    self.assertEqual(found.returncode, 6, f"{file.name}, byte {k}")
                    self.assertIn(file.name, found.stderr)
                file.write_bytes(whole)
        for file in killed.iterdir():  # tables with only headers contain no steps
            if file.name not in ("steps.csv", "boundaries.csv"):
                shutil.rmtree(file) if file.is_dir() else file.unlink()
            else:
                file.write_bytes(file.read_bytes().split(b"\n")[0] + b"\n")
        found = scree("verify", killed)
        self.assertEqual(found.returncode, 6)
        self.assertIn("have only headers", found.stderr)

    def test_too_few_descriptors_are_no_damage(self):
        reference, _ = self.reference("events and motions", 300)
        for command in (["verify", reference], ["run", "--resume", reference], ["report", reference]):
            for limit in (5, 8, 16, 32):
                done = scree(*command, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
                self.assertEqual(done.returncode, 13, done.stderr)
                self.assertIn("too few file descriptors", done.stderr)
                self.assertNotIn("damaged", done.stderr)

    def test_a_damaged_trajectory_is_refused_at_once(self):
        """Also for a recently written file, for which a reader tries again. HDF5's library gets at most two seconds of
        processor time for a question about a file of this size, twice."""
        reference, _ = self.reference("impacts", 100000)
        whole = (reference / "trajectory.h5").read_bytes()
        chance = random.Random(8)
        refused = 0
        for k in range(24):
            place = chance.randrange(len(whole)) if k % 2 else chance.randrange(4000)
            (reference / "trajectory.h5").write_bytes(whole[:place] + bytes([whole[place] ^ 1 << chance.randrange(8)]) + whole[place + 1:])
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            refused += scree("verify", reference, "-q").returncode == 6
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.assertLess(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 5.0, f"byte {place}")
        self.assertGreater(refused, 8)

    def test_verify_knows_the_files_for_paraview(self):
        folder = self.folder / "run"
        scene = PROJECT / "scenes/events/filled_drum.toml"
        self.assertEqual(scree("run", scene, "--until", "0.1", "-q", "-o", folder).returncode, 0)
        done = scree("verify", folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("bodies.pvd", done.stdout)
        frame = folder / "vtk/bodies_000002.vtp"
        data = frame.read_bytes()
        frame.write_bytes(data[:2000] + b"A" + data[2001:])
        self.assertIn("vtk/bodies_000002.vtp: its checksum is wrong", scree("verify", folder).stderr)
        frame.unlink()
        self.assertIn("vtk/bodies_000002.vtp is missing", scree("verify", folder).stderr)

    def test_restart_from(self):
        """Another scene begins with the bodies of a run: from its last state to the last bit, or from a frame."""
        reference, _ = self.reference("functions", 100000)
        scene = self.folder / "further.toml"
        text = (PROJECT / "scenes/beans/beans.toml").read_text().replace("../shapes", str(PROJECT / "scenes/shapes"))
        scene.write_text(text.split("[[bodies]]")[0] + """
[[bodies]]
position = [0, 0, 3]
semi_axes = [0.1, 0.1, 0.1]

[[boundaries]]
name = "floor"
type = "plane"
point = [0, 0, -1]
normal = [0, 0, 1]
""")
        folder = self.folder / "further"
        begin = ["run", scene, "--restart-from", reference, "--until", "0.1", "-q", "-o", folder]
        done = scree(*begin, "--set", "checkpoints.steps=10")
        self.assertEqual(done.returncode, 0, done.stderr)
        with h5py.File(reference / "trajectory.h5") as old, h5py.File(folder / "trajectory.h5") as new:
            rows = old["frames/offset"][-2:]
            before = {i: x for i, x in zip(old["bodies/id"][:][old["frames/body"][rows[0]:rows[1]]],
                                           old["frames/position"][rows[0]:rows[1]])}
            count = new["frames/offset"][1]
            self.assertEqual(count, len(before) + 1)
            after = {i: x for i, x in zip(new["bodies/id"][:][new["frames/body"][:count]], new["frames/position"][:count])}
            for number, position in before.items():
                self.assertEqual(tuple(position), tuple(after[number]))
            own = set(after) - set(before)
            self.assertEqual(own, {len(before)})  # a number that was not in use
            for field in ("mass", "inertia"):
                theirs = dict(zip(old["bodies/id"][:], old[f"bodies/{field}"][:].tolist()))
                ours = dict(zip(new["bodies/id"][:], new[f"bodies/{field}"][:].tolist()))
                for number in before:
                    self.assertEqual(theirs[number], ours[number])
        # It continues without the run from which it came.
        whole = summary(folder)["state_hash"]
        newest = max(folder.glob("checkpoints/*.h5"))
        newest.unlink()
        shutil.rmtree(reference)
        self.go_on(folder)
        self.assertEqual(summary(folder)["state_hash"], whole)

        early = self.folder / "early"
        self.assertEqual(scree("run", scene, "--restart-from", folder, "--time", "0.05", "--until", "0.01", "-q", "-o",
                               early, "--set", "bodies[0].position=[5, 5, 5]").returncode, 0)
        with h5py.File(folder / "trajectory.h5") as old, h5py.File(early / "trajectory.h5") as new:
            frame = list(old["frames/time"][:]).index(min(old["frames/time"][:], key=lambda t: abs(t - 0.05)))
            rows = old["frames/offset"][frame:frame + 2]
            self.assertEqual(old["frames/position"][rows[0]:rows[1]].tolist(),
                             new["frames/position"][:rows[1] - rows[0]].tolist())

        scene.write_text(scene.read_text().replace('"stone"', '"wood"').replace('name = "bean"', 'name = "other"'))
        done = scree(*begin, "--overwrite")
        self.assertEqual(done.returncode, 6 if not reference.exists() else 3)
        done = scree("run", scene, "--restart-from", folder, "-q", "-o", self.folder / "none")
        self.assertEqual(done.returncode, 3)
        self.assertIn("has bodies of a material which this scene does not have", done.stderr)
        self.assertIn("has bodies of a shape which this scene does not have", done.stderr)

    def test_folder_removed(self):
        folder = self.folder / "run"
        process = subprocess.Popen([SCREE, *map(str, start("impacts", folder, 20))], stderr=subprocess.PIPE, text=True)
        while not list(folder.glob("checkpoints/*.h5")):
            time.sleep(0.002)
        folder.rename(self.folder / "elsewhere")
        said = process.communicate()[1]
        self.assertEqual(process.returncode, 4, said)
        self.assertIn("No such file or directory", said)
        (self.folder / "elsewhere").rename(folder)
        self.go_on(folder)
        self.assert_same_run(self.reference("impacts")[0], folder)


for run in RUNS:
    setattr(Faults, "test_goes_on_" + run.replace(" ", "_"), lambda self, run=run: self.killed_once(run))


def take(name, default):
    if name not in sys.argv:
        return default
    at = sys.argv.index(name)
    value = int(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    return value


if __name__ == "__main__":
    MORE = 5 if "SCREE_LONG_TESTS" in os.environ else 1
    KILLS, DISKS, HAUL = take("--kills", KILLS), take("--disks", DISKS), take("--haul", HAUL)
    KILLS, DISKS = MORE * KILLS, MORE * DISKS
    SCREE, PROJECT = sys.argv[1], Path(sys.argv[2])
    del sys.argv[1:3]
    unittest.main()
