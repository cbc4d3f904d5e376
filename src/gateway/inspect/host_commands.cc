#include "gateway/inspect/host_commands.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "gateway/inspect/protocol_sniffer.h"
#include "mxc/fold.h"

namespace mxc::egress {
namespace {

// Servers take commands of Telnet (RFC 854) out of a line, not all of them the same ones.
constexpr char kInterpretAsCommand = '\xff';
// How a client interrupts a transfer, in front of ABOR: Interrupt Process, Data Mark.
constexpr std::string_view kInterrupts[] = {"\xff\xf4", "\xff\xf2"};

std::string_view WithoutInterrupts(std::string_view line) {
  for (const std::string_view interrupt : kInterrupts)
    if (line.starts_with(interrupt)) line.remove_prefix(interrupt.size());
  return line;
}

}  // namespace

bool HostCommands::EndLine(std::vector<AskedHost>& hosts) {
  constexpr std::string_view kName = "host";
  const auto is_blank = [](char c) { return PassedOver(static_cast<std::uint8_t>(c)); };
  const std::string ended = std::exchange(line_, {});
  const std::string_view line = WithoutInterrupts(ended);
  const auto begin = std::find_if_not(line.begin(), line.end(), is_blank);
  const auto end = std::find_if(begin, line.end(), is_blank);
  const std::string_view word(begin, end);
  if (word.find(kInterpretAsCommand) != std::string_view::npos) return false;
  if (!EqualsFolded(word, kName)) return true;
  if (line.find(kInterpretAsCommand) != std::string_view::npos) return false;
  const std::size_t before = hosts.size();
  AddHostsIn(std::string_view(end, line.end()), hosts);
  return hosts.size() > before;
}

bool HostCommands::Feed(ByteView bytes, std::vector<AskedHost>& hosts) {
  bool known = true;
  for (const std::uint8_t byte : bytes) {
    if (byte == '\n' || byte == '\r' || byte == 0) {
      known = EndLine(hosts) && known;
    } else if (line_.size() < kMaxFirstBytes) {  // no server reads a line as long
      line_ += static_cast<char>(byte);
    }
  }
  return known;
}

}  // namespace mxc::egress
