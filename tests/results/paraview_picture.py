"""For pvbatch: draws a run's bodies with its view.py and compares every pixel with rays through the ellipsoids.

usage: pvbatch paraview_picture.py FOLDER
"""
import os
import sys

import numpy as np

folder = sys.argv[1]
picture = os.path.join(folder, "silhouettes.png")
sys.argv = ["view.py"]
with open(os.path.join(folder, "view.py"), encoding="utf-8") as script:
    exec(script.read())

# Black silhouettes on white: only bodies and background.
WIDTH, HEIGHT = 1500, 1000
view.ViewSize = [WIDTH, HEIGHT]
view.OrientationAxesVisibility = 0
for source in GetSources().values():
    if source != bodies:
        Hide(source, view)
display = GetDisplayProperties(bodies, view)
display.SetScalarBarVisibility(view, False)
display.ColorArrayName = [None, ""]
display.AmbientColor = display.DiffuseColor = [0.0, 0.0, 0.0]
display.Specular = 0.0
view.ResetCamera()
Render(view)
SaveScreenshot(picture, view, ImageResolution=[WIDTH, HEIGHT])

from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOImage import vtkPNGReader

reader = vtkPNGReader()
reader.SetFileName(picture)
reader.Update()
drawn = vtk_to_numpy(reader.GetOutput().GetPointData().GetScalars()).reshape(HEIGHT, WIDTH, -1)[:, :, 0] < 128

data = servermanager.Fetch(bodies)
centre = vtk_to_numpy(data.GetPoints().GetData()).astype(float)
quaternion = vtk_to_numpy(data.GetPointData().GetArray("orientation")).astype(float)
radii = vtk_to_numpy(data.GetPointData().GetArray("radii")).astype(float)

eye, focus, up = (np.array(v, dtype=float) for v in (view.CameraPosition, view.CameraFocalPoint, view.CameraViewUp))
forward = (focus - eye) / np.linalg.norm(focus - eye)
right = np.cross(forward, up)
right /= np.linalg.norm(right)
up = np.cross(right, forward)
pixel = 2.0 * np.tan(np.radians(view.CameraViewAngle) / 2.0) / HEIGHT
x = (np.arange(WIDTH) + 0.5 - WIDTH / 2.0) * pixel
y = (np.arange(HEIGHT) + 0.5 - HEIGHT / 2.0) * pixel
ray = forward + x[None, :, None] * right + y[:, None, None] * up

hit = np.zeros((HEIGHT, WIDTH), dtype=bool)
for c, (w, i, j, k), a in zip(centre, quaternion, radii):
    rotation = np.array([[1 - 2 * (j * j + k * k), 2 * (i * j - k * w), 2 * (i * k + j * w)],
                         [2 * (i * j + k * w), 1 - 2 * (i * i + k * k), 2 * (j * k - i * w)],
                         [2 * (i * k - j * w), 2 * (j * k + i * w), 1 - 2 * (i * i + j * j)]])
    o, d = ((eye - c) @ rotation) / a, (ray @ rotation) / a  # a unit sphere in the body's scaled axes
    b = d @ o
    hit |= b * b - (d * d).sum(axis=2) * (o @ o - 1.0) > 0.0

# A pixel on an outline may have either colour: the sphere has 32 by 24 faces, and edges are smoothed.
inside = hit[1:-1, 1:-1] & hit[:-2, 1:-1] & hit[2:, 1:-1] & hit[1:-1, :-2] & hit[1:-1, 2:]
outside = ~(hit[1:-1, 1:-1] | hit[:-2, 1:-1] | hit[2:, 1:-1] | hit[1:-1, :-2] | hit[1:-1, 2:])
wrong = int((inside & ~drawn[1:-1, 1:-1]).sum() + (outside & drawn[1:-1, 1:-1]).sum())
print(f"{len(centre)} bodies: {int(inside.sum())} pixels inside outlines, {int(outside.sum())} outside, {wrong} differ")
sys.stdout.flush()
os._exit(0 if wrong == 0 and inside.sum() > 2000 else 1)  # ParaView may crash at its exit
