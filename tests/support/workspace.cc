#include "tests/support/workspace.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

namespace mxc::test {

Workspace::Workspace(uid_t owner) : owner_(owner) {
  // Not below /tmp: a private /tmp in the sandbox would hide what a missing mask shows.
  std::string pattern = "/var/tmp/mxc-test-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) std::abort();
  root_ = pattern;
  ::chmod(root_.c_str(), 0755);
  Own(root_);
}

Workspace::~Workspace() {
  std::error_code ignored;
  std::filesystem::remove_all(root_, ignored);
}

void Workspace::Own(const std::string& path) const {
  if (::geteuid() == 0 && ::lchown(path.c_str(), owner_, static_cast<gid_t>(owner_)) != 0) std::abort();
}

std::string Workspace::Directory(const std::string& name, mode_t mode) const {
  std::string path = root_;
  std::istringstream parts(name);
  for (std::string part; std::getline(parts, part, '/');) {
    path += "/" + part;
    if (::mkdir(path.c_str(), 0755) == 0) Own(path);
  }
  ::chmod(path.c_str(), mode);
  return path;
}

void Workspace::MakeParent(const std::string& name) const {
  const auto slash = name.rfind('/');
  if (slash != std::string::npos && !Exists(Path(name.substr(0, slash)))) Directory(name.substr(0, slash));
}

std::string Workspace::File(const std::string& name, std::string_view text, mode_t mode) const {
  MakeParent(name);
  std::string path = Path(name);
  std::ofstream(path, std::ios::binary) << text;
  Own(path);
  ::chmod(path.c_str(), mode);
  return path;
}

std::string Workspace::Link(const std::string& name, const std::string& target) const {
  MakeParent(name);
  std::string path = Path(name);
  if (::symlink(target.c_str(), path.c_str()) != 0) std::abort();
  Own(path);
  return path;
}

std::string Workspace::CopyOf(const std::string& file, const std::string& name, mode_t mode) const {
  MakeParent(name);
  std::string path = Path(name);
  // In the kernel, for the program under test has megabytes. It may be this copy already.
  if (file != path) std::filesystem::copy_file(file, path, std::filesystem::copy_options::overwrite_existing);
  Own(path);
  ::chmod(path.c_str(), mode);
  return path;
}

std::optional<std::string> Contents(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::nullopt;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<std::string> Names(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(directory, ignored)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool Exists(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

std::string Token() {
  std::random_device random;
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "MARK%08x%08x", random(), random());
  return text.data();
}

}  // namespace mxc::test
