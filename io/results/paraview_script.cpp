#include "io/results/paraview_script.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace scree::io {

namespace {

constexpr const char* script_head =
    R"py("""Shows this run in ParaView: ellipsoids coloured by speed, walls transparent.

    paraview --script=view.py                 opens the window
    pvbatch view.py picture.png [time_s]      saves a picture of the last moment, or of the one nearest to time_s
"""
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
    bodies.UpdatePipeline()
    display = Show(bodies, view)
    if bodies.GetDataInformation().GetNumberOfPoints() == 0:
        return bodies
    display.SetRepresentationType("3D Glyphs")
    display.GlyphType = "Sphere"  # of diameter 1, so that twice the semi-axes is its scale
    display.GlyphType.Radius = 0.5
    display.GlyphType.ThetaResolution = 32
    display.GlyphType.PhiResolution = 24
    display.Orient = 1
    display.OrientationMode = "Quaternion"
    display.SelectOrientationVectors = "orientation"  # w x y z
    display.Scaling = 1
    display.ScaleMode = "Vector Components"
    display.SelectScaleArray = "radii"
    display.ScaleFactor = 2.0
    ColorBy(display, ("POINTS", "speed"))
    colours = GetColorTransferFunction("speed")
    colours.ApplyPreset("Cool to Warm", True)  # bodies at rest stay bright enough to see their shape
    display.RescaleTransferFunctionToDataRangeOverTime()
    display.SetScalarBarVisibility(view, True)
    bar = GetScalarBar(colours, view)
    bar.Title, bar.ComponentTitle = "speed, m/s", ""
    bar.TitleColor = bar.LabelColor = [0.0, 0.0, 0.0]
    bar.AutomaticLabelFormat, bar.LabelFormat, bar.RangeLabelFormat = 0, "%.3g", "%.3g"
    return bodies


def show_walls(view):
    walls = XMLPolyDataReader(registrationName="walls", FileName=[os.path.join(FOLDER, "walls.vtp")])
    display = Show(walls, view)
    display.SetRepresentationType("Surface")
    display.ColorArrayName = [None, ""]
    display.DiffuseColor = display.AmbientColor = [0.45, 0.5, 0.55]
    display.Opacity = 0.2
    # Otherwise a click into the scene picks the wall in front of the bodies.
    display.Pickable = 0


def show_contacts(view):
    """Loaded but hidden: points coloured by impulse, for the eye icon of the pipeline browser."""
    contacts = PVDReader(registrationName="contacts", FileName=os.path.join(FOLDER, "contacts.pvd"))
    display = Show(contacts, view)
    display.SetRepresentationType("Points")
    display.PointSize = 4.0
    display.RenderPointsAsSpheres = 1
    Hide(contacts, view)


def place_camera(view):
    view.ResetCamera()
    focus, position = list(view.CameraFocalPoint), list(view.CameraPosition)
    distance = sum((p - f) ** 2 for p, f in zip(position, focus)) ** 0.5
    view.CameraPosition = [f + distance * d for f, d in zip(focus, TOWARDS_CAMERA)]
    view.CameraViewUp = UP
    view.ResetCamera()


ARGUMENTS = [a for a in sys.argv[1:] if not a.startswith("-")]
PICTURE = next((a for a in ARGUMENTS if a.endswith(".png")), None)
TIMES = [float(a) for a in ARGUMENTS[1:2]] if PICTURE == (ARGUMENTS or [None])[0] else []

paraview.simple._DisableFirstRenderCameraReset()
view = GetActiveViewOrCreate("RenderView")
view.UseColorPaletteForBackground = 0
view.Background = [1.0, 1.0, 1.0]
view.OrientationAxesLabelColor = [0.0, 0.0, 0.0]
if PICTURE:
    view.ViewSize = [1600, 1000]
bodies = show_bodies(view)
if HAS_WALLS:
    show_walls(view)
if HAS_CONTACTS:
    show_contacts(view)
SetActiveSource(bodies)

scene = GetAnimationScene()
scene.UpdateAnimationUsingDataTimeSteps()
times = list(bodies.TimestepValues) if hasattr(bodies.TimestepValues, "__len__") else [bodies.TimestepValues]
wanted = TIMES[0] if TIMES else times[-1]
nearest = min(times, key=lambda t: abs(t - wanted))
# A picture shows one moment; a window starts at the beginning, ready to play.
scene.AnimationTime = nearest if PICTURE else times[0]
view.ViewTime = scene.AnimationTime
place_camera(view)
Render(view)
if PICTURE:
    SaveScreenshot(PICTURE, view, ImageResolution=view.ViewSize)
)py";

std::string list(const Vec3& v) { return fmt::format("[{}, {}, {}]", v.x(), v.y(), v.z()); }

}  // namespace

std::string paraview_script(const ViewOptions& options) {
  const Vec3 up = options.gravity.isZero() ? Vec3(Vec3::UnitZ()) : Vec3(-options.gravity.normalized());
  // From the side and a little from above; the side is y when the world's z is up.
  Vec3 across = up.cross(Vec3::UnitX());
  if (across.norm() < 0.1) across = up.cross(Vec3::UnitY());
  across.normalize();
  const Vec3 right = across.cross(up);
  const Vec3 towards = (-0.9 * across + 0.35 * right + 0.5 * up).normalized();
  // A JSON string is a Python string literal: quotes and backslashes in the path are taken care of.
  const std::string folder = nlohmann::json(options.folder.string()).dump();
  return fmt::format("{}FOLDER = {}\nHAS_WALLS, HAS_CONTACTS = {}, {}\nUP = {}\nTOWARDS_CAMERA = {}\n{}",
                     script_head, folder, options.walls ? "True" : "False",
                     options.contacts ? "True" : "False", list(up), list(towards), script_body);
}

}  // namespace scree::io
