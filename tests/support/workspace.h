// A directory of its own for one test, removed with everything in it.
//
//   Workspace workspace(uid);
//   std::string secret = workspace.File("ro/secret", "TOKEN");
//   std::string granted = workspace.Directory("rw");
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mxc::test {

class Workspace {
 public:
  explicit Workspace(uid_t owner);
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace();

  [[nodiscard]] const std::string& Root() const { return root_; }
  [[nodiscard]] std::string Path(std::string_view name) const { return root_ + "/" + std::string(name); }
  // All of these make the missing parents, belong to the owner, and return the absolute path.
  std::string Directory(const std::string& name, mode_t mode = 0755) const;
  std::string File(const std::string& name, std::string_view text, mode_t mode = 0644) const;
  std::string Link(const std::string& name, const std::string& target) const;
  std::string CopyOf(const std::string& file, const std::string& name, mode_t mode = 0755) const;

 private:
  void Own(const std::string& path) const;
  void MakeParent(const std::string& name) const;  // unless it is there

  std::string root_;
  uid_t owner_;
};

// nullopt: cannot be read.
[[nodiscard]] std::optional<std::string> Contents(const std::string& path);
// Sorted; empty when it is no directory.
[[nodiscard]] std::vector<std::string> Names(const std::string& directory);
[[nodiscard]] bool Exists(const std::string& path);  // a dangling symlink exists
// Text that occurs nowhere else.
[[nodiscard]] std::string Token();

}  // namespace mxc::test
