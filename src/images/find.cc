#include <optional>
#include <string_view>

#include "base/quoted.h"
#include "base/runtime_places.h"
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

// Whether `name`, with what follows it, stands below `place` as `type`. A link there would choose which files
// are shown: it is refused, wherever it leads.
Result<bool> Stands(const Host& host, const std::string& place, const ImageName& name,
                    const std::vector<std::string>& rest, FileType type) {
  std::vector<std::string> way = {name.distribution, name.release};
  way.insert(way.end(), rest.begin(), rest.end());
  std::string path = place;
  FileType met = FileType::kDirectory;
  for (const std::string& component : way) {
    path.append("/").append(component);
    const Lookup lookup = host.LookAt(path);
    if (!lookup.status) return false;
    met = lookup.status->object.type;
    if (met == FileType::kSymlink)
      return Conflict(
          "the image " + name.distribution + "/" + name.release + ": " + Quoted(path) + " is a symbolic link",
          "/lxc", "put what it leads to in its place");
  }
  return met == type;
}

Error MissingImage(const ImageName& name, const ImagePlaces& places) {
  const std::string path = name.distribution + "/" + name.release;
  std::string hint = "`lxc-create -n fetch -t download -- -d " + name.distribution + " -r " + name.release +
                     " -a " + std::string(kArchitecture) + " && lxc-destroy -n fetch` downloads it";
  if (!places.directories.empty())
    hint += "; or put a root file system into '" + places.directories.front() + "/" + path + "'";
  return Unavailable("the image " + path + " is not on this machine, and nothing is downloaded for a run",
                     "/lxc", hint);
}

}  // namespace

ImagePlaces ImagePlacesOf(const Host& host) {
  ImagePlaces places{.directories = {kRootsImages}, .archives = {"/var/cache/lxc/download"}};
  if (host.Caller().IsRoot()) {
    places.unpacked = kRootsUnpackedImages;
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
    const Result<bool> stands = Stands(host, directory, name, {}, FileType::kDirectory);
    if (!stands) return stands.error();
    if (*stands) return directory + path;
  }
  if (places.unpacked.empty()) return MissingImage(name, places);
  const std::vector<std::string> below = {std::string(kArchitecture), "default", "rootfs.tar.xz"};
  for (const std::string& directory : places.archives) {
    const Result<bool> stands = Stands(host, directory, name, below, FileType::kRegular);
    if (!stands) return stands.error();
    const std::string archive =
        directory + path + "/" + std::string(kArchitecture) + "/default/rootfs.tar.xz";
    if (*stands) return UnpackImage(host, archive, places.unpacked + path);
  }
  return MissingImage(name, places);
}

}  // namespace mxc
