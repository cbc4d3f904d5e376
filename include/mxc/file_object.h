// Access, types and identities of files.
#pragma once

#include <cstdint>
#include <string>

namespace mxc {

enum class Access { kReadOnly, kReadWrite, kDenied };

enum class FileType { kRegular, kDirectory, kSymlink, kSocket, kCharacterDevice, kBlockDevice, kFifo };

// The object that a path named when it was resolved. Launch opens the path again and refuses the run if
// device or inode differ, so a swap between check and use is harmless.
struct FileObject {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  FileType type = FileType::kRegular;

  [[nodiscard]] bool IsSame(const FileObject& other) const {
    return device == other.device && inode == other.inode;
  }
};

// A readable placeholder for a protected path that does not exist. On its readers it has the same effect as a
// missing file: an empty directory of hooks, an empty start-up file.
struct PlaceholderKind {
  FileType type = FileType::kDirectory;  // or kRegular
  std::string text = {};                 // of a regular file
};

}  // namespace mxc
