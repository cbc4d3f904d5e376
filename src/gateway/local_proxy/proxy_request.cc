#include "gateway/local_proxy/proxy_request.h"

#include <algorithm>
#include <array>

#include "mxc/fold.h"

namespace mxc::egress {
namespace {

// Of the way between client and proxy alone (RFC 9110, 7.6.1).
constexpr std::array<std::string_view, 6> kOfTheWay = {
    "connection", "keep-alive", "proxy-connection", "upgrade", "proxy-authorization", "te"};

std::string_view TakeLine(std::string_view& head) {
  const std::size_t end = std::min(head.find('\n'), head.size() - 1);
  std::string_view line = head.substr(0, end);
  head.remove_prefix(end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// "GET http://host/path HTTP/1.1" as "GET /path HTTP/1.1".
std::string RequestLine(std::string_view line) {
  const std::size_t target = line.find(' ') + 1;
  const std::size_t end = line.rfind(' ');
  const std::size_t authority = line.find("://") + 3;
  const std::size_t path = std::min(line.find_first_of("/?#", authority), end);
  const std::string_view rest = line.substr(path, end - path);
  return std::string(line.substr(0, target)) + (rest.starts_with('/') ? "" : "/") + std::string(rest) +
         std::string(line.substr(end));
}

}  // namespace

std::string RequestForServer(std::string_view head) {
  // ProtocolSniffer has passed over what stands before the request, as servers do (RFC 9112, 2.2).
  head.remove_prefix(std::min(head.find_first_not_of("\r\n"), head.size()));
  std::string text = RequestLine(TakeLine(head)) + "\r\n";
  while (!head.empty()) {
    const std::string_view line = TakeLine(head);
    if (line.empty()) break;
    const std::string field = Folded(line.substr(0, line.find(':')));
    if (std::find(kOfTheWay.begin(), kOfTheWay.end(), field) == kOfTheWay.end())
      text += std::string(line) + "\r\n";
  }
  return text + "Connection: close\r\n\r\n";
}

std::string ProxyAnswer(std::string_view status, std::string_view reason) {
  const std::string text = "mxc-exec: " + std::string(reason) + "\n";
  return "HTTP/1.1 " + std::string(status) +
         "\r\nContent-Type: text/plain\r\nContent-Length: " + std::to_string(text.size()) +
         "\r\nConnection: close\r\n\r\n" + text;
}

}  // namespace mxc::egress
