#include "backends/linux/mount_words.h"

#include <fmt/format.h>

#include "base/quoted.h"

namespace mxc::linux_backend {
namespace {

struct Speaker {
  MountWords operator()(const BindMount& bind) const {
    const std::string kind = bind.access == Access::kReadOnly ? "read-only" : "read-write";
    std::string detail = bind.source == bind.target ? "" : "from " + Quoted(bind.source);
    if (bind.unmapped_owners) detail = "what others may read";
    if (!bind.pin) return {kind, bind.target, detail};
    return {bind.access == Access::kReadOnly ? "held" : "pinned", bind.target, detail};
  }
  MountWords operator()(const TmpfsMount& tmpfs) const {
    const std::string detail = fmt::format("{} bytes, mode {:04o}{}", tmpfs.size_bytes, tmpfs.mode,
                                           tmpfs.read_only ? ", read-only" : "");
    return {"tmpfs", tmpfs.target, detail};
  }
  MountWords operator()(const FileMask& mask) const { return {"masked", mask.target, ""}; }
  MountWords operator()(const ProcMount& proc) const {
    if (proc.outer) return {"proc", proc.target, "the outer one, read-only"};
    return {"proc", proc.target, proc.read_only ? "read-only" : ""};
  }
  MountWords operator()(const DevMount& dev) const {
    return {"dev", dev.target, dev.read_only ? "read-only" : ""};
  }
  MountWords operator()(const MakeDirectory& directory) const {
    return {"directory", directory.target, fmt::format("mode {:04o}", directory.mode)};
  }
  MountWords operator()(const MakeSymlink& link) const {
    return {"symlink", link.target, "to " + Quoted(link.text)};
  }
  MountWords operator()(const MakeFile& file) const {
    return {"file", file.target, fmt::format("{} bytes", file.text.size())};
  }
};

}  // namespace

MountWords Words(const MountNode& node) { return std::visit(Speaker{}, node); }

}  // namespace mxc::linux_backend
