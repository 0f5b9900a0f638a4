"""docs/notebooks: each is executed from top to bottom, in its own folder."""

import os
import shutil
import tempfile
import unittest
from pathlib import Path

import nbformat
from nbclient import NotebookClient

SOURCE = Path(__file__).resolve().parents[2]


os.environ.pop("MPLBACKEND", None)  # so that pictures go into the notebook


class Notebooks(unittest.TestCase):
    def execute(self, name):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(SOURCE / "scenes", Path(folder) / "scenes")
            here = Path(folder) / "docs/notebooks"
            shutil.copytree(SOURCE / "docs/notebooks", here, ignore=shutil.ignore_patterns("results", "__pycache__"))
            notebook = nbformat.read(here / f"{name}.ipynb", 4)
            NotebookClient(notebook, timeout=280, kernel_name="python3", resources={"metadata": {"path": str(here)}}).execute()
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        self.assertGreater(len(code), 3)
        self.assertTrue(any("image/png" in output.get("data", {}) for cell in code for output in cell.outputs), "no picture")
        return notebook

    def test_all_are_here(self):
        names = {path.stem for path in (SOURCE / "docs/notebooks").glob("*.ipynb")}
        self.assertEqual(names, {name.removeprefix("test_") for name in dir(self) if name.startswith("test_")} - {"all_are_here"})

    def test_first_run(self):
        notebook = self.execute("first_run")
        shown = notebook.cells[-1].outputs[0]["data"]["text/html"]
        self.assertIn("<iframe", shown)

    def test_own_force(self):
        self.execute("own_force")

    def test_calibration(self):
        self.execute("calibration")

    def test_chains_and_fields(self):
        self.execute("chains_and_fields")

    def test_control_of_a_machine(self):
        self.execute("control_of_a_machine")


if __name__ == "__main__":
    unittest.main(verbosity=2)
