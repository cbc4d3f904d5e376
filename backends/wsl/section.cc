#include "backends/wsl/section.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace mxc::wsl {
namespace {

Error NotHere(std::string_view key, std::string message, std::string hint) {
  return Unavailable(std::move(message), "/wslc/" + std::string(key), std::move(hint));
}

Status CheckAvailable(const Json& section) {
  if (!section.At("imageTarPath").text.empty()) {
    return NotHere("imageTarPath", "no image is unpacked from a file of Windows for a run",
                   "unpack it in the distribution, below " + std::string(kImages) +
                       "/NAME/TAG, and name it with `image`");
  }
  if (!section.At("gpu").boolean) return Done{};
  return NotHere("gpu", "the sandbox inside has no graphics processor", "remove the key");
}

Error Refuse(std::string_view key, std::string message, std::string hint) {
  return Conflict(std::move(message), "/wslc/" + std::string(key), std::move(hint));
}

// One directory below the images of mxc-exec inside. "+" stands in no reference.
Result<linux_backend::ImageReference> ReferenceOf(const std::string& text) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  constexpr std::size_t kMaxName = 64;
  const auto is_name = [&](const std::string& name, std::string_view others) {
    return !name.empty() && name.size() <= kMaxName &&
           kLetters.find(name.front()) != std::string_view::npos &&
           name.find_first_not_of(std::string(kLetters) + std::string(others)) == std::string::npos;
  };
  const std::size_t colon = text.find(':', text.rfind('/') == std::string::npos ? 0 : text.rfind('/'));
  linux_backend::ImageReference image{
      .distribution = text.substr(0, colon),
      .release = colon == std::string::npos ? "latest" : text.substr(colon + 1)};
  if (is_name(image.distribution, "_.-/") && is_name(image.release, "_.-")) {
    std::replace(image.distribution.begin(), image.distribution.end(), '/', '+');
    return image;
  }
  return Refuse("image", "'" + text + "' is no reference of an image that could be found here",
                "write NAME:TAG, such as alpine:3.23, each of up to 64 characters and without a digest");
}

// `key` of a provision request, or of the section itself.
const Json& Nearest(const Json& section, std::string_view key) {
  const Json& value = section.At("provision").At(key);
  return value.kind == Json::Kind::kNull ? section.At(key) : value;
}

}  // namespace

Result<Section> ReadSection(const Json& written) {
  for (const Json* const place : {&written, &written.At("provision")}) {
    if (Status status = CheckAvailable(*place); !status) return status.error();
  }
  const std::string& target = written.At("targetOs").text;
  if (!target.empty() && target != "linux")
    return Refuse("targetOs", "'" + target + "' does not run in WSL", "write \"linux\"");
  Section section{.distribution = written.At("distribution").text,
                  .cpus = written.At("cpuCount").integer,
                  .memory_mb = written.At("memoryMb").integer};
  if (const std::string& reference = Nearest(written, "image").text; !reference.empty()) {
    Result<linux_backend::ImageReference> image = ReferenceOf(reference);
    if (!image) return image.error();
    section.image = std::move(*image);
  }
  if (const std::string& program = written.At("program").text; !program.empty()) section.program = program;
  if (!section.program.starts_with('/')) {
    return Refuse("program", "'" + section.program + "' is no absolute path inside a distribution",
                  "write where mxc-exec stands there, such as " + std::string(kProgram));
  }
  const std::vector<Json>& ports = Nearest(written, "portMappings").items;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    section.ports.push_back({.host = static_cast<std::uint16_t>(ports[i].At("windowsPort").integer),
                             .guest = static_cast<std::uint16_t>(ports[i].At("containerPort").integer),
                             .pointer = "/wslc/portMappings/" + std::to_string(i)});
  }
  return section;
}

}  // namespace mxc::wsl
