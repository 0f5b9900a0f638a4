// The script that shows a run in ParaView.
#pragma once

#include <filesystem>
#include <string>

#include "engine/core/types.h"
#include "io/results/outlines.h"

namespace scree::io {

/// Data of a run, and the options of a user, for the script.
struct ViewOptions {
  std::filesystem::path folder;        // absolute path of the results
  Vec3 gravity{0.0, 0.0, -9.81};       // m/s^2; direction "down" of the view
  bool walls = true, contacts = true;  // do walls.vtp, contacts.pvd exist?
  std::string colour = "speed";        // array of the bodies; for a vector its magnitude
  bool chains = false;                 // show force chains through faint bodies from the start
  double impulse_time_s = 1.0;         // time in which the impulses of contacts acted
  std::size_t shapes = 0;              // functions of bodies, each with its mesh in vtk/
  bool moving_walls = false;           // does walls.pvd exist too?
  Outlines outlines = {};   // of the run: does outlines.vtp exist, or outlines.pvd for a periodic cell?
  bool wall_cells = false;  // does wall_cells.pvd exist? Then `colour` may be one of its arrays
};

/// Text of view.py: bodies, transparent walls, contacts and force chains ready to show, camera
/// set. Runs as `paraview --script=view.py` and as `pvbatch view.py [picture.png [time]]`.
std::string paraview_script(const ViewOptions& options);

}  // namespace scree::io
