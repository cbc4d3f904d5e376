# What is installed beside the program on Linux, and the .deb that CPack makes of it (docs/package.sh). Manual pages and
# completions come from the help of the program; of a program for another processor, from that of MXC_DESCRIBED_BY.
include(GNUInstallDirs)
set(MXC_DESCRIBED_BY "" CACHE FILEPATH "A program of the same version that runs here")
set(described_by ${MXC_DESCRIBED_BY})
if(NOT described_by AND NOT CMAKE_CROSSCOMPILING)
  set(described_by $<TARGET_FILE:mxc-exec>)
endif()

install(DIRECTORY schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/mxc-exec)
install(FILES docs/package/debian/apparmor DESTINATION ${CMAKE_INSTALL_DATADIR}/mxc-exec/apparmor RENAME mxc-exec)
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN package EXCLUDE)
install(CODE "
  execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND sh \"${CMAKE_CURRENT_LIST_DIR}/share.sh\" \"${described_by}\"
    \"${CMAKE_CXX_COMPILER}\" \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")")

# What is compiled in, for the list of components.
file(WRITE ${PROJECT_BINARY_DIR}/components "nlohmann-json=${nlohmann_json_VERSION} CLI11=${CLI11_VERSION} "
  "fmt=${fmt_VERSION} spdlog=${spdlog_VERSION}\n${PROJECT_VERSION}\n${CMAKE_SYSTEM_PROCESSOR}\n${CMAKE_CXX_COMPILER}\n")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The mxc-exec authors <authors@mxc-exec.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "run a command in a sandbox, under a declared policy")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "A JSON policy, or a few flags, say which files a command may read and write,
which hosts it may reach and how much time and memory it may take. What this
machine cannot enforce is refused. It reads every published dialect of
Microsoft's MXC configuration and takes the place of its executor lxc-exec.")
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS bubblewrap)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
foreach(script postinst prerm postrm)
  list(APPEND CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/debian/${script})
endforeach()
set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE amd64)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
endif()
include(CPack)
