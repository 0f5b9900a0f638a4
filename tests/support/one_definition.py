"""Types with the same name in the same namespace in two files: C++ takes them for one type, and the linker keeps one
destructor (or vector of them) for both. Reads every source of the project.

    python3 tests/support/one_definition.py SOURCE_DIR
"""

import re
import sys
import tempfile
import unittest
from collections import defaultdict
from pathlib import Path

PARTS = ("engine", "io", "tools")  # parts that one program may link
# The style's form of namespaces and types: from the first column on.
NAMESPACE = re.compile(r"(?:inline )?namespace(?: ([\w:]+))? \{$")
NAMESPACE_END = re.compile(r"\}  // namespace")
TYPE = re.compile(r"(?:struct|class|union|enum(?: class)?) (?:alignas\([^)]*\) )?((?:\w+::)*\w+)\b[^;]*\{")


def types_in(text):
    """Qualified names of the types that a file defines visibly for other files."""
    scopes, found = [], set()
    for line in text.split("\n"):
        if opened := NAMESPACE.match(line):
            scopes.append(opened[1])
        elif NAMESPACE_END.match(line) and scopes:
            scopes.pop()
        elif (defined := TYPE.match(line)) and None not in scopes:
            found.add("::".join([*scopes, defined[1]]))
    return found


def faults_of(root):
    places = defaultdict(list)
    for part in PARTS:
        for file in sorted((root / part).rglob("*")):
            if file.suffix in (".h", ".cpp"):
                for name in types_in(file.read_text(encoding="utf-8")):
                    places[name].append(file.relative_to(root).as_posix())
    return [f"{name}: {', '.join(files)}" for name, files in sorted(places.items()) if len(files) > 1]


class Checker(unittest.TestCase):
    def test_types_that_others_see_are_found(self):
        self.assertEqual({"a::b::C", "a::D", "a::b::E", "a::b::F::G"}, types_in(
            "namespace a::b {\nstruct C {\n};\nstruct Declared;\nnamespace {\nstruct Hidden {\n};\n}  // namespace\n"
            "enum class E { one };\nclass F::G {\n};\n}  // namespace a::b\nnamespace a {\nstruct D : C {\n}  // namespace a\n"))

    def test_two_types_of_one_name_are_reported(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name in ("engine/a.h", "tools/b.cpp"):
                (root / name).parent.mkdir()
                (root / name).write_text("namespace s {\nstruct Same {\n};\n}  // namespace s\n")
            self.assertEqual(["s::Same: engine/a.h, tools/b.cpp"], faults_of(root))


class Project(unittest.TestCase):
    root = None

    def test_every_type_is_defined_once(self):
        self.assertIn("scree::Shapes", types_in((self.root / "engine/geometry/shapes.h").read_text(encoding="utf-8")))
        self.assertEqual([], faults_of(self.root))


if __name__ == "__main__":
    Project.root = Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
