// Files as policies and sandboxes speak of them.
#pragma once

#include <cstdint>
#include <string>

namespace mxc {

enum class Access { kReadOnly, kReadWrite, kDenied };

enum class FileType { kRegular, kDirectory, kSymlink, kSocket, kCharacterDevice, kBlockDevice, kFifo };

// The object a path named when it was resolved. Launch opens the path again and refuses when device or inode
// differ, so that a swap between check and use is harmless.
struct FileObject {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  FileType type = FileType::kRegular;

  [[nodiscard]] bool IsSame(const FileObject& other) const {
    return device == other.device && inode == other.inode;
  }
};

// Holds the name of a protected path that does not exist. To its readers it means the same as nothing there:
// an empty directory of hooks, an empty start-up file.
struct PlaceholderKind {
  FileType type = FileType::kDirectory;  // or kRegular
  std::string text = {};                 // of a regular file
};

}  // namespace mxc
