# scree_embed(target NAME three_js FILE path): makes `std::string_view NAME` from a text file, in <scree_embedded.h>.
# Call it once per target with all its files: scree_embed(target three_js a.js style b.css).
function(scree_embed target)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/embedded)
  set(header "#include <string_view>\n")
  while(ARGN)
    list(POP_FRONT ARGN name file)
    file(REAL_PATH ${file} file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
    set(source ${folder}/${name}.cpp)
    # The standard does not require string literals beyond 64 kB, but GCC and Clang accept them.
    file(CONFIGURE OUTPUT ${source} @ONLY NEWLINE_STYLE UNIX
      CONTENT "#include <scree_embedded.h>\nconst std::string_view @name@ = R\"embedded(@text@)embedded\";\n")
    target_sources(${target} PRIVATE ${source})
    string(APPEND header "extern const std::string_view ${name};\n")
  endwhile()
  file(CONFIGURE OUTPUT ${folder}/scree_embedded.h CONTENT "${header}" @ONLY)
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
