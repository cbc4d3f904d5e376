#include <optional>
#include <string_view>
#include <utility>

#include "base/quoted.h"
#include "images/images.h"

namespace mxc {
namespace {

#if defined(__aarch64__)
constexpr std::string_view kArchitecture = "arm64";
#else
constexpr std::string_view kArchitecture = "amd64";
#endif

constexpr std::size_t kMaxName = 64;

// It becomes part of paths: one component, and no hidden one.
bool IsName(std::string_view text) {
  constexpr std::string_view kFirst = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  if (text.empty() || text.size() > kMaxName || kFirst.find(text.front()) == std::string_view::npos)
    return false;
  return text.find_first_not_of(std::string(kFirst) + "_.+-") == std::string_view::npos;
}

Status CheckName(const std::string& text, const char* key) {
  if (IsName(text)) return Done{};
  return Error{.code = ErrorCode::kSchema,
               .message = text.empty() ? "an image has a distribution and a release, and one is missing"
                                       : Quoted(text) + " is no name of an image",
               .pointer = std::string("/lxc/") + key,
               .hint = "up to 64 letters, digits, `_`, `.`, `+` or `-`, the first a letter or digit"};
}

bool Is(const Host& host, const std::string& path, FileType type) {
  const Lookup lookup = host.LookAt(path);
  if (!lookup.status) return false;
  return lookup.status->object.type == type || lookup.status->object.type == FileType::kSymlink;
}

Error MissingImage(const ImageName& name, const ImagePlaces& places) {
  const std::string path = name.distribution + "/" + name.release;
  std::string hint = "`lxc-create -n fetch -t download -- -d " + name.distribution + " -r " + name.release +
                     " -a " + std::string(kArchitecture) + " && lxc-destroy -n fetch` downloads it";
  if (!places.directories.empty())
    hint += "; or put a root file system into '" + places.directories.front() + "/" + path + "'";
  return {.code = ErrorCode::kUnavailable,
          .message = "the image " + path + " is not on this machine, and nothing is downloaded for a run",
          .pointer = "/lxc",
          .hint = hint};
}

}  // namespace

ImagePlaces ImagePlacesOf(const Host& host) {
  ImagePlaces places{.directories = {"/var/lib/mxc-exec/images"}, .archives = {"/var/cache/lxc/download"}};
  if (host.Caller().IsRoot()) {
    places.unpacked = "/var/cache/mxc-exec/images";
    return places;
  }
  const std::optional<std::string> home = host.Environment("HOME");
  if (!home || home->substr(0, 1) != "/") return places;
  places.directories.insert(places.directories.begin(), *home + "/.local/share/mxc-exec/images");
  places.archives.insert(places.archives.begin(), *home + "/.cache/lxc/download");
  places.unpacked = *home + "/.cache/mxc-exec/images";
  return places;
}

Result<std::string> FindImage(const Host& host, const ImageName& name) {
  if (Status status = CheckName(name.distribution, "distribution"); !status) return status.error();
  if (Status status = CheckName(name.release, "release"); !status) return status.error();
  const ImagePlaces places = ImagePlacesOf(host);
  const std::string path = "/" + name.distribution + "/" + name.release;
  for (const std::string& directory : places.directories) {
    if (Is(host, directory + path, FileType::kDirectory)) return directory + path;
  }
  if (places.unpacked.empty()) return MissingImage(name, places);
  for (const std::string& directory : places.archives) {
    const std::string archive =
        directory + path + "/" + std::string(kArchitecture) + "/default/rootfs.tar.xz";
    if (Is(host, archive, FileType::kRegular)) return UnpackImage(host, archive, places.unpacked + path);
  }
  return MissingImage(name, places);
}

}  // namespace mxc
