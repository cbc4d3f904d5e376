// Toolchains: the parts of an installation, the places of interpreters and secrets in a home, and the
// variables that name them.
#pragma once

#include <string_view>
#include <vector>

namespace mxc {

// The parts of an installation that its programs need. The marker identifies it; the last row is for
// installations without one in a directory for packages.
struct ToolLayout {
  std::string_view marker;
  std::vector<std::string_view> parts;
};
inline const std::vector<ToolLayout>& ToolLayouts() {
  static const std::vector<ToolLayout> kLayouts = {
      {"pyvenv.cfg", {"bin", "include", "lib", "lib64", "pyvenv.cfg", "share"}},
      {"shims",
       {"bin", "completions", "lib", "libexec", "nodenv.d", "plugins", "pyenv.d", "rbenv.d", "shims",
        "version", "versions"}},
      {"conda-meta", {"bin", "conda-meta", "condabin", "include", "lib", "share", "ssl"}},
      {"pkg/tool", {"VERSION", "bin", "go.env", "lib", "misc", "pkg", "src"}},
      {"lib/jvm.cfg", {"bin", "conf", "include", "jmods", "legal", "lib", "release"}},
      {"lib/node_modules", {"bin", "include", "lib", "share"}},
      {"", {"bin", "include", "lib", "lib32", "lib64", "libexec", "sbin", "share"}},
  };
  return kLayouts;
}

// Directories below HOME in which programs install interpreters, each in its own directory.
inline constexpr std::string_view kInterpreterStores[] = {
    ".pyenv/versions", ".local/share/uv/python", ".rye/py", "miniconda3", "anaconda3", "miniforge3"};
inline constexpr std::string_view kSecretsOfHome[] = {".ssh",
                                                      ".gnupg",
                                                      ".aws",
                                                      ".azure",
                                                      ".kube",
                                                      ".docker",
                                                      ".netrc",
                                                      ".config",
                                                      ".mozilla",
                                                      ".password-store",
                                                      ".local/share/keyrings"};
// A version manager finds its versions by this variable, or in this directory below HOME.
struct VersionManager {
  const char* variable;
  std::string_view place;
};
inline constexpr VersionManager kManagers[] = {
    {"PYENV_ROOT", ".pyenv"}, {"RBENV_ROOT", ".rbenv"}, {"NODENV_ROOT", ".nodenv"}};
// Passed if they name a directory that is visible inside.
inline constexpr const char* kPlaces[] = {"VIRTUAL_ENV", "NVM_BIN",      "NVM_INC",    "JAVA_HOME",
                                          "GOROOT",      "CONDA_PREFIX", "DOTNET_ROOT"};
// Passed if they name a version installed below the directory of another variable.
struct VersionChoice {
  const char* variable;
  std::string_view root;
  std::string_view versions;
  bool prefix = false;
};
inline constexpr VersionChoice kChoices[] = {{"PYENV_VERSION", "PYENV_ROOT", "versions"},
                                             {"RBENV_VERSION", "RBENV_ROOT", "versions"},
                                             {"NODENV_VERSION", "NODENV_ROOT", "versions"},
                                             {"RUSTUP_TOOLCHAIN", "RUSTUP_HOME", "toolchains", true}};

}  // namespace mxc
