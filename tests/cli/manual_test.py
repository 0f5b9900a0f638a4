"""Completion, manual page and example scenes: manual_test.py <scree> <source folder> [Manual.test_name ...]"""
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

PROGRAM, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])


def scree(*arguments, **options):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=100, **options)


def drain(terminal):
    """Reads the output of a shell, so that it can continue to print."""
    try:
        while os.read(terminal, 1 << 16):
            pass
    except OSError:  # the shell has ended
        pass
KINDS = ("box", "tube", "hopper", "packing", "screw", "screen", "mixer")  # of `scree new`


class Manual(unittest.TestCase):
    def made(self, *arguments):
        done = scree(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def commands(self):
        """The commands that --help lists."""
        return re.findall(r"^  (\w+)  +\S", self.made("--help").split("Subcommands:")[1], flags=re.MULTILINE)

    def options(self, command):
        return set(re.findall(r"(?<![\w-])--[a-z][\w-]*", self.made("help", command).split("Options:")[1]))

    def test_bash_completes(self):
        """The suggestions of bash, from bash itself."""
        script = self.made("completion", "bash")

        def offered(*words):
            asked = script + f"\nCOMP_WORDS=({' '.join(repr(w) for w in words)}); COMP_CWORD={len(words) - 1}\n_scree\n"
            done = subprocess.run(["bash", "-c", asked + 'printf "%s\\n" "${COMPREPLY[@]}"'], capture_output=True, text=True,
                                  cwd=SOURCE)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return set(done.stdout.split())

        self.assertEqual(offered("scree", "ren"), {"render"})
        self.assertLessEqual(set(self.commands()), offered("scree", ""))
        self.assertEqual(offered("scree", "run", "--thr"), {"--threads"})
        self.assertEqual(offered("scree", "solve", "p.h5", "--solver", "n"), {"nsgs"})
        self.assertEqual(offered("scree", "render", "sce"), {"scenes"})
        self.assertEqual(offered("scree", "new", ""), set(KINDS))
        self.assertEqual(offered("scree", "help", "re"), {"render", "report"})
        for command in self.commands():
            self.assertLessEqual(self.options(command), offered("scree", command, "--"), command)

    def test_zsh_and_fish_are_well_formed(self):
        for shell in ("zsh", "fish"):
            text = self.made("completion", shell)
            for command in self.commands():
                self.assertIn(command, text)
            self.assertIn("nsgs", text)
            if not shutil.which(shell):
                continue
            with tempfile.NamedTemporaryFile("w", suffix="." + shell) as file:
                file.write(text)
                file.flush()
                done = subprocess.run([shell, "--no-execute" if shell == "fish" else "-n", file.name], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""), shell)

    # Typed text, and the text after the Tab key; `sce` is the folder of the scenes.
    TYPED = {"scree ren": "scree render ", "scree run --thr": "scree run --threads ", "scree help ren": "scree help render ",
             "scree new ho": "scree new hopper ", "scree solve p.h5 --solver gau": "scree solve p.h5 --solver gauss_seidel ",
             "scree check scenes/inclined_tube/incl": "scree check scenes/inclined_tube/inclined_tube.toml ",
             "scree render sce": "scree render scenes/", "scree watch sce": "scree watch scenes/",
             "scree run -o sce": "scree run -o scenes/"}

    def all_options(self, typed):
        """{typed text: completed option} for every option that its beginning identifies."""
        wanted = {}
        for command in self.commands():
            options = self.options(command)
            for option in options:
                if not any(other != option and other.startswith(option[:-1]) for other in options):
                    wanted[typed.format(command, option[:-1])] = typed.format(command, option)
        self.assertGreater(len(wanted), 60)
        return wanted

    def test_fish_completes(self):
        """The suggestions of fish, from fish itself."""
        if not shutil.which("fish"):
            self.skipTest("no fish here")
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "scree.fish")
            pathlib.Path(script).write_text(self.made("completion", "fish"), encoding="utf-8")
            wanted = dict(self.TYPED, **self.all_options("scree {} {}"))
            lines = [f"source {script}"]
            for k, typed in enumerate(wanted):
                lines += [f"echo = {k}", f"complete -C '{typed}'"]
            done = subprocess.run(["fish", "-c", "\n".join(lines)], capture_output=True, text=True, cwd=SOURCE,
                                  env=dict(os.environ, HOME=folder))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        offers = [[line.split("\t")[0] for line in part.splitlines()[1:]] for part in done.stdout.split("= ")[1:]]
        for (typed, after), offered in zip(wanted.items(), offers, strict=True):
            self.assertEqual(offered, [after.split()[-1]], typed)

    def test_zsh_completes(self):
        """The line of zsh after the Tab key, in a terminal."""
        if not shutil.which("zsh"):
            self.skipTest("no zsh here")
        wanted = dict(self.TYPED, **self.all_options("scree {} {}"))
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "_scree").write_text(self.made("completion", "zsh"), encoding="utf-8")
            lines = os.path.join(folder, "lines")
            # Tab completes; Ctrl-X writes the line to a file and begins a new one.
            pathlib.Path(folder, ".zshrc").write_text(
                f"PS1=; fpath=({folder} $fpath)\nautoload -Uz compinit; compinit -u -D\n"
                f"note() {{ print -r -- \"$BUFFER|\" >> {lines}; BUFFER= }}\nzle -N note\n"
                "bindkey -e; bindkey '^I' complete-word; bindkey '^X' note; KEYTIMEOUT=1\n"
                f"print ready > {lines}\n", encoding="utf-8")
            terminal, other = pty.openpty()
            shell = subprocess.Popen(["zsh", "-i"], stdin=other, stdout=other, stderr=other, cwd=SOURCE, start_new_session=True,
                                     env=dict(os.environ, ZDOTDIR=folder, TERM="dumb"))
            os.close(other)
            reader = threading.Thread(target=drain, args=(terminal,), daemon=True)
            reader.start()

            def written(count):
                end = time.monotonic() + 20
                while time.monotonic() < end:
                    if os.path.exists(lines):
                        text = pathlib.Path(lines).read_text(encoding="utf-8").splitlines()
                        if len(text) >= count:
                            return text
                    time.sleep(0.01)
                self.fail(f"zsh says nothing: {text}")

            try:
                written(1)
                for k, (typed, after) in enumerate(wanted.items()):
                    os.write(terminal, typed.encode() + b"\t\x18")
                    line = written(k + 2)[-1].removesuffix("|")
                    self.assertEqual(line.rstrip() if typed.split()[-1].startswith("-") else line,
                                     after.rstrip() if typed.split()[-1].startswith("-") else after, typed)
            finally:
                shell.kill()
                shell.wait()
                reader.join(timeout=5)
                os.close(terminal)

    def test_manual_page_is_whole(self):
        text = self.made("manual")
        plain = text.replace("\\-", "-")
        for command in self.commands():
            self.assertIn(f'.SH "scree {command}"', text)
            for option in self.options(command):
                self.assertIn(f"\\fB{option}\\fR", plain, command)
        if not shutil.which("man"):
            return
        with tempfile.NamedTemporaryFile("w", suffix=".1") as file:
            file.write(text)
            file.flush()
            shown = subprocess.run(["man", "--warnings", "-l", file.name], capture_output=True, text=True,
                                   env=dict(os.environ, MANWIDTH="100", LC_ALL="C", PAGER="cat"))
        if shown.returncode == 0 and "minimized" not in shown.stdout:  # containers have no manual pages
            self.assertEqual(shown.stderr, "")
            self.assertIn("--threads", shown.stdout)

    # Each key, each section and each quantity is explained under its name.
    def test_explain(self):
        with open(SOURCE / "docs" / "scene.schema.json") as file:
            materials = json.load(file)["properties"]["materials"]["items"]["properties"]
        self.assertGreater(len(materials), 10)
        for key in list(materials)[:5]:
            said = self.made("explain", key)
            self.assertIn("of [[materials]]", said)
            self.assertIn(materials[key]["description"].split(".")[0][:40], " ".join(said.split()))
        self.assertIn(">= 0", self.made("explain", "materials.friction"))
        self.assertNotIn("friction_patches", self.made("explain", "materials.friction"))
        self.assertIn("tolerance", self.made("explain", "solver"))
        self.assertIn("a quantity of a boundary", self.made("explain", "power_W"))

    def test_exit_statuses_are_documented(self):
        table = re.findall(r"^\| (\d+) \| (.+) \|$", (SOURCE / "docs" / "cookbook.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
        told = re.findall(r"^\.TP\n(\d+)\n(.*)$", self.made("manual").replace("\\-", "-"), flags=re.MULTILINE)
        self.assertGreater(len(told), 12)
        without_links = [(code, re.sub(r" \(\[[^)]*\)\)", "", meaning)) for code, meaning in table]
        self.assertEqual(without_links, told)

    def test_new_scenes_run(self):
        for kind in KINDS:
            with self.subTest(kind), tempfile.TemporaryDirectory() as folder:
                self.assertEqual(scree("new", kind, "-o", "mine.toml", cwd=folder).returncode, 0)
                text = pathlib.Path(folder, "mine.toml").read_text(encoding="utf-8")
                self.assertIn("scree run mine.toml", text)
                self.assertIn("results/mine", text)
                self.assertGreater(text.count("#"), 12)
                done = scree("check", "mine.toml", "--quick", cwd=folder)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                done = scree("run", "mine.toml", "-q", "--until", "0.05", "--set", "output.vtk=false", cwd=folder)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
                self.assertTrue(os.path.exists(os.path.join(folder, "results", "mine", "trajectory.h5")))
                self.assertEqual(scree("new", kind, "-o", "mine.toml", cwd=folder).returncode, 4)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
