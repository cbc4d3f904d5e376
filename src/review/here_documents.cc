#include "review/here_documents.h"

#include <algorithm>

namespace mxc {

HereDocument TakeHereDocument(std::string_view& rest) {
  HereDocument document;
  document.strips_tabs = rest.starts_with('-');
  rest.remove_prefix(document.strips_tabs ? 1 : 0);
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  char quote = 0;
  while (!rest.empty() &&
         (quote != 0 || std::string_view(" \t\r\n;&|<>()").find(rest.front()) == std::string_view::npos)) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (quote == 0 ? c == '\'' || c == '"' : c == quote) {
      quote = quote == 0 ? c : '\0';
      document.quoted = true;
    } else if (c == '\\' && quote == 0 && !rest.empty()) {
      document.delimiter += rest.front();
      document.quoted = true;
      rest.remove_prefix(1);
    } else {
      document.delimiter += c;
    }
  }
  return document;
}

bool TakeBody(const HereDocument& document, std::string_view& rest, std::string& body) {
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (document.strips_tabs) line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
    if (line == document.delimiter) return true;
    body.append(line) += '\n';
  }
  return false;
}

}  // namespace mxc
