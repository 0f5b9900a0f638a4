# Third-party libraries, all of them Debian packages: cmake/debian-packages.txt is the twin of this file. All are
# imported targets, whose headers CMake hands to the compiler as system headers, so that warnings stay out of them.
find_package(Threads REQUIRED)
find_package(TBB REQUIRED)
find_package(Eigen3 3.4 REQUIRED)
find_package(Boost 1.74 REQUIRED)  # headers: intervals, for bounds of functionally defined bodies; HTTP, for scree watch
if(SCREE_PROGRAM)
  find_package(fmt REQUIRED)
  find_package(spdlog REQUIRED)
  find_package(tomlplusplus REQUIRED)
  find_package(CLI11 REQUIRED)
  find_package(nlohmann_json REQUIRED)
  find_package(PkgConfig REQUIRED)
  # Where VTK is installed there may be an MPI flavour of HDF5 beside the serial one: ask for the serial one by name.
  pkg_check_modules(HDF5_SERIAL REQUIRED IMPORTED_TARGET hdf5-serial)
  pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)
  pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
endif()
if(SCREE_RENDER)
  find_package(embree 3 REQUIRED)
  pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo)
endif()
