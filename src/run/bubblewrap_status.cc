#include "run/bubblewrap_status.h"

#include <charconv>
#include <variant>

namespace mxc {
namespace {

// The number behind "key": in a flat object. Nothing else of the line is looked at.
std::optional<std::int64_t> NumberOf(std::string_view line, std::string_view quoted_key) {
  const std::size_t key = line.find(quoted_key);
  if (key == std::string_view::npos) return std::nullopt;
  std::size_t at = line.find_first_not_of(" \t", key + quoted_key.size());
  if (at == std::string_view::npos || line[at] != ':') return std::nullopt;
  at = line.find_first_not_of(" \t", at + 1);
  if (at == std::string_view::npos) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(line.data() + at, line.data() + line.size(), number);
  if (error != std::errc{} || number < 0) return std::nullopt;
  return number;
}

}  // namespace

void SandboxStatus::Feed(std::string_view bytes) {
  received_ += bytes.size();
  if (received_ > kMaxBytes) return;
  pending_.append(bytes);
  std::size_t begin = 0;
  for (std::size_t end = pending_.find('\n'); end != std::string::npos; end = pending_.find('\n', begin)) {
    TakeLine(std::string_view(pending_).substr(begin, end - begin));
    begin = end + 1;
  }
  pending_.erase(0, begin);
}

void SandboxStatus::TakeLine(std::string_view line) {
  if (!child_id_) child_id_ = NumberOf(line, "\"child-pid\"");
  if (const auto code = NumberOf(line, "\"exit-code\""); code && *code <= 255) {
    exit_code_ = static_cast<int>(*code);
  }
}

std::optional<std::string> MaskWithoutPlace(std::string_view message, const LinuxSandbox& sandbox) {
  constexpr std::string_view kBeginnings[] = {"Can't mkdir parents for ", "Can't mkdir ",
                                              "Can't create file at "};
  for (const MountNode& node : sandbox.mounts) {
    const auto* const directory = std::get_if<TmpfsMount>(&node);
    const auto* const file = std::get_if<FileMask>(&node);
    const bool stood = (directory != nullptr && directory->object) || (file != nullptr && file->object);
    if (!stood) continue;
    const std::string& target = directory != nullptr ? directory->target : file->target;
    for (const std::string_view beginning : kBeginnings) {
      if (message.starts_with(beginning) && message.substr(beginning.size()).starts_with(target + ": "))
        return sandbox.workspace.OnHost(target);
    }
  }
  return std::nullopt;
}

}  // namespace mxc
