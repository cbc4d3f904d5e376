# discover_suites(TARGET [PROPERTY VALUE]...): a test of ctest for each suite of a googletest program, where
# gtest_discover_tests makes one for each test. Most unit tests take less time than the start of their program.
if(NOT DEFINED PROGRAM)  # included
  set(suites_script ${CMAKE_CURRENT_LIST_FILE})
  function(discover_suites target)
    set(list ${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake)
    add_custom_command(TARGET ${target} POST_BUILD VERBATIM BYPRODUCTS ${list}
      COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:${target}> -D LIST=${list} -D "PROPERTIES=${ARGN}" -P ${suites_script})
    set(include ${CMAKE_CURRENT_BINARY_DIR}/${target}_include.cmake)
    file(WRITE ${include} "if(EXISTS \"${list}\")
  include(\"${list}\")
else()
  add_test(${target}_NOT_BUILT ${target}_NOT_BUILT)
endif()
")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${include})
  endfunction()
  return()
endif()

# run by the build: writes LIST
execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE tests RESULT_VARIABLE failed TIMEOUT 60)
string(REGEX MATCHALL "(^|\n)[A-Za-z0-9_/]+\\." suites "${tests}")
if(failed OR NOT suites)
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests: ${failed}")
endif()
set(text "")
foreach(suite IN LISTS suites)
  string(REGEX REPLACE "[\n.]" "" suite "${suite}")
  string(APPEND text "add_test([=[${suite}]=] [=[${PROGRAM}]=] [=[--gtest_filter=${suite}.*]=])\n")
  string(APPEND text "set_tests_properties([=[${suite}]=] PROPERTIES ${PROPERTIES})\n")
endforeach()
file(WRITE ${LIST} "${text}")
