# For `.` by the two commands of the README, after tests/steps.sh: installs what a build or a test needs and is not there.
#
#   need /usr/include/gtest/gtest.h libgtest-dev
#   need cmake cmake
#   install_needed

missing=

# need WHAT PACKAGE: WHAT is an absolute path or the name of a program.
need() {
  case $1 in
    /*) test -e "$1" || missing="$missing $2" ;;
    *) command -v "$1" >/dev/null 2>&1 || missing="$missing $2" ;;
  esac
}

need_for_build() {
  need g++ g++
  need cmake cmake
  need ninja ninja-build
  need pkg-config pkg-config
  need /usr/include/nlohmann/json.hpp nlohmann-json3-dev
  need /usr/include/CLI/CLI.hpp libcli11-dev
  need /usr/include/fmt/core.h libfmt-dev
  need /usr/include/spdlog/spdlog.h libspdlog-dev
  need /usr/include/seccomp.h libseccomp-dev
  need bwrap bubblewrap
}

install_needed() {
  test -n "$missing" || return 0
  if ! command -v apt-get >/dev/null 2>&1; then
    echo "Please install what these Debian packages hold:$missing" >&2
    return 1
  fi
  if test "$(id -u)" != 0; then
    echo "These packages are missing; as root: apt-get install --no-install-recommends$missing" >&2
    return 1
  fi
  echo "Installing$missing"
  export DEBIAN_FRONTEND=noninteractive
  step "read the lists of packages" apt-get update -q -y
  # shellcheck disable=SC2086 # one word per package
  step "install packages" apt-get install -q -y --no-install-recommends $missing
}
