"""Completion, manual page and scenes to begin with: manual_test.py <scree> <source folder> [Manual.test_name ...]"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])


def scree(*arguments, **options):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=100, **options)


class Manual(unittest.TestCase):
    def made(self, *arguments):
        done = scree(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def commands(self):
        """Those that --help lists."""
        return re.findall(r"^  (\w+)  +\S", self.made("--help").split("Subcommands:")[1], flags=re.MULTILINE)

    def options(self, command):
        return set(re.findall(r"(?<![\w-])--[a-z][\w-]*", self.made("help", command).split("Options:")[1]))

    def test_bash_completes(self):
        """What bash would offer, asked of bash itself."""
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
        self.assertEqual(offered("scree", "solve", "p.h5", "--solver", "per"), {"per_body", "per_contact"})
        self.assertEqual(offered("scree", "render", "sce"), {"scenes"})
        self.assertEqual(offered("scree", "new", ""), {"box", "tube", "hopper", "packing"})
        for command in self.commands():
            self.assertLessEqual(self.options(command), offered("scree", command, "--"), command)

    def test_zsh_and_fish_are_well_formed(self):
        for shell in ("zsh", "fish"):
            text = self.made("completion", shell)
            for command in self.commands():
                self.assertIn(command, text)
            self.assertIn("per_contact", text)
            if not shutil.which(shell):
                continue
            with tempfile.NamedTemporaryFile("w", suffix="." + shell) as file:
                file.write(text)
                file.flush()
                done = subprocess.run([shell, "--no-execute" if shell == "fish" else "-n", file.name], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""), shell)

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
        if shown.returncode == 0 and "minimized" not in shown.stdout:  # containers come without their manual
            self.assertEqual(shown.stderr, "")
            self.assertIn("--threads", shown.stdout)

    def test_exit_statuses_are_documented(self):
        table = re.findall(r"^\| (\d+) \| (.+) \|$", (SOURCE / "docs" / "cookbook.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
        told = re.findall(r"^\.TP\n(\d+)\n(.*)$", self.made("manual").replace("\\-", "-"), flags=re.MULTILINE)
        self.assertGreater(len(told), 12)
        without_links = [(code, re.sub(r" \(\[[^)]*\)\)", "", meaning)) for code, meaning in table]
        self.assertEqual(without_links, told)

    def test_new_scenes_run(self):
        for kind in ("box", "tube", "hopper", "packing"):
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
