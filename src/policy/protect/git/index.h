// What an index lists for `git checkout`, which writes it without a further look: git checks a path when it
// adds it, not when it reads the index.
//
//   if (!IsTrustworthyIndex(bytes, {.hash_bytes = 20})) ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "mxc/limits.h"

namespace mxc {

// The number in `size` bytes, the highest first.
[[nodiscard]] inline std::uint64_t BigEndianAt(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < size; ++i) number = number << 8U | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

struct GitIndexKind {
  std::size_t hash_bytes = 20;  // 32 in a repository of SHA-256
  bool shared = false;          // sharedindex.*: the base of a split index
};

// It is whole, every reader finds the same entries in it, and each is for a file in the work tree. Versions 2
// to 4. What lacks the signature of an index is trusted: git reads nothing of it, and takes an empty file for
// no index.
// `visit` gets the entries that have a name, also of one that turns out not to be trustworthy.
using GitIndexVisit = std::function<void(std::string_view path, std::uint32_t mode)>;
[[nodiscard]] bool IsTrustworthyIndex(std::string_view bytes, GitIndexKind kind,
                                      const GitIndexVisit& visit = {});

// No component is empty, `.`, `..`, or `.git`, also as NTFS and HFS+ would find that; the same of
// `.gitmodules` that is a link. `mode`: of the entry, type included.
[[nodiscard]] bool StaysInWorkTree(std::string_view path, std::uint32_t mode);

// What makes a directory a repository to git (is_git_directory): HEAD, and objects and refs or a file that
// says where these are.
struct GitParts {
  bool head = false;
  bool objects = false;
  bool refs = false;
  bool common_directory = false;

  [[nodiscard]] bool MakeRepository() const { return head && ((objects && refs) || common_directory); }
  void Add(const GitParts& more);
};

// The directories in which an index lists such parts, spelled in any case: `git checkout` makes them.
class GitPartsInIndex {
 public:
  void Note(std::string_view path, std::uint32_t mode);
  void Add(const GitPartsInIndex& more);
  // By their paths in the work tree; "" is its top, where git finds them once `.git` is no repository.
  [[nodiscard]] const std::map<std::string, GitParts, std::less<>>& Directories() const { return parts_; }
  // There are more than can be remembered (kMaxGitDataBytes).
  [[nodiscard]] bool Crowded() const { return bytes_ > kMaxGitDataBytes; }

 private:
  void Add(std::string_view directory, const GitParts& parts);

  std::map<std::string, GitParts, std::less<>> parts_ = {};
  std::size_t bytes_ = 0;
};

}  // namespace mxc
