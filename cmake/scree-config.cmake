# find_package(scree): the engine as scree::engine.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(TBB)
find_dependency(Eigen3 3.4)
include(${CMAKE_CURRENT_LIST_DIR}/scree-targets.cmake)
