#include "io/results/paraview_script.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/results/body_fields.h"
#include "io/results/colour_map.h"
#include "io/results/wall_cells.h"

namespace scree::io {

namespace {

constexpr const char* script_head =
    R"py("""Shows this run in ParaView: true bodies, transparent walls, contacts and force chains.

    paraview --script=view.py                 opens the window
    pvbatch view.py picture.png [time_s]      saves a picture of the last moment, or of the one nearest to time_s
    pvbatch view.py picture.png [time_s] images   with the bodies' images around a periodic cell
    pvbatch view.py picture.png [time_s] chains   with force chains through faint bodies
    pvbatch view.py picture.png [time_s] wear     walls in the colours of what they felt: wear, pressure, ...
"""
import builtins  # programmable filters put others in place of min, max and sum
import math
import os
import sys

from paraview.simple import *

)py";

constexpr const char* script_body = R"py(
# ParaView does not tell a script where it lies, hence the path above; a folder that has moved is found from inside it.
if not os.path.exists(os.path.join(FOLDER, "bodies.pvd")):
    FOLDER = os.getcwd()
if not os.path.exists(os.path.join(FOLDER, "bodies.pvd")):
    raise SystemExit("view.py: no bodies.pvd in " + FOLDER + ": change into the folder of the run first")


def show_bodies(view):
    bodies = PVDReader(registrationName="bodies", FileName=os.path.join(FOLDER, "bodies.pvd"))
    # A run may begin without bodies, and what there is at first decides how they are drawn.
    times = bodies.TimestepValues if hasattr(bodies.TimestepValues, "__len__") else [bodies.TimestepValues]
    for time in times:
        bodies.UpdatePipeline(time)
        if bodies.GetDataInformation().GetNumberOfPoints() > 0:
            view.ViewTime = time
            break
    else:
        Show(bodies, view)
        return bodies
    display = Show(bodies, view)
    draw_as_bodies(display)
    array = COLOUR if COLOUR not in WALL_ARRAYS else "speed"
    colour(display, view, array)
    low, high = range_over_time(bodies, array)
    GetColorTransferFunction(array).RescaleTransferFunction(low, high)
    if SHOW_CHAINS or COLOUR in WALL_ARRAYS:
        display.Opacity = 0.25
        display.SetScalarBarVisibility(view, False)
    return bodies


def draw_as_bodies(display):
    display.SetRepresentationType("3D Glyphs")
    if SHAPES:
        show_meshes(display)
    else:
        display.GlyphType = "Sphere"  # of diameter 1, so that twice the semi-axes is its scale
        display.GlyphType.Radius = 0.5
        display.GlyphType.ThetaResolution = 32
        display.GlyphType.PhiResolution = 24
        display.SelectScaleArray = "radii"
        display.ScaleFactor = 2.0
    display.Orient = 1
    display.OrientationMode = "Quaternion"
    display.SelectOrientationVectors = "orientation"  # w x y z
    display.Scaling = 1
    display.ScaleMode = "Vector Components"


def show_meshes(display):
    """Bodies as what the array `shape` says: 0 a ball that `scale` makes an ellipsoid, k + 1 the mesh of function k."""
    ball = Sphere(registrationName="ball", Radius=1.0, ThetaResolution=32, PhiResolution=24)
    meshes = [XMLPolyDataReader(registrationName="shape %d" % k, FileName=[os.path.join(FOLDER, "vtk", "shape_%06d.vtp" % k)])
              for k in range(SHAPES)]
    display.GlyphType = "Pipeline Connection"
    display.GlyphType.Input = GroupDatasets(registrationName="shapes", Input=[ball] + meshes)
    display.UseGlyphTable = display.UseCompositeGlyphTable = 1
    display.GlyphTableIndexArray = "shape"
    display.SelectScaleArray = "scale"
    display.ScaleFactor = 1.0


def range_over_time(source, array, moments=100):
    """Of an array's values, or lengths, at some moments: reading every file of a long run would take too long."""
    times = source.TimestepValues if hasattr(source.TimestepValues, "__len__") else [source.TimestepValues]
    low, high = float("inf"), float("-inf")
    for k in range(min(moments, len(times))):
        source.UpdatePipeline(times[k * (len(times) - 1) // max(1, min(moments, len(times)) - 1)])
        values = source.PointData[array]
        if values is None or source.GetDataInformation().GetNumberOfPoints() == 0:
            continue  # nobody is there
        a, b = values.GetRange(-1)
        low, high = min(low, a), max(high, b)
    return (low, max(high, low + 1e-12)) if low <= high else (0.0, 1.0)


def colour(display, view, array, of="POINTS"):
    """Colours by an array as `scree render` does, with a bar that names its unit."""
    ColorBy(display, (of, array, "Magnitude"))
    colours = GetColorTransferFunction(array)
    colours.ColorSpace = "RGB"
    colours.RGBPoints = [x for k, rgb in enumerate(MAP) for x in [k / (len(MAP) - 1)] + rgb]
    display.SetScalarBarVisibility(view, True)
    bar = GetScalarBar(colours, view)
    name = array.replace("_magnitude", "").replace("_", " ")
    bar.Title, bar.ComponentTitle = name + (", " + UNITS[array] if array in UNITS else ""), ""
    bar.TitleColor = bar.LabelColor = [0.0, 0.0, 0.0]
    bar.AutomaticLabelFormat, bar.LabelFormat, bar.RangeLabelFormat = 0, "%.3g", "%.3g"
    return colours


def show_walls(view):
    if WALLS_MOVE:
        walls = PVDReader(registrationName="walls", FileName=os.path.join(FOLDER, "walls.pvd"))
    else:
        walls = XMLPolyDataReader(registrationName="walls", FileName=[os.path.join(FOLDER, "walls.vtp")])
    display = Show(walls, view)
    display.SetRepresentationType("Surface")
    display.ColorArrayName = [None, ""]
    display.DiffuseColor = display.AmbientColor = [0.6, 0.66, 0.72]
    display.Opacity = 0.15
    # Otherwise a click into the scene picks the wall in front of the bodies.
    display.Pickable = 0
    return walls


def show_wall_cells(view, walls):
    """What walls felt, place by place. COLOUR may be one of its arrays; else they are loaded and hidden."""
    cells = PVDReader(registrationName="wall cells", FileName=os.path.join(FOLDER, "wall_cells.pvd"))
    display = Show(cells, view)
    display.SetRepresentationType("Surface")
    array = COLOUR if COLOUR in WALL_ARRAYS else "wear"
    cells.UpdatePipeline(cells.TimestepValues[-1] if hasattr(cells.TimestepValues, "__len__") else cells.TimestepValues)
    most = cells.CellData[array].GetRange(0)[1]
    colours = colour(display, view, array, "CELLS")
    colours.RescaleTransferFunction(0.0, most if most > 0.0 else 1.0)
    if COLOUR not in WALL_ARRAYS:
        display.SetScalarBarVisibility(view, False)
        Hide(cells, view)
    elif walls:
        Hide(walls, view)
    return cells


def show_outlines(view):
    """Edges of a periodic cell, of inlets, outlets and the domain."""
    if True in PERIODIC:
        lines = PVDReader(registrationName="outlines", FileName=os.path.join(FOLDER, "outlines.pvd"))
    else:
        lines = XMLPolyDataReader(registrationName="outlines", FileName=[os.path.join(FOLDER, "outlines.vtp")])
    display = Show(lines, view)
    display.SetRepresentationType("Surface")
    display.ColorArrayName = [None, ""]
    display.DiffuseColor = display.AmbientColor = [0.25, 0.3, 0.35]
    display.LineWidth = 2.0
    display.Pickable = 0
    return lines


# Copies of the bodies around a periodic cell, as far as half of it. The first twelve lines of the outlines are its edges, four along
# each vector of its lattice.
IMAGES = "PERIODIC = %r" % (PERIODIC,) + """
import itertools
import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkPoints

bodies, outlines = self.GetInputDataObject(0, 0), self.GetInputDataObject(0, 1)
images = self.GetOutputDataObject(0)
count = bodies.GetNumberOfPoints()
ends = vtk_to_numpy(outlines.GetPoints().GetData()).astype(float)
vectors = np.stack([ends[8 * k + 1] - ends[8 * k] for k in range(3)])
centre = ends[:24].reshape(-1, 3).mean(axis=0)
place = vtk_to_numpy(bodies.GetPoints().GetData()).astype(float) if count else np.zeros((0, 3))
share = (place - centre) @ np.linalg.inv(vectors)
found, of = [], []
for shift in itertools.product(*[(-1, 0, 1) if repeats else (0,) for repeats in PERIODIC]):
    inside = (np.abs(share + shift) <= 0.75) | ~np.array(PERIODIC, dtype=bool)
    near = np.flatnonzero(np.all(inside, axis=1)) if shift != (0, 0, 0) else []
    found.append(place[near] + np.asarray(shift) @ vectors)
    of.append(np.asarray(near, dtype=np.int64))
of = np.concatenate(of)
points = vtkPoints()
points.SetData(numpy_to_vtk(np.ascontiguousarray(np.concatenate(found), dtype=np.float32), deep=1))
images.SetPoints(points)
for k in range(bodies.GetPointData().GetNumberOfArrays()):
    array = bodies.GetPointData().GetArray(k)
    copies = numpy_to_vtk(np.ascontiguousarray(vtk_to_numpy(array)[of]), deep=1)
    copies.SetName(array.GetName())
    images.GetPointData().AddArray(copies)
from vtkmodules.vtkCommonDataModel import vtkCellArray
cells = vtkCellArray()
cells.InsertNextCell(len(of))
for k in range(len(of)):
    cells.InsertCellPoint(k)
images.SetVerts(cells)
"""


def show_images(view, bodies, outlines, shown):
    images = ProgrammableFilter(registrationName="images", Input=[bodies, outlines])
    images.OutputDataSetType = "vtkPolyData"
    images.Script = IMAGES
    display = Show(images, view)
    draw_as_bodies(display)
    ColorBy(display, ("POINTS", COLOUR, "Magnitude"))
    display.Opacity = 0.5
    if not shown:
        Hide(images, view)
    return images


def show_contacts(view):
    """Loaded but hidden: points, for the eye icon of the pipeline browser."""
    contacts = PVDReader(registrationName="contacts", FileName=os.path.join(FOLDER, "contacts.pvd"))
    display = Show(contacts, view)
    display.SetRepresentationType("Points")
    display.PointSize = 4.0
    display.RenderPointsAsSpheres = 1
    Hide(contacts, view)
    return contacts


# A line from centre to centre, or from centre to wall, through every contact that carries an impulse; across the seam of a periodic
# cell two, each to the other's image.
CHAINS = "IMPULSE_TIME, PERIODIC = %r" % ((IMPULSE_TIME, PERIODIC),) + """
import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray, vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray

contacts, bodies = self.GetInputDataObject(0, 0), self.GetInputDataObject(0, 1)
array = lambda data, name: vtk_to_numpy(data.GetPointData().GetArray(name))
lines = self.GetOutputDataObject(0)
points, cells = vtkPoints(), vtkCellArray()
impulse = radius = np.zeros(0)
if contacts.GetNumberOfPoints() and bodies.GetNumberOfPoints():
    impulse = array(contacts, "impulse_magnitude")
    kept = np.flatnonzero(impulse > 0)
    impulse = impulse[kept]
if len(impulse):
    centre, point = vtk_to_numpy(bodies.GetPoints().GetData()), vtk_to_numpy(contacts.GetPoints().GetData())[kept]
    # Contacts name bodies by their ids, which rise with the points.
    ids = array(bodies, "id")
    a, b = (array(contacts, name)[kept] for name in ("body_a", "body_b"))
    a, b = np.searchsorted(ids, a), np.where(b >= 0, np.searchsorted(ids, np.maximum(b, 0)), -1)
    partner, shift = centre[np.maximum(b, 0)], np.zeros_like(point)
    if True in PERIODIC:  # to the image that is nearest to the contact
        edges = vtk_to_numpy(self.GetInputDataObject(0, 2).GetPoints().GetData()).astype(float)
        vectors = np.stack([edges[8 * k + 1] - edges[8 * k] for k in range(3)])
        shift = -(np.round((partner - point) @ np.linalg.inv(vectors)) * PERIODIC) @ vectors
    ends = np.stack([centre[a], np.where((b >= 0)[:, None], partner + shift, point)], axis=1)
    across = np.flatnonzero((b >= 0) & np.any(shift != 0, axis=1))  # and from the partner to the image of the first
    ends = np.concatenate([ends, np.stack([partner[across], centre[a[across]] - shift[across]], axis=1)])
    impulse = np.concatenate([impulse, impulse[across]])
    width = 0.5 * array(bodies, "radii").min(axis=1).mean()
    radius = width * np.sqrt(np.minimum(1.0, impulse / np.percentile(impulse, 99.0)))
    points.SetData(numpy_to_vtk(np.ascontiguousarray(ends.reshape(-1, 3), dtype=np.float32), deep=1))
    cells.SetData(2, numpy_to_vtkIdTypeArray(np.arange(2 * len(impulse), dtype=np.int64), deep=1))
for name, values in (("contact_force", impulse / IMPULSE_TIME), ("chain_radius", radius)):
    values = numpy_to_vtk(np.repeat(values, 2).astype(np.float32), deep=1)
    values.SetName(name)
    lines.GetPointData().AddArray(values)
lines.SetPoints(points)
lines.SetLines(cells)
"""


def show_chains(view, contacts, bodies, outlines):
    """Force chains: tubes as wide as the root of the impulse over the largest ones of the moment."""
    chains = ProgrammableFilter(registrationName="chains",
                                Input=[contacts, bodies] + ([outlines] if True in PERIODIC else []))
    chains.OutputDataSetType = "vtkPolyData"
    chains.Script = CHAINS
    tubes = Tube(registrationName="force chains", Input=chains)
    tubes.Scalars = ["POINTS", "chain_radius"]
    tubes.VaryRadius, tubes.Radius = "By Absolute Scalar", 1.0
    tubes.NumberofSides = 10
    display = Show(tubes, view)
    display.SetRepresentationType("Surface")
    if not SHOW_CHAINS:
        Hide(tubes, view)
        return
    # Impacts outweigh what rests by far: the colours are those of the moment.
    colours = colour(display, view, "contact_force")
    colours.AutomaticRescaleRangeMode = "Clamp and update every timestep"
    display.RescaleTransferFunctionToDataRange()


def bounds(sources):
    """Of bodies with their radii, and of walls. ParaView would take the largest mesh at the largest scale for every body."""
    low, high = [math.inf] * 3, [-math.inf] * 3
    for source in sources:
        source.UpdatePipeline(GetActiveView().ViewTime)
        if source.GetDataInformation().GetNumberOfPoints() == 0:
            continue
        box, radii = source.GetDataInformation().GetBounds(), source.PointData["radii"]
        more = radii.GetRange(-1)[1] if radii else 0.0
        low = [builtins.min(low[k], box[2 * k] - more) for k in range(3)]
        high = [builtins.max(high[k], box[2 * k + 1] + more) for k in range(3)]
    return [x for pair in zip(low, high) for x in pair] if low[0] <= high[0] else None


def place_camera(view, sources):
    box = bounds(sources)
    view.CameraFocalPoint = [0.5 * (box[2 * k] + box[2 * k + 1]) for k in range(3)] if box else [0, 0, 0]
    view.CameraPosition = [f + d for f, d in zip(view.CameraFocalPoint, TOWARDS_CAMERA)]
    view.CameraViewUp = UP
    if box:
        view.SMProxy.ResetCamera(*box)
    else:
        view.ResetCamera()


ARGUMENTS = [a for a in sys.argv[1:] if not a.startswith("-")]
PICTURE = next((a for a in ARGUMENTS if a.endswith(".png")), None)
WORDS = {"images", "chains", *WALL_ARRAYS}
WITH_IMAGES, SHOW_CHAINS = "images" in ARGUMENTS, SHOW_CHAINS or HAS_CONTACTS and "chains" in ARGUMENTS
COLOUR = next((a for a in ARGUMENTS if a in WALL_ARRAYS), COLOUR)
TIMES = [float(a) for a in ARGUMENTS if a not in WORDS and a != PICTURE] if PICTURE == (ARGUMENTS or [None])[0] else []

paraview.simple._DisableFirstRenderCameraReset()
view = GetActiveViewOrCreate("RenderView")
view.UseColorPaletteForBackground = 0
view.Background = [1.0, 1.0, 1.0]
view.OrientationAxesLabelColor = [0.0, 0.0, 0.0]
if PICTURE:
    view.ViewSize = [1600, 1000]
bodies = show_bodies(view)
walls = show_walls(view) if HAS_WALLS else None
contacts = show_contacts(view) if HAS_CONTACTS else None
outlines = show_outlines(view) if HAS_OUTLINES else None
wall_cells = show_wall_cells(view, walls) if WALL_ARRAYS else None
SetActiveSource(bodies)

scene = GetAnimationScene()
scene.UpdateAnimationUsingDataTimeSteps()
times = list(bodies.TimestepValues) if hasattr(bodies.TimestepValues, "__len__") else [bodies.TimestepValues]
wanted = TIMES[0] if TIMES else times[-1]
nearest = min(times, key=lambda t: abs(t - wanted))
# A picture shows one moment; a window starts at the beginning, ready to play.
scene.AnimationTime = nearest if PICTURE else times[0]
view.ViewTime = scene.AnimationTime
if contacts:
    show_chains(view, contacts, bodies, outlines)
    SetActiveSource(bodies)
images = show_images(view, bodies, outlines, WITH_IMAGES) if True in PERIODIC else None
SetActiveSource(bodies)
place_camera(view, [bodies] + ([walls] if walls else []) + ([images] if images and WITH_IMAGES else []))
Render(view)
if PICTURE:
    SaveScreenshot(PICTURE, view, ImageResolution=view.ViewSize)
)py";

std::string list(const Vec3& v) { return fmt::format("[{}, {}, {}]", v.x(), v.y(), v.z()); }

const char* python(bool value) { return value ? "True" : "False"; }

/// Names in quotes, separated by commas.
std::string wall_arrays() {
  std::string text;
  for (const WallQuantity& q : wall_quantities())
    text += fmt::format("{}\"{}\"", text.empty() ? "" : ", ", q.name);
  return text;
}

/// Units of the arrays that have one, as the inside of a Python dictionary.
std::string units() {
  std::string text =
      R"("speed": "m/s", "velocity": "m/s", "angular_velocity": "rad/s", "radii": "m", "impulse_magnitude": "N s", "contact_force": "N")";
  for (const BodyField& field : body_fields()) {
    if (field.unit != "1") text += fmt::format(R"(, "{}": "{}")", field.name, field.unit);
  }
  for (const WallQuantity& q : wall_quantities())
    if (q.unit != "1") text += fmt::format(R"(, "{}": "{}")", q.name, q.unit);
  return text;
}

/// The colour map of images and pages.
std::string colours() {
  constexpr int steps = 32;
  const ColourMap map(default_map);
  std::string text;
  for (int k = 0; k <= steps; ++k) {
    const Colour c = map(static_cast<float>(k) / steps);
    text += fmt::format("{}[{:.4f}, {:.4f}, {:.4f}]", text.empty() ? "" : ", ", c[0], c[1], c[2]);
  }
  return '[' + text + ']';
}

/// A JSON string is a Python string literal: quotes and backslashes in the path are escaped. Bytes that
/// are not UTF-8 are converted as in Python.
std::string python_path(const std::string& path) {
  try {
    return nlohmann::json(path).dump();
  } catch (const nlohmann::json::type_error&) {
    std::string bytes;
    for (const char c : path) bytes += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    return "os.fsdecode(b\"" + bytes + "\")";
  }
}

}  // namespace

std::string paraview_script(const ViewOptions& options) {
  const Vec3 up = options.gravity.isZero() ? Vec3(Vec3::UnitZ()) : Vec3(-options.gravity.normalized());
  // From the side and a little from above; the side is y when the world's z is up.
  Vec3 across = up.cross(Vec3::UnitX());
  if (across.norm() < 0.1) across = up.cross(Vec3::UnitY());
  across.normalize();
  const Vec3 right = across.cross(up);
  const Vec3 towards = (-0.9 * across + 0.35 * right + 0.5 * up).normalized();
  const std::string folder = python_path(options.folder.string());
  return fmt::format(
      "{}FOLDER = {}\nHAS_WALLS, WALLS_MOVE, HAS_CONTACTS, SHOW_CHAINS = {}, {}, {}, {}\nHAS_OUTLINES, "
      "PERIODIC = {}, ({}, {}, {})\nCOLOUR = {}\n"
      "WALL_ARRAYS = [{}]\nUP = {}\n"
      "TOWARDS_CAMERA = {}\nUNITS = {{{}}}\nIMPULSE_TIME = {}\nSHAPES = {}\nMAP = {}\n{}",
      script_head, folder, python(options.walls), python(options.moving_walls), python(options.contacts),
      python(options.chains && options.contacts), python(!options.outlines.is_empty()),
      python(options.outlines.periodic[0]), python(options.outlines.periodic[1]),
      python(options.outlines.periodic[2]), nlohmann::json(options.colour).dump(),
      options.wall_cells ? wall_arrays() : "", list(up), list(towards), units(), options.impulse_time_s,
      options.shapes, colours(), script_body);
}

}  // namespace scree::io
