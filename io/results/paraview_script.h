// The script that shows a run in ParaView.
#pragma once

#include <filesystem>
#include <string>

#include "engine/core/types.h"
#include "io/results/outlines.h"

namespace scree::io {

/// What the script needs to know of a run, and what a person wants to see.
struct ViewOptions {
  std::filesystem::path folder;        // absolute path of the results
  Vec3 gravity{0.0, 0.0, -9.81};       // m/s^2; the picture's "down"
  bool walls = true, contacts = true;  // is there walls.vtp, contacts.pvd?
  std::string colour = "speed";        // array of the bodies; a vector counts by its length
  bool chains = false;                 // show force chains through faint bodies from the start
  double impulse_time_s = 1.0;         // in which the impulses of contacts acted
  std::size_t shapes = 0;              // functions that bodies are made of, each with its mesh in vtk/
  bool moving_walls = false;           // is there walls.pvd too?
  Outlines outlines = {};   // of the run: is there outlines.vtp, or outlines.pvd of a periodic cell?
  bool wall_cells = false;  // is there wall_cells.pvd? Then `colour` may be one of its arrays
};

/// Text of view.py: bodies as they are, walls transparent, contacts and force chains at hand, camera
/// set. Runs as `paraview --script=view.py` and as `pvbatch view.py [picture.png [time]]`.
std::string paraview_script(const ViewOptions& options);

}  // namespace scree::io
