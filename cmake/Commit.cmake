# Writes a source file that says which commit it was built from; run at every build, the file changes only with the
# answer. cmake -DSOURCE=folder -DOUTPUT=commit.cpp -P Commit.cmake
cmake_minimum_required(VERSION 3.25)
find_program(GIT git)
set(commit "")
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty --abbrev=12
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(commit STREQUAL "")
  set(commit "unknown")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
"#include <string>

namespace scree {
std::string build_commit();
std::string build_commit() { return \"@commit@\"; }
}  // namespace scree
")
