# Writes commit and version of the sources into a header, if they have changed:
#   cmake -DSOURCE= -DVERSION= -DOUTPUT= -P this
# The version is the tag v1.2.3 if the sources equal the tag, and 1.2.3+4.gabcdef four commits later. Without a tag it
# is VERSION and the commit. Outside git it is VERSION alone.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
if(failed)
  set(commit "unknown")
  set(version "${VERSION}")
else()
  execute_process(COMMAND git -C ${SOURCE} describe --tags --match v[0-9]* --abbrev=7
    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE no_tag ERROR_QUIET)
  string(SUBSTRING "${commit}" 0 7 short)
  if(no_tag)
    set(version "${VERSION}+g${short}")
  else()
    string(REGEX REPLACE "^v" "" version "${described}")
    string(REGEX REPLACE "-([0-9]+)-(g[0-9a-f]+)$" "+\\1.\\2" version "${version}")
  endif()
endif()
set(text "inline constexpr char scree_commit[] = \"${commit}\";\ninline constexpr char scree_version_text[] = \"${version}\";\n")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} present)
endif()
if(NOT text STREQUAL "${present}")
  file(WRITE ${OUTPUT} "${text}")
endif()
