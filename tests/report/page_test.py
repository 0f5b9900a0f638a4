"""A report page in headless Chromium: bodies, diagrams, no downloads. page_test.py <scree> <write_example_results>

Without Chromium it skips, but not in CI.
"""
import base64
import contextlib
import itertools
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from chromium import Chromium

SKIP = 77
PAGES = itertools.count()

SCENE = """
name = "drop <b>"
description = "a </script> in the text"
time_step = 0.002
end_time = 0.3
[output]
interval = 0.02
[[materials]]
name = "stone"
density = 2500
[[bodies]]
generate = "random"
count = 40
semi_axes = [0.06, 0.04, 0.03]
orientation = "random"
region = { type = "box", low = [-0.2, -0.2, 0.05], high = [0.2, 0.2, 0.8] }
[[boundaries]]
name = "floor"
type = "plane"
"""

# Added to a copy of the page: once the bodies are loaded, it checks the picture and writes the result.
PROBE = """<script>
const wait = setInterval(() => {
  if (!document.body.dataset.state) return;
  clearInterval(wait);
  const look = () => {
    const gl = document.getElementById("canvas").getContext("webgl2"), w = gl.drawingBufferWidth, h = gl.drawingBufferHeight;
    const pixel = new Uint8Array(4 * w * h);
    gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    let coloured = 0;
    for (let i = 0; i < pixel.length; i += 4) {
      const c = pixel.slice(i, i + 3);
      if (Math.max(...c) - Math.min(...c) > 40) ++coloured;
    }
    return coloured / (w * h);
  };
  const seen = { state: document.body.dataset.state, before: look(), diagrams: document.querySelectorAll(".uplot").length,
    columns: document.querySelectorAll("#any-column option").length };
  // Another column, and logarithmic axes, are drawn in place of what was there.
  const choice = document.getElementById("any-column");
  choice.value = choice.options[choice.options.length - 1].value;
  choice.dispatchEvent(new Event("change"));
  for (const button of document.querySelectorAll(".plot button")) button.click();
  seen.again = document.querySelectorAll(".uplot").length;
  const slider = document.getElementById("time");
  slider.value = slider.max;
  slider.dispatchEvent(new Event("input"));
  seen.after = look();
  seen.clock = document.getElementById("clock").textContent;
  seen.title = document.getElementById("scene").textContent;
  const box = document.getElementById("verdict"), items = [...document.querySelectorAll("#verdict-findings li")];
  seen.verdict = { shown: box.offsetHeight > 0, top: box.offsetTop, grade: box.classList[1], border: getComputedStyle(box).borderLeftColor,
    title: document.getElementById("verdict-title").textContent, findings: items.map((item) => item.textContent),
    checks: document.querySelectorAll("#verdict-checks tr").length - 1 };
  document.body.dataset.seen = JSON.stringify(seen);
}, 50);
</script>"""


def unpacked(text):
    return zlib.decompress(base64.b64decode(text))


def check_text(page):
    for outside in (r"\b(https?|wss?|ftp):", r"<(script|img|link|iframe|a)\b[^>]*\b(src|href)\s*=", r"@import", r"url\("):
        found = re.search(outside, page)
        assert not found, f"the page reaches outside: {page[max(0, found.start() - 40):found.end() + 40]}"
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL).group(1))
    view, n = data["view"], data["view"]["bodies"]
    assert n == 40 and len(view["times"]) == 16, (n, len(view["times"]))
    axes = struct.unpack(f"<{3 * n}f", unpacked(view["scale"]))
    assert abs(max(axes) - 0.06) < 1e-6 and abs(min(axes) - 0.03) < 1e-6
    assert len(unpacked(view["position"])) == 2 * 3 * n * 16
    assert data["run"]["commit"] and data["run"]["machine"] and data["summary"]["status"] == "finished"
    return data


def numbers(text, row):
    """[frame][row] of the 16-bit numbers, stored as differences to the previous frame, low bytes first."""
    raw = unpacked(text)
    low, high = raw[: len(raw) // 2], raw[len(raw) // 2 :]
    frames, last = [], [0] * row
    for start in range(0, len(low), row):
        last = [(last[i] + low[start + i] + 256 * high[start + i]) % 65536 for i in range(row)]
        frames.append(last)
    return frames


def check_who_is_there(scree, writer, folder):
    """Bodies that come and go: the page has all five, and a zero rotation marks a missing body."""
    subprocess.run([writer, folder, "who come and go"], check=True)
    subprocess.run([scree, "report", folder, "-q"], check=True)
    with open(os.path.join(folder, "report.html"), encoding="utf-8") as file:
        page = file.read()
    view = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL).group(1))["view"]
    assert view["bodies"] == 5, view["bodies"]
    there = [[i for i in range(5) if any(q[i::5])] for q in numbers(view["quaternion"], 20)]
    # The bodies 3, 7, 12, 20, 41; see fixtures.cpp.
    assert there == [[0, 1, 2], [1, 2, 3], [], [0, 2, 3, 4], [0, 2, 3, 4]], there
    return page


def check_heights(data, folder):
    """The last frame's unpacked heights equal those of the trajectory, to 16 bits of the run's extent."""
    import h5py

    view, n = data["view"], data["view"]["bodies"]
    z = numbers(view["position"], 3 * n)[-1][2 * n :]
    with h5py.File(os.path.join(folder, "trajectory.h5")) as run:
        recorded = run["frames/position"][-n:, 2]
    step = view["size"][2] / 65535
    assert all(abs(view["low"][2] + step * z[i] - recorded[i]) < 1e-5 for i in range(n))


def check_verdict(seen, verdict, colour):
    """The box shows its grade in words and by colour, and all findings that are not green with advice."""
    box = seen["verdict"]
    assert box["shown"] and box["top"] < 400, box
    assert box["grade"] == verdict["grade"] and box["border"] == colour, box
    assert f"Verdict: {verdict['grade']}, {verdict['meaning']}" in box["title"], box
    bad = [f for f in verdict["findings"] if f["grade"] != "green"]
    assert box["findings"] == [f["grade"] + f["text"] + f["advice"] for f in bad], box
    assert box["checks"] == len(verdict["findings"]) == 18, box


def rash_run(scree, scene, folder):
    """The page and the verdict of a run with too few sweeps and too large a step."""
    subprocess.run([scree, "run", scene, "-q", "-o", folder, "--set", "time_step=0.02", "--set", "solver.max_sweeps=1"],
                   check=True, stderr=subprocess.DEVNULL)
    subprocess.run([scree, "report", folder, "-q"], check=True)
    with open(os.path.join(folder, "report.html"), encoding="utf-8") as file:
        return file.read()


WAISTS = """
[[bodies]]
shape = "waist"
size = 0.1
position = [0, 0, 1.2]
[[shapes]]
name = "waist"
semi_axes = [1, 0.5, 0.5]
[[shapes.perturbations]]
type = "ellipsoid"
semi_axes = [0.55, 0, 0]
weight = -0.65
"""


def check_functions(scree, browser, folder, picture):
    """A body given by a function is shown by its own surface, the others as scaled balls."""
    scene, run = os.path.join(folder, "waists.toml"), os.path.join(folder, "waists")
    with open(scene, "w", encoding="utf-8") as file:
        file.write(SCENE + WAISTS)
    subprocess.run([scree, "run", scene, "-q", "-o", run, "--until", "0.1"], check=True)
    subprocess.run([scree, "report", run, "-q"], check=True)
    with open(os.path.join(run, "report.html"), encoding="utf-8") as file:
        page = file.read()
    view = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL).group(1))["view"]
    assert struct.unpack("<41f", unpacked(view["mesh"])) == (0.0,) * 40 + (1.0,)
    assert struct.unpack("<123f", unpacked(view["scale"]))[-3:] == struct.unpack("<3f", struct.pack("<3f", 0.1, 0.1, 0.1))
    (surface,) = view["surfaces"]
    x = struct.unpack(f"<{3 * 642}f", unpacked(surface["points"]))
    for a, b, c in zip(x[0::3], x[1::3], x[2::3]):
        assert abs(1 - a**2 - 4 * (b**2 + c**2) - 0.65 * max(0, 1 - (a / 0.55) ** 2) ** 2) < 1e-5
    assert len(unpacked(surface["triangles"])) == 4 * 3 * 1280
    seen = in_browser(browser, page, folder, picture)
    assert seen["state"] == "ready" and 0.005 < seen["before"] < 0.5, seen


# Selects loads of walls, and counts the pixels in the colours of the cells.
FELT = """<script>
const wait = setInterval(() => {
  if (document.body.dataset.state !== "ready") return;
  clearInterval(wait);
  const felt = document.getElementById("felt"), slider = document.getElementById("time");
  const coloured = () => {
    const gl = document.getElementById("canvas").getContext("webgl2"), w = gl.drawingBufferWidth, h = gl.drawingBufferHeight;
    const pixel = new Uint8Array(4 * w * h);
    gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    let count = 0;
    for (let i = 0; i < pixel.length; i += 4) if (Math.max(...pixel.slice(i, i + 3)) - Math.min(...pixel.slice(i, i + 3)) > 40) ++count;
    return count / (w * h);
  };
  const choose = (value) => { felt.value = value; felt.dispatchEvent(new Event("change")); };
  const seen = { shown: !document.getElementById("felt-label").hidden, names: [...felt.options].map((o) => o.textContent), plain: coloured() };
  choose("0");
  seen.wear = coloured();
  seen.title = document.getElementById("scale-title").textContent;
  slider.value = 1;
  slider.dispatchEvent(new Event("input"));
  seen.later = coloured();
  choose("");
  seen.again = document.getElementById("scale-title").textContent;
  choose("0");
  document.body.dataset.seen = JSON.stringify(seen);
}, 50);
</script>"""


def check_walls(scree, browser, folder, picture):
    """The cells of a floor in the colours of its wear, on selection, among transparent bodies."""
    scene, run = os.path.join(folder, "worn.toml"), os.path.join(folder, "worn")
    with open(scene, "w", encoding="utf-8") as file:
        file.write(SCENE.replace("density = 2500", "density = 2500\nwear_coefficient = 1e-4\nhardness = 1e9")
                   .replace("[output]", "[output]\nwall_cells = 0.05").replace("end_time = 0.3", "end_time = 0.6"))
    subprocess.run([scree, "run", scene, "-q", "-o", run], check=True)
    subprocess.run([scree, "report", run, "-q"], check=True)
    with open(os.path.join(run, "report.html"), encoding="utf-8") as file:
        seen = in_browser(browser, file.read(), folder, picture, probe=FELT)
    assert seen["shown"] and seen["names"] == ["nothing", "wear, m", "largest pressure, Pa", "impacts"], seen
    assert seen["title"] == "wear, m" and seen["again"].startswith("speed"), seen
    assert seen["wear"] > 1.5 * seen["plain"] > 0 and seen["later"] > 0.03, seen


WIDE = """
name = "wide"
time_step = 0.002
end_time = 0.02
[output]
interval = 0.02
[[materials]]
name = "stone"
density = 2500
[[materials]]
name = "glass"
density = 2500
[[bodies]]
generate = "lattice"
count = 60
radius = 0.05
material = "stone"
region = { type = "box", low = [-0.2, -1.5, 0.05], high = [0.2, 1.5, 0.3] }
[[boundaries]]
name = "floor"
type = "plane"
material = "glass"
"""

# Are the first and last columns of the picture free of bodies?
EDGES = """<script>
const wait = setInterval(() => {
  if (document.body.dataset.state !== "ready") return;
  clearInterval(wait);
  document.getElementById("walls").click();
  const gl = document.getElementById("canvas").getContext("webgl2"), w = gl.drawingBufferWidth, h = gl.drawingBufferHeight;
  const pixel = new Uint8Array(4 * w * h);
  gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
  const column = (x) => [...Array(h).keys()].filter((y) => pixel[4 * (y * w + x) + 3] > 0).length;
  const columns = [...Array(w).keys()].map(column);
  const rows = [...Array(h).keys()].filter((y) => pixel.subarray(4 * y * w, 4 * (y + 1) * w).some((v) => v > 0));
  const colour = document.getElementById("colour");
  colour.value = 2;
  colour.dispatchEvent(new Event("change"));
  document.body.dataset.seen = JSON.stringify({ aspect: w / h, high: (rows.at(-1) - rows[0]) / h,
    wide: (columns.findLastIndex((n) => n > 0) - columns.findIndex((n) => n > 0)) / w, edge: columns[0] + columns[w - 1], most: Math.max(...columns),
    names: [...document.querySelectorAll("#scale-names div")].map((row) => row.textContent),
    settings: document.querySelectorAll("#settings tr").length, lines: document.body.textContent.includes("amber above"),
    pairs: document.getElementById("facts").textContent.includes("stone on glass") });
}, 50);
</script>"""


def check_phone(scree, browser, folder, picture):
    """On a narrow screen a wide run and a tall one fill the picture, and no body is cut off. Materials have names; the
    data of the run are complete."""
    def seen_of(name, text, picture):
        scene, run = os.path.join(folder, name + ".toml"), os.path.join(folder, name)
        with open(scene, "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.run([scree, "run", scene, "-q", "-o", run], check=True)
        subprocess.run([scree, "report", run, "-q"], check=True)
        with open(os.path.join(run, "report.html"), encoding="utf-8") as file:
            return in_browser(browser, file.read(), folder, picture, (430, 900), EDGES)

    seen = seen_of("wide", WIDE, picture)
    assert seen["aspect"] < 1.4 and seen["wide"] > 0.5 and seen["edge"] == 0, seen
    assert seen["names"] == ["stone", "glass"] and seen["lines"] and seen["pairs"] and seen["settings"] > 20, seen
    tall = seen_of("tall", WIDE.replace("low = [-0.2, -1.5, 0.05], high = [0.2, 1.5, 0.3]",
                                        "low = [-0.2, -0.2, 0.05], high = [0.2, 0.2, 4]").replace("count = 60", "count = 400"), None)
    assert tall["high"] > 0.75 and tall["edge"] == 0, tall


def in_browser(browser, page, folder, picture, size=(700, 500), probe=PROBE):
    path = os.path.join(folder, f"probe{next(PAGES)}.html")
    with open(path, "w", encoding="utf-8") as file:
        file.write(page.replace("</body>", probe + "</body>"))
    browser.open("file://" + path, *size)
    browser.wait_for("document.body && document.body.dataset.seen")
    if picture:
        browser.picture(picture)
    return json.loads(browser.value("document.body.dataset.seen"))


def main():
    scree, writer, picture = sys.argv[1], sys.argv[2], os.environ.get("SCREE_PAGE_PICTURE")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        scene, run = os.path.join(folder, "drop.toml"), os.path.join(folder, "run")
        with open(scene, "w", encoding="utf-8") as file:
            file.write(SCENE)
        subprocess.run([scree, "run", scene, "-q", "-o", run], check=True)
        subprocess.run([scree, "report", run, "-q"], check=True)
        with open(os.path.join(run, "report.html"), encoding="utf-8") as file:
            page = file.read()
        data = check_text(page)
        going = check_who_is_there(scree, writer, os.path.join(folder, "going"))
        if not Chromium.is_here():
            print("SKIPPED: no Chromium here (Debian: chromium), so nobody has looked at the page")
            return 1 if os.environ.get("CI") == "true" else SKIP
        check_heights(data, run)
        with contextlib.closing(Chromium(folder)) as browser:
            seen = in_browser(browser, page, folder, picture)
            left = in_browser(browser, going, folder, None)
            rash = rash_run(scree, scene, os.path.join(folder, "rash"))
            bad = in_browser(browser, rash, folder, None)
            check_functions(scree, browser, folder, os.environ.get("SCREE_FUNCTIONS_PICTURE"))
            check_walls(scree, browser, folder, os.environ.get("SCREE_WALLS_PICTURE"))
            check_phone(scree, browser, folder, os.environ.get("SCREE_PHONE_PICTURE"))
        with open(os.path.join(folder, "rash", "summary.json"), encoding="utf-8") as file:
            check_verdict(bad, json.load(file)["verdict"], "rgb(192, 57, 43)")
    print(seen)
    assert seen["state"] == "ready", seen
    assert data["summary"]["verdict"]["grade"] == "green", data["summary"]["verdict"]
    check_verdict(seen, data["summary"]["verdict"], "rgb(46, 158, 107)")
    assert seen["title"] == "drop <b>", seen
    assert seen["diagrams"] == seen["again"] == len(data["plots"]) + 1 >= 11 and seen["columns"] > 20, seen
    # Bodies cover a part of the picture, which differs at the end.
    assert 0.005 < seen["before"] < 0.5 and 0.005 < seen["after"] < 0.5 and seen["before"] != seen["after"], seen
    assert seen["clock"] == "t = 0.300 s", seen
    assert left["state"] == "ready" and left["before"] > 0 and left["after"] > 0, left
    return 0


if __name__ == "__main__":
    sys.exit(main())
