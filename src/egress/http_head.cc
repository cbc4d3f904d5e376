#include <algorithm>

#include "egress/opening.h"
#include "egress/rules.h"

namespace mxc::egress {
namespace {

// Servers differ in what they make of a crooked head, so there is one reading or none.
constexpr std::string_view kMalformed = "its HTTP request is malformed";
constexpr std::string_view kVersion = "it speaks HTTP/2 without TLS, which cannot be checked";

bool IsTokenByte(char c) {
  const auto lower = static_cast<char>(c | 0x20);
  if ((lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9')) return true;
  return c != '\0' && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsTokenByte);
}

bool EqualsFolded(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a | 0x20) : a) == b;
  });
}

// "host" or "host:port"; an address in place of a name gives nothing, and so the refusal.
bool AddAuthority(std::string_view text, HeadNames& names) {
  const auto colon = text.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view port = text.substr(colon + 1);
    if (port.size() > 5 || port.find_first_not_of("0123456789") != std::string_view::npos) return false;
  }
  const auto name = ValidName(text.substr(0, colon));
  if (!name) return false;
  names.hosts.push_back(*name);
  return true;
}

bool ReadTarget(std::string_view method, std::string_view target, HeadNames& names) {
  if (target.empty()) return false;
  if (EqualsFolded(method, "connect")) return AddAuthority(target, names);
  if (target.front() == '/' || target == "*") return true;
  const auto scheme = target.find("://");
  if (scheme == std::string_view::npos || !IsToken(target.substr(0, scheme))) return false;
  const std::string_view rest = target.substr(scheme + 3);
  return AddAuthority(rest.substr(0, rest.find_first_of("/?#")), names);
}

// METHOD SP target SP HTTP/1.x
std::string_view ReadRequestLine(std::string_view line, HeadNames& names, bool& old) {
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return kMalformed;
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (version == "HTTP/2.0") return kVersion;
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return kMalformed;
  old = version == "HTTP/1.0";
  const bool blank = std::any_of(target.begin(), target.end(), [](char c) { return c >= 0 && c <= ' '; });
  if (blank || !IsToken(method) || !ReadTarget(method, target, names)) return kMalformed;
  return {};
}

bool ReadField(std::string_view line, HeadNames& names, int& hosts) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || !IsToken(line.substr(0, colon))) return false;
  if (line.find_first_of(std::string_view("\r\0", 2)) != std::string_view::npos) return false;
  if (!EqualsFolded(line.substr(0, colon), "host")) return true;
  std::string_view value = line.substr(colon + 1);
  value.remove_prefix(std::min(value.size(), value.find_first_not_of(" \t")));
  value = value.substr(0, value.find_last_not_of(" \t") + 1);
  ++hosts;
  return AddAuthority(value, names);
}

}  // namespace

HeadNames ReadHttpHead(std::string_view head) {
  HeadNames names;
  bool old = false;
  int hosts = 0;
  for (bool first = true;; first = false) {
    const auto newline = head.find('\n');
    if (newline == std::string_view::npos) return {.problem = kMalformed};
    std::string_view line = head.substr(0, newline);
    head.remove_prefix(newline + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) break;
    if (first) {
      const std::string_view problem = ReadRequestLine(line, names, old);
      if (!problem.empty()) return {.problem = problem};
    } else if (!ReadField(line, names, hosts)) {
      return {.problem = kMalformed};
    }
  }
  if (hosts > 1 || (hosts == 0 && !old)) return {.problem = kMalformed};
  return names;
}

}  // namespace mxc::egress
