# The library where the program is linked with musl: by zig, whose clang links with any glibc. It is compiled with
# headers of the standard library and linked as C, without that library.
set(zig ${PROJECT_SOURCE_DIR}/build/tools/zig)
set(zig_call ${CMAKE_COMMAND} -E env ZIG_GLOBAL_CACHE_DIR=${zig}-cache ZIG_LOCAL_CACHE_DIR=${zig}-cache ${zig}/zig)
string(REPLACE arm64 aarch64 zig_target ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu.2.31)
set(unity ${CMAKE_CURRENT_BINARY_DIR}/mxc_ffi)
list(TRANSFORM ffi_sources REPLACE "(.+)" "#include \"\\1\"\n" OUTPUT_VARIABLE includes)
list(JOIN includes "" includes)
file(CONFIGURE OUTPUT ${unity}.cc CONTENT "${includes}" @ONLY)
file(GLOB ffi_headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.h)
set(library ${PROJECT_BINARY_DIR}/libmxc_ffi.so)
add_custom_command(OUTPUT ${library}
  COMMAND ${zig_call} c++ -target ${zig_target} -std=c++20 -O2 ${compile}
    -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src -c ${unity}.cc -o ${unity}.o
  COMMAND ${zig_call} cc -target ${zig_target} -shared ${unity}.o ${link} -s -o ${library}
  DEPENDS ${ffi_sources} ${ffi_headers} ${PROJECT_SOURCE_DIR}/include/mxc/ffi.h ${exports} VERBATIM)
add_custom_target(mxc_ffi DEPENDS ${library})
