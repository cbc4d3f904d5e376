#include "gateway/inspect/host_commands.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "gateway/inspect/protocol_sniffer.h"
#include "gateway/rules/address.h"
#include "gateway/rules/rules.h"
#include "mxc/fold.h"

namespace mxc::egress {
namespace {

constexpr std::string_view kHostCommand = "host";
// Servers take commands of Telnet (RFC 854) out of a line, not all of them the same ones.
constexpr char kInterpretAsCommand = '\xff';
// How a client interrupts a transfer, in front of ABOR: Interrupt Process, Data Mark.
constexpr std::string_view kInterrupts[] = {"\xff\xf4", "\xff\xf2"};

bool IsPassed(char c) { return PassedOver(static_cast<std::uint8_t>(c)); }

std::string_view WithoutInterrupts(std::string_view line) {
  for (const std::string_view interrupt : kInterrupts)
    if (line.starts_with(interrupt)) line.remove_prefix(interrupt.size());
  return line;
}

std::string_view FirstWord(std::string_view line) {
  const auto begin = std::find_if_not(line.begin(), line.end(), IsPassed);
  return {begin, std::find_if(begin, line.end(), IsPassed)};
}

// One name or address in its plain spelling, with blanks around it: some servers take quotes and backslashes
// out of it.
std::optional<AskedHost> ReadArgument(std::string_view text) {
  while (!text.empty() && IsPassed(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsPassed(text.back())) text.remove_suffix(1);
  const bool bracket = text.starts_with('[') && text.ends_with(']');
  const std::string_view inner = bracket ? text.substr(1, text.size() - 2) : text;
  if (const auto address = IpAddress::Parse(inner)) {
    if (bracket && !address->ipv6) return std::nullopt;
    return AskedHost{.name = address->Text()};
  }
  if (text.ends_with('.')) text.remove_suffix(1);
  const auto name = ValidName(text);
  return name ? std::optional(AskedHost{.name = *name}) : std::nullopt;
}

}  // namespace

bool HostCommands::EndLine(std::vector<AskedHost>& hosts) {
  const std::string ended = std::exchange(line_, {});
  const std::string_view line = WithoutInterrupts(ended);
  const std::string_view word = FirstWord(line);
  if (word.find(kInterpretAsCommand) != std::string_view::npos) return false;
  if (!EqualsFolded(word, kHostCommand)) return true;
  if (line.find(kInterpretAsCommand) != std::string_view::npos) return false;
  const std::optional<AskedHost> host = ReadArgument(std::string_view(word.end(), line.end()));
  if (host) hosts.push_back(*host);
  return host.has_value();
}

void HostCommands::JoinedLine::Add(std::uint8_t byte) {
  if (byte == 0) {
    joined = joined || !text.empty();
  } else if (text.size() < kMaxFirstBytes) {
    text += static_cast<char>(byte);
  }
}

bool HostCommands::JoinedLine::AsksForHost() const {
  return joined && EqualsFolded(FirstWord(text), kHostCommand);
}

bool HostCommands::Feed(ByteView bytes, std::vector<AskedHost>& hosts) {
  bool known = true;
  for (const std::uint8_t byte : bytes) {
    const bool ends = byte == '\n' || byte == '\r';
    if (ends || byte == 0) {
      known = EndLine(hosts) && known;
    } else if (line_.size() < kMaxFirstBytes) {  // no server reads a line as long
      line_ += static_cast<char>(byte);
    }
    // NUL ends a line for some servers, and others take it out of the line.
    if (ends) {
      known = !std::exchange(joined_, {}).AsksForHost() && known;
    } else {
      joined_.Add(byte);
    }
  }
  return known;
}

}  // namespace mxc::egress
