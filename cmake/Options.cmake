# Flags of all targets of the project, in the interface target `scree_options`.
add_library(scree_options INTERFACE)
target_include_directories(scree_options INTERFACE ${PROJECT_SOURCE_DIR})
# Files that are compiled together may reuse names, so only local shadows give a warning.
target_compile_options(scree_options INTERFACE
  -Wall -Wextra -Wpedantic $<IF:$<AND:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>,$<CXX_COMPILER_ID:GNU>>,-Wshadow=local,-Wshadow>
  -Wconversion -Wno-sign-conversion -Wno-psabi
  # g++ 12 at -O3 reports temporaries of std::string as uninitialised or overlapping; the sanitizers find real cases.
  "$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-restrict>"
  # The same bits on every thread count and optimisation level: the compiler must not fuse multiply and add.
  -ffp-contract=off
  # std::sqrt compiles to one instruction instead of a library call that sets errno; values do not change.
  -fno-math-errno -fno-trapping-math
  # A file needs up to 1 GB. g++ searches less often for memory that it can free: a tenth of its time.
  "$<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-heapsize=400000 --param ggc-min-expand=100>")
if(SCREE_WARNINGS_AS_ERRORS)
  target_compile_options(scree_options INTERFACE -Werror)
endif()
if(SCREE_SANITIZE)
  if(SCREE_FUZZ)  # parts that reading hardly enters are compiled without instrumentation, in half the time
    set(plain $<IN_LIST:$<TARGET_PROPERTY:NAME>,scree_detection;scree_solver;scree_generation;scree_fields;scree_simulation>)
    target_compile_options(scree_options INTERFACE "$<$<NOT:${plain}>:-fsanitize=${SCREE_SANITIZE};-fno-omit-frame-pointer>")
  else()
    target_compile_options(scree_options INTERFACE -fsanitize=${SCREE_SANITIZE} -fno-omit-frame-pointer)
  endif()
  # UBSan's tests of every pointer for null and alignment take two thirds of the time to compile: AddressSanitizer finds
  # null pointers that are used, and Eigen's assertions misaligned matrices.
  if(SCREE_SANITIZE MATCHES undefined)
    target_compile_options(scree_options INTERFACE -fno-sanitize=null,alignment)
  endif()
  target_link_options(scree_options INTERFACE -fsanitize=${SCREE_SANITIZE})
  target_compile_definitions(scree_options INTERFACE SCREE_ONE_TARGET)
endif()
if(SCREE_STD_THREADS)
  target_compile_definitions(scree_options INTERFACE SCREE_STD_THREADS)
endif()

# scree_precompiled(target libraries|model|tests): uses the headers of cmake/precompiled/ that the target reads in
# parsed form, from the one target that parsed them. Clang's tools read each file itself (preset tidy).
function(scree_parse_headers headers)
  if(NOT TARGET scree_precompiled_${headers})
    add_library(scree_precompiled_${headers} STATIC ${PROJECT_SOURCE_DIR}/cmake/precompiled/empty.cpp)
    target_link_libraries(scree_precompiled_${headers} PRIVATE scree_options ${ARGN})
    target_precompile_headers(scree_precompiled_${headers} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled/${headers}.h)
  endif()
endfunction()
scree_parse_headers(libraries Eigen3::Eigen)
function(scree_precompiled target headers)
  if(NOT headers STREQUAL libraries)
    scree_parse_headers(model scree_simulation fmt::fmt)
    if(headers STREQUAL tests)
      scree_parse_headers(tests scree_simulation fmt::fmt GTest::gtest)
    endif()
    target_link_libraries(${target} PRIVATE fmt::fmt)
    # No code here limits the speed. With fewer optimisations it compiles in two thirds of the time.
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE AND CMAKE_POSITION_INDEPENDENT_CODE)  # parsed for libraries, not with -fPIE
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  target_precompile_headers(${target} REUSE_FROM scree_precompiled_${headers})
endfunction()

# scree_library(NAME core SOURCES a.cpp DEPENDS other_targets): one library per folder, named scree_<folder>.
# PRECOMPILED model: it uses the parsed headers of the engine's model; default: those of libraries; none: no parsed
# headers. TOGETHER n: n files are compiled as one; default: 12 with `model`, otherwise each by itself. COLD: files
# outside the inner loops, of which twelve are compiled as one.
function(scree_library name)
  cmake_parse_arguments(ARG "" "PRECOMPILED;TOGETHER" "SOURCES;COLD;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES} ${ARG_COLD})
  target_link_libraries(${name} PUBLIC $<BUILD_INTERFACE:scree_options> ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE_DEPENDS})
  if(NOT ARG_PRECOMPILED)
    set(ARG_PRECOMPILED libraries)
  endif()
  if(NOT ARG_PRECOMPILED STREQUAL none)
    scree_precompiled(${name} ${ARG_PRECOMPILED})
  endif()
  if(NOT ARG_TOGETHER AND ARG_PRECOMPILED STREQUAL model)
    set(ARG_TOGETHER 12)
  endif()
  if(SCREE_UNITY AND ARG_TOGETHER)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${ARG_TOGETHER})
  elseif(SCREE_UNITY AND ARG_COLD)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    set(number 0)
    foreach(file ${ARG_COLD})
      math(EXPR group "${number} / 12")
      math(EXPR number "${number} + 1")
      set_source_files_properties(${file} PROPERTIES UNITY_GROUP cold${group})
    endforeach()
  endif()
  if(SCREE_UNITY AND (ARG_TOGETHER OR ARG_COLD))
    # With a parsed header, g++ 12 assumes unbounded strings, and treats each file as a header.
    target_compile_options(${name} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow;-Wno-subobject-linkage>")
  endif()
endfunction()
