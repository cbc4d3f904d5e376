#include "backends/wsl/section.h"

#include <string_view>

namespace mxc::wsl {
namespace {

const Json* Find(const Json& object, std::string_view key) {
  const Json* value = object.kind == Json::Kind::kObject ? object.Find(key) : nullptr;
  return value == nullptr || value->kind == Json::Kind::kNull ? nullptr : value;
}

std::string Text(const Json& object, std::string_view key) {
  const Json* value = Find(object, key);
  return value == nullptr ? std::string() : value->text;
}

std::uint64_t Number(const Json& object, std::string_view key) {
  const Json* value = Find(object, key);
  return value == nullptr ? 0 : value->integer;
}

Error NeedsImages(std::string_view key) {
  return {
      .code = ErrorCode::kUnavailable,
      .message = "`" + std::string(key) +
                 "` belongs to containers made of images; the command runs on the files of a distribution",
      .pointer = "/wslc/" + std::string(key),
      .hint = "remove the key, and name a distribution that has what the command needs: `distribution`"};
}

Status CheckImages(const Json& section) {
  for (const std::string_view key : {"image", "imageTarPath", "storagePath"}) {
    if (!Text(section, key).empty()) return NeedsImages(key);
  }
  const Json* gpu = Find(section, "gpu");
  if (gpu != nullptr && gpu->boolean) return NeedsImages("gpu");
  return Done{};
}

Error Conflict(std::string_view key, std::string message, std::string hint) {
  return {.code = ErrorCode::kConflict,
          .message = std::move(message),
          .pointer = "/wslc/" + std::string(key),
          .hint = std::move(hint)};
}

}  // namespace

Result<Section> ReadSection(const Json& written) {
  if (Status status = CheckImages(written); !status) return status.error();
  const std::string target = Text(written, "targetOs");
  if (!target.empty() && target != "linux")
    return Conflict("targetOs", "'" + target + "' does not run in WSL", "write \"linux\"");
  Section section{.distribution = Text(written, "distribution"),
                  .cpus = Number(written, "cpuCount"),
                  .memory_mb = Number(written, "memoryMb")};
  if (std::string program = Text(written, "program"); !program.empty()) section.program = std::move(program);
  if (!section.program.starts_with('/')) {
    return Conflict("program", "'" + section.program + "' is no absolute path inside a distribution",
                    "write where mxc-exec stands there, such as " + std::string(kProgram));
  }
  const Json* ports = Find(written, "portMappings");
  for (std::size_t i = 0; ports != nullptr && i < ports->items.size(); ++i) {
    const Json& port = ports->items[i];
    section.ports.push_back({.host = static_cast<std::uint16_t>(Number(port, "windowsPort")),
                             .guest = static_cast<std::uint16_t>(Number(port, "containerPort")),
                             .pointer = "/wslc/portMappings/" + std::to_string(i)});
  }
  return section;
}

}  // namespace mxc::wsl
