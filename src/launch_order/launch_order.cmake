# The release is linked twice: the second time in the order in which a launch of the first one enters its functions.
option(MXC_LAUNCH_ORDER "Order the functions of the static program by a launch on this machine" ON)
if(NOT MXC_LAUNCH_ORDER OR NOT MXC_STATIC OR MXC_TESTS OR CMAKE_CROSSCOMPILING
    OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  return()
endif()
find_program(MXC_BUILD_CXX NAMES c++ g++ clang++ REQUIRED)  # it runs here, and musl's compiler starts more slowly
set(folder ${CMAKE_CURRENT_LIST_DIR})
set(generator ${CMAKE_CURRENT_BINARY_DIR}/generate_launch_order)
set(script ${CMAKE_CURRENT_BINARY_DIR}/launch_order.ld)
add_custom_command(OUTPUT ${generator}
  COMMAND ${MXC_BUILD_CXX} -std=c++20 -O1 -o ${generator} ${folder}/generate_launch_order.cc
  DEPENDS ${folder}/generate_launch_order.cc VERBATIM
  COMMENT "Building generate_launch_order")

add_executable(mxc-exec-unordered $<TARGET_OBJECTS:mxc_main>)
target_link_libraries(mxc-exec-unordered PRIVATE mxc_core)
target_link_options(mxc-exec-unordered PRIVATE -static -g)  # zig strips what it links for size without it
# Launches as agents make them: a command, and one with a repository.
set(repository ${CMAKE_CURRENT_BINARY_DIR}/launch_order/repository)
file(MAKE_DIRECTORY ${repository}/.git/objects ${repository}/.git/refs)
file(WRITE ${repository}/.git/HEAD "ref: refs/heads/main\n")
set(launches)
foreach(grants "" "\"${repository}\"")
  list(LENGTH launches number)
  list(APPEND launches ${CMAKE_CURRENT_BINARY_DIR}/launch_order/${number}.json)
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/launch_order/${number}.json
    "{\"version\": \"1.0.0\", \"process\": {\"commandLine\": \"true\"}, \"filesystem\": {\"readwritePaths\": [${grants}]}}\n")
endforeach()
add_custom_command(OUTPUT ${script}
  COMMAND ${generator} $<TARGET_FILE:mxc-exec-unordered> ${script} ${launches}
  DEPENDS ${generator} mxc-exec-unordered ${launches} VERBATIM
  COMMENT "Ordering the functions of a launch")
add_custom_target(launch_order DEPENDS ${script})
add_dependencies(mxc-exec launch_order)
target_link_options(mxc-exec PRIVATE -Wl,-T,${script})
set_target_properties(mxc-exec PROPERTIES LINK_DEPENDS ${script})
