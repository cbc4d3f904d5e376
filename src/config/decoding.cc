#include "config/decoding.h"

#include "mxc/limits.h"

namespace mxc {

void ErrorList::Add(Error error) {
  if (errors_.size() < kMaxReportedErrors) errors_.push_back(std::move(error));
}

Error ErrorList::Take() {
  Error first = std::move(errors_.front());
  errors_.erase(errors_.begin());
  first.others = std::move(errors_);
  return first;
}

void Decoding::Note(std::string_view category, const Place& place, std::string_view text) {
  config.notes.push_back({.category = std::string(category),
                          .message = "`" + place.dotted + "` " + std::string(text),
                          .pointer = place.pointer});
}

const Json* Member(const Json* object, std::string_view key) {
  if (object == nullptr) return nullptr;
  const Json* value = object->Find(key);
  return value == nullptr || value->kind == Json::Kind::kNull ? nullptr : value;
}

std::string TextOf(const Json* value) { return value == nullptr ? std::string() : value->text; }

Containment ContainmentFor(const Config& config, OperatingSystem system) {
  switch (config.intent) {
    case Intent::kConcrete:
    case Intent::kMicrovm:
      return config.containment;
    case Intent::kVm:
      return MachineContainmentOf(system);
    case Intent::kProcess:
    case Intent::kAuto:
      break;
  }
  return ProcessContainmentOf(system);
}

bool IsAbsolutePath(std::string_view path) {
  if (path.starts_with('/') || path.starts_with("\\\\")) return true;
  if (path.size() < 3 || path[1] != ':' || (path[2] != '\\' && path[2] != '/')) return false;
  const auto letter = static_cast<char>(path[0] | 0x20);
  return letter >= 'a' && letter <= 'z';
}

bool CheckPath(Decoding& decoding, const Place& place, const Json& value) {
  const std::string& path = value.text;
  if (path.find_first_not_of(" \t\r\n\v\f") == std::string::npos) {
    decoding.Fail(place, value, "the path is empty");
  } else if (!path.starts_with('/') && path.find('"') != std::string::npos) {
    // No Windows file can be called so; on POSIX every byte but NUL and "/" makes a name.
    decoding.Fail(place, value, "the path " + Ticked(path) + " contains `\"`");
  } else if (path.size() >= kMaxPathBytes) {
    decoding.Fail(place, value, "the path is longer than " + std::to_string(kMaxPathBytes - 1) + " bytes");
  } else if (!IsAbsolutePath(path)) {
    const bool shell_word = path.starts_with('~') || path.starts_with('$') || path.starts_with('%');
    decoding.Fail(
        place, value, "the path " + Ticked(path) + " is not absolute",
        shell_word
            ? "write the directory itself, such as /home/me/x, or \"expand\": true and ~/x or ${HOME}/x"
            : "write it from the root, such as /srv/work/x");
  } else {
    return true;
  }
  return false;
}

}  // namespace mxc
