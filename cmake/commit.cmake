# Writes the commit of the sources into a header, if it is another one than there: cmake -DSOURCE= -DOUTPUT= -P this
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
if(failed)
  set(commit "unknown")
endif()
set(text "inline constexpr char scree_commit[] = \"${commit}\";\n")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} present)
endif()
if(NOT text STREQUAL "${present}")
  file(WRITE ${OUTPUT} "${text}")
endif()
