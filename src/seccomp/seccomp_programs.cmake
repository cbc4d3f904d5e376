# The default seccomp programs are compiled once, here, with libseccomp, and embedded: a launch neither links nor runs it.
find_package(PkgConfig REQUIRED)
pkg_check_modules(SECCOMP REQUIRED IMPORTED_TARGET libseccomp)
file(GLOB generator CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/seccomp/generate_seccomp*.cc)
if(MXC_MUSL_CXX OR CMAKE_CROSSCOMPILING)  # libseccomp is the system's, for the system's compiler
  find_program(MXC_BUILD_CXX NAMES c++ g++ clang++ REQUIRED)
  add_custom_command(OUTPUT generate_seccomp
    COMMAND ${MXC_BUILD_CXX} -std=c++20 -I${PROJECT_SOURCE_DIR}/include -I${CMAKE_CURRENT_SOURCE_DIR} ${SECCOMP_CFLAGS}
      -o generate_seccomp ${generator} ${SECCOMP_LDFLAGS}
    DEPENDS ${generator} seccomp/generate_seccomp_code.h seccomp/seccomp_rules.h VERBATIM
    COMMENT "Building generate_seccomp with the system's compiler")
  set(generate_seccomp ${CMAKE_CURRENT_BINARY_DIR}/generate_seccomp)
else()
  add_executable(generate_seccomp ${generator})
  target_include_directories(generate_seccomp PRIVATE ${PROJECT_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(generate_seccomp PRIVATE mxc_flags PkgConfig::SECCOMP)
  set(generate_seccomp generate_seccomp)
endif()
set(seccomp_programs ${CMAKE_CURRENT_BINARY_DIR}/generated/seccomp_programs.inc)
add_custom_command(OUTPUT ${seccomp_programs}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/generated
  COMMAND ${generate_seccomp} ${seccomp_programs} ${CMAKE_SYSTEM_PROCESSOR}
  DEPENDS ${generate_seccomp}
  COMMENT "Compiling the seccomp programs")
