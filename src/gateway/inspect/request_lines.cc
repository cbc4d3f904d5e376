#include "gateway/inspect/request_lines.h"

#include <algorithm>
#include <charconv>

#include "gateway/inspect/protocol_sniffer.h"
#include "gateway/rules/rules.h"
#include "mxc/fold.h"

namespace mxc::egress {
namespace {

bool IsBlank(char c) { return PassedOver(static_cast<std::uint8_t>(c)); }

bool IsOfName(char c) {
  const char lower = Folded(c);
  return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

std::string_view WithoutBlanks(std::string_view text) {
  const auto begin = std::find_if_not(text.begin(), text.end(), IsBlank);
  return text.substr(static_cast<std::size_t>(begin - text.begin()));
}

bool BeginsHost(std::string_view line) {
  constexpr std::string_view kName = "host";
  return EqualsFolded(line.substr(0, kName.size()), kName) &&
         WithoutBlanks(line.substr(std::min(line.size(), kName.size()))).starts_with(':');
}

// Its second word is a URL, and its first could be a method.
bool AsksForUrl(std::string_view line) {
  const auto word_end = std::find_if_not(line.begin(), line.end(), IsOfName);
  if (word_end == line.end() || !IsBlank(*word_end)) return false;
  const std::string_view target =
      WithoutBlanks(line.substr(static_cast<std::size_t>(word_end - line.begin())));
  const auto target_end = std::find_if(target.begin(), target.end(), IsBlank);
  return std::string_view(target.begin(), target_end).find("://") != std::string_view::npos;
}

}  // namespace

void AddHostsIn(std::string_view text, std::vector<AskedHost>& hosts) {
  while (!text.empty()) {
    const auto begin = std::find_if(text.begin(), text.end(), IsOfName);
    const auto end = std::find_if_not(begin, text.end(), IsOfName);
    std::string_view word(begin, end);
    text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
    while (word.ends_with('.')) word.remove_suffix(1);
    const auto name = ValidName(word);
    if (!name) continue;
    AskedHost host{.name = *name};
    if (text.starts_with(':')) std::from_chars(text.data() + 1, text.data() + text.size(), host.port);
    hosts.push_back(std::move(host));
  }
}

void RequestLines::ReadLine(std::string_view line, std::vector<AskedHost>& hosts) {
  const std::string_view text = WithoutBlanks(line);
  const bool goes_on = continues_ && text.size() < line.size();
  const bool host = BeginsHost(text);
  continues_ = host || goes_on;
  if (host || goes_on || NamesHttp(text) || BeginsRequest(text) || AsksForUrl(text)) AddHostsIn(text, hosts);
}

void RequestLines::EndPart(std::vector<AskedHost>& hosts) {
  if (part_ < line_.size()) ReadLine(std::string_view(line_).substr(part_), hosts);
  part_ = line_.size() + 1;  // behind the CR that follows
}

void RequestLines::EndLine(std::vector<AskedHost>& hosts) {
  const bool parts = part_ > 0 && part_ < line_.size();  // to other servers a lone CR is a blank
  EndPart(hosts);
  if (parts) ReadLine(line_, hosts);
  line_.clear();
  part_ = 0;
}

std::vector<AskedHost> RequestLines::Feed(ByteView bytes) {
  std::vector<AskedHost> hosts;
  for (const std::uint8_t byte : bytes) {
    if (byte == '\n') {
      EndLine(hosts);
      continue;
    }
    if (line_.size() >= kMaxFirstBytes) continue;  // no server reads a line as long
    if (byte == '\r') EndPart(hosts);
    line_ += static_cast<char>(byte);
  }
  return hosts;
}

std::vector<AskedHost> RequestLines::End() {
  std::vector<AskedHost> hosts;
  EndLine(hosts);
  return hosts;
}

}  // namespace mxc::egress
