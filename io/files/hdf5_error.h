// Errors of HDF5 files.
#pragma once

#include <stdexcept>

namespace scree::io::hdf5 {

/// States the attempted action and the reason of its failure, but not the file.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace scree::io::hdf5
