// What goes wrong with HDF5 files.
#pragma once

#include <stdexcept>

namespace scree::io::hdf5 {

/// Says what was attempted and why it failed, but not in which file.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace scree::io::hdf5
