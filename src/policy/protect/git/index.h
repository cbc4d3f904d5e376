// The entries of an index, which `git checkout` writes without a check: git checks a path when it adds it,
// not when it reads the index.
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

// The big-endian number in `size` bytes.
[[nodiscard]] inline std::uint64_t BigEndianAt(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < size; ++i) number = number << 8U | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

struct GitIndexKind {
  std::size_t hash_bytes = 20;  // 32 in a repository of SHA-256
  bool shared = false;          // sharedindex.*: the base of a split index
};

// Whether it is complete, every reader finds the same entries in it, and each is for a file in the work tree.
// Versions 2 to 4. A file without the signature of an index is trusted, because git rejects it, and ignores
// an empty one. `visit` gets the entries with a name, even of an index that is not trustworthy.
using GitIndexVisit = std::function<void(std::string_view path, std::uint32_t mode)>;
[[nodiscard]] bool IsTrustworthyIndex(std::string_view bytes, GitIndexKind kind,
                                      const GitIndexVisit& visit = {});

// Whether no component is empty, `.`, `..`, or `.git` in any spelling of NTFS and HFS+; nor `.gitmodules`, if
// it is a link. `mode`: of the entry, type included.
[[nodiscard]] bool StaysInWorkTree(std::string_view path, std::uint32_t mode);

// The parts by which git recognises a repository (is_git_directory): HEAD, and objects and refs or a file
// that names their directory.
struct GitParts {
  bool head = false;
  bool objects = false;
  bool refs = false;
  bool common_directory = false;

  [[nodiscard]] bool MakeRepository() const { return head && ((objects && refs) || common_directory); }
  void Add(const GitParts& more);
};

// The directories in which an index lists such parts, in any case, and so `git checkout` creates them.
class GitPartsInIndex {
 public:
  void Note(std::string_view path, std::uint32_t mode);
  void Add(const GitPartsInIndex& more);
  // By path in the work tree; "" is its top, where git finds them if `.git` is no repository.
  [[nodiscard]] const std::map<std::string, GitParts, std::less<>>& Directories() const { return parts_; }
  // Whether they exceed kMaxGitDataBytes.
  [[nodiscard]] bool Crowded() const { return bytes_ > kMaxGitDataBytes; }

 private:
  void Add(std::string_view directory, const GitParts& parts);

  std::map<std::string, GitParts, std::less<>> parts_ = {};
  std::size_t bytes_ = 0;
};

}  // namespace mxc
