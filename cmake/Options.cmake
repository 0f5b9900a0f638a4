# Flags shared by every target of the project, carried by the interface target `scree_options`.
add_library(scree_options INTERFACE)
target_include_directories(scree_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(scree_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wno-psabi
  # g++ 12 at -O3 takes temporaries of std::string for uninitialised or overlapping; the sanitizers see the real ones.
  "$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-restrict>"
  # The same bits on every thread count and optimisation level: no fused multiply-add behind our back.
  -ffp-contract=off
  # std::sqrt compiles to one instruction instead of a library call that sets errno; values do not change.
  -fno-math-errno -fno-trapping-math)
if(SCREE_WARNINGS_AS_ERRORS)
  target_compile_options(scree_options INTERFACE -Werror)
endif()
if(SCREE_SANITIZE)
  if(SCREE_FUZZ)  # what reading hardly enters is built without, in half the time
    set(plain $<IN_LIST:$<TARGET_PROPERTY:NAME>,scree_detection;scree_solver;scree_generation;scree_fields;scree_simulation>)
    target_compile_options(scree_options INTERFACE "$<$<NOT:${plain}>:-fsanitize=${SCREE_SANITIZE};-fno-omit-frame-pointer>")
  else()
    target_compile_options(scree_options INTERFACE -fsanitize=${SCREE_SANITIZE} -fno-omit-frame-pointer)
  endif()
  target_link_options(scree_options INTERFACE -fsanitize=${SCREE_SANITIZE})
  target_compile_definitions(scree_options INTERFACE SCREE_ONE_TARGET)
endif()
if(SCREE_STD_THREADS)
  target_compile_definitions(scree_options INTERFACE SCREE_STD_THREADS)
endif()

# scree_library(NAME core SOURCES a.cpp DEPENDS other_targets): one library a folder, named scree_<folder>.
function(scree_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC $<BUILD_INTERFACE:scree_options> ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE_DEPENDS})
endfunction()
