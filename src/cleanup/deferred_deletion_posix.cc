#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/quoted.h"
#include "cleanup/deferred_deletion.h"
#include "cleanup/named_place.h"

namespace mxc {

Result<std::string> SetAside(const std::string& path, const std::string& into) {
  const std::size_t slash = path.rfind('/');
  const std::string wanted = (into.empty() ? path.substr(0, slash) : into) + path.substr(slash);
  const Result<NamedPlace> from = OpenPlace(path);
  if (!from) return from.error();
  const Result<NamedPlace> to = OpenPlace(wanted);
  if (!to) return to.error();
  const WritableDirectory opened_from{from->directory.Get()};
  const WritableDirectory opened_to{to->directory.Get()};
  constexpr int kAttempts = 1000;
  for (int i = 1; i <= kAttempts; ++i) {
    const std::string ending = i == 1 ? ".untrusted" : ".untrusted-" + std::to_string(i);
    const std::string name = to->name + ending;
    struct stat there {};
    if (::fstatat(to->directory.Get(), name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0) continue;
    if (::renameat(from->directory.Get(), from->name.c_str(), to->directory.Get(), name.c_str()) == 0)
      return wanted + ending;
    break;
  }
  return SystemError(ErrorCode::kSetupFailed, "rename " + Quoted(path), errno);
}

Status MakeLink(const std::string& path, const std::string& text) {
  const Result<NamedPlace> place = OpenPlace(path);
  if (!place) return place.error();
  const WritableDirectory opened{place->directory.Get()};
  if (::symlinkat(text.c_str(), place->directory.Get(), place->name.c_str()) == 0) return Done{};
  return SystemError(ErrorCode::kSetupFailed, "create the link " + Quoted(path), errno);
}

}  // namespace mxc
