#include "flag_values.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

#include "base/quoted.h"
#include "config/endpoint.h"
#include "mxc/windows/path.h"
#include "policy/paths/glob.h"
#include "policy/paths/paths.h"
#include "profiles/expand_document.h"

namespace mxc {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t size;
};
constexpr Unit kTimes[] = {{"", 1}, {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}};
constexpr Unit kSizes[] = {{"M", 1}, {"G", 1024}, {"T", std::uint64_t{1024} * 1024}};

Error Refused(std::string_view flag, std::string_view takes, const std::string& text) {
  return {.code = ErrorCode::kUsage,
          .message = std::string(flag) + " takes " + std::string(takes) + ", not " + Quoted(text)};
}

// Digits with at most one point among them; takes them from the front.
std::optional<double> TakeDecimal(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  if (end == 0 || text[0] == '.' || text[end - 1] == '.') return std::nullopt;
  const std::string digits(text.substr(0, end));
  if (std::count(digits.begin(), digits.end(), '.') > 1) return std::nullopt;
  text.remove_prefix(end);
  return std::strtod(digits.c_str(), nullptr);
}

template <std::size_t kCount>
std::optional<std::uint64_t> Amount(std::string_view text, const Unit (&units)[kCount], double most) {
  const std::optional<double> number = TakeDecimal(text);
  for (const Unit& unit : units) {
    if (!number || text != unit.name) continue;
    const double amount = std::floor(*number * static_cast<double>(unit.size));
    return amount <= most ? std::optional(static_cast<std::uint64_t>(amount)) : std::nullopt;
  }
  return std::nullopt;
}

// "." at the front of `path` is left out, so that messages name the place as people do. ".." stays: it may
// follow a link, and what it steps out of keeps its name for the run.
std::string Under(std::string_view here, std::string_view path) {
  while (path == "." || path.starts_with("./"))
    path.remove_prefix(std::min(path.find_first_not_of('/', 1), path.size()));
  if (path.empty()) return std::string(here);
  return Below(here == "/" ? "" : here, "/" + std::string(path));
}

// A directory that was removed is still there to stand in, without a name.
Error NoPlace(const std::string& path, const Host& host) {
  const Lookup here = host.LookAt(".");
  const bool removed = !here.status || here.status->links == 0;
  return UsageError(Quoted(path) + " is relative to the current directory, which " +
                        (removed ? "does not exist any more" : "has no path from the root here"),
                    "cd to a directory that exists, or write the path from the root");
}

}  // namespace

Error UsageError(std::string message, std::string hint) {
  return {.code = ErrorCode::kUsage, .message = std::move(message), .hint = std::move(hint)};
}

Result<std::uint32_t> MillisecondsOf(std::string_view flag, const std::string& text) {
  const auto amount = Amount(text, kTimes, std::numeric_limits<std::uint32_t>::max());
  if (amount) return static_cast<std::uint32_t>(*amount);
  return Refused(flag, "a time of at most 49 days such as 90s, 5m, 2h or 500ms", text);
}

std::string NoteOfBareTime(std::string_view flag, std::string_view text) {
  constexpr std::size_t kDigits = 3;
  const bool bare = text.find_first_not_of("0123456789") == std::string_view::npos;
  if (!bare || text.size() > kDigits || text.find_first_not_of('0') == std::string_view::npos) return "";
  const std::string words = std::string(flag) + " " + std::string(text);
  return words + " is " + std::string(text) + " milliseconds; write " + words + "s for seconds";
}

Result<std::uint64_t> MegabytesOf(std::string_view flag, const std::string& text) {
  constexpr double kMost = 1e9;  // the bound of resources.memoryMb
  const auto amount = Amount(text, kSizes, kMost);
  if (amount && *amount > 0) return *amount;
  return Refused(flag, "a size such as 512M or 2G", text);
}

Result<std::string> DecimalOf(std::string_view flag, const std::string& text) {
  std::string_view rest = text;
  if (TakeDecimal(rest) && rest.empty()) return text;
  return Refused(flag, "a number such as 2 or 1.5", text);
}

Result<PortPair> PortsOf(std::string_view flag, const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::optional<std::uint16_t> host = ParsePort(std::string_view(text).substr(0, colon));
  const std::optional<std::uint16_t> guest =
      colon == std::string::npos ? host : ParsePort(std::string_view(text).substr(colon + 1));
  if (host && guest) return PortPair{.host = *host, .guest = *guest};
  if (std::count(text.begin(), text.end(), ':') > 1) {
    return UsageError(std::string(flag) + " takes ports alone, not " + Quoted(text),
                      "the port of this host is opened on its loopback: write 8080:80");
  }
  return Refused(flag, "a port of this host and one inside, each from 1 to 65535, such as 8080:80", text);
}

// Without a name for the place a relative path is refused: never guess what is granted.
Result<std::string> PathOfFlag(const std::string& path, const Host& host) {
  if (path.starts_with('~')) {
    const std::optional<std::string> home = CallersHome(host);
    if (path.size() > 1 && path[1] != '/') {
      return UsageError("only ~ and ~/ are expanded, not " + Quoted(path),
                        "write the directory, or ./" + path + " for a name that begins so");
    }
    if (!home || (!home->starts_with('/') && !IsOnDrive(*home)))
      return UsageError(Quoted(path) + " needs HOME, which is not set", "set HOME, or write the directory");
    return Below(*home, path.substr(1));
  }
  const std::string here = host.WorkingDirectory();
  const bool of_windows = IsOnDrive(path) || path.starts_with("\\\\");  // and absolute there
  if (path.empty() || path.front() == '/' || of_windows) return path;
  if (here.empty()) return NoPlace(path, host);
  return Under(here, path);
}

}  // namespace mxc
