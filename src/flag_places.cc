#include "flag_places.h"

#include <utility>

namespace mxc {
namespace {

bool IsAtOrIn(std::string_view pointer, std::string_view place) {
  return pointer.starts_with(place) && (pointer.size() == place.size() || pointer[place.size()] == '/');
}

}  // namespace

std::string_view FlagAt(const std::vector<FlagPlace>& places, std::string_view pointer) {
  const FlagPlace* nearest = nullptr;
  for (const FlagPlace& place : places) {
    const bool nearer = nearest == nullptr || place.pointer.size() >= nearest->pointer.size();
    const bool given = place.container ? pointer == place.pointer : IsAtOrIn(pointer, place.pointer);
    if (nearer && given && place.overruled.empty()) nearest = &place;
  }
  return nearest == nullptr ? std::string_view() : nearest->flag;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as errors have others
void NameFlags(const std::vector<FlagPlace>& places, Error& error) {
  const std::string_view flag = FlagAt(places, error.pointer);
  if (!flag.empty()) {
    const bool placed = error.message.starts_with("Invalid configuration at `");
    const std::size_t text = error.message.find("`: ");
    if (placed && text != std::string::npos) {
      error.message = std::string(flag) + ": " + error.message.substr(text + 3);
      error.code = ErrorCode::kUsage;
    } else {
      error.message = InFlags(std::move(error.message));
    }
    error.hint = InFlags(std::move(error.hint));
  }
  for (Error& other : error.others) NameFlags(places, other);
}

void NameFlags(const std::vector<FlagPlace>& places, bool has_config, Error& error) {
  NameFlags(places, error);
  if (!has_config) error.hint = InFlags(std::move(error.hint));
}

void NameFlags(const std::vector<FlagPlace>& places, bool has_config, std::vector<Warning>& warnings) {
  for (Warning& warning : warnings) {
    if (!has_config || !FlagAt(places, warning.pointer).empty())
      warning.message = InFlags(std::move(warning.message));
  }
}

std::string InFlags(std::string text) {
  constexpr std::pair<std::string_view, std::string_view> kFlags[] = {
      {"readwritePaths", "--rw"}, {"readonlyPaths", "--ro"}, {"deniedPaths", "--deny"}};
  for (const auto& [list, flag] : kFlags) {
    for (std::size_t at = text.find(list); at != std::string::npos; at = text.find(list, at))
      text.replace(at, list.size(), flag);
  }
  return text;
}

}  // namespace mxc
