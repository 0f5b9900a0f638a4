"""The JSON schema is valid, accepts every shipped scene and refuses broken ones. Skipped (77) without its packages."""

import json
import pathlib
import sys

try:
    import jsonschema
    import tomllib  # Python 3.11
except ImportError as error:
    print(f"skipped: {error.name} is not installed (Debian: python3-jsonschema, Python 3.11)")
    sys.exit(77)

root = pathlib.Path(sys.argv[1])
schema = json.loads((root / "docs" / "scene.schema.json").read_text())
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)


def load(path):
    return tomllib.loads(path.read_text())


failures = []
scenes = sorted(p for p in (root / "scenes").glob("*/*.toml") if p.parent.name != "shapes")
assert scenes, "no scenes found"
for scene in scenes:
    failures += [f"{scene}: {error.message}" for error in validator.iter_errors(load(scene))]

for name in ("01_unknown_key", "04_unknown_word", "05_negative_size", "12_restitution_above_one"):
    if validator.is_valid(load(root / "tests" / "scene" / "bad" / f"{name}.toml")):
        failures.append(f"{name} was accepted")

print("\n".join(failures) or f"{len(scenes)} scenes are valid")
sys.exit(1 if failures else 0)
