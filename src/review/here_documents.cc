#include "review/here_documents.h"

#include <algorithm>
#include <cstddef>

#include "review/ansi_quotes.h"
#include "review/shell_words.h"

namespace mxc {

namespace {

// "$(...)", "${...}" and `...` stand in it as they are written, with their blanks.
std::size_t ExpansionLength(std::string_view text) {
  if (text.starts_with("$(")) return SubstitutionLength(text.substr(1)) + 1;
  const char closes = text.starts_with("${") ? '}' : text.starts_with('`') ? '`' : '\0';
  const std::size_t end = closes == 0 ? std::string_view::npos : text.find(closes, 1);
  return end == std::string_view::npos ? 0 : end + 1;
}

// Those of which a backslash is the last byte go on in the next one.
bool GoesOn(std::string_view line) {
  const std::size_t last = line.find_last_not_of('\\');
  return (line.size() - (last == std::string_view::npos ? 0 : last + 1)) % 2 != 0;
}

}  // namespace

HereDocument TakeHereDocument(std::string_view& rest, bool dollar_quotes) {
  HereDocument document;
  document.strips_tabs = rest.starts_with('-');
  rest.remove_prefix(document.strips_tabs ? 1 : 0);
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  char quote = 0;
  while (!rest.empty() &&
         (quote != 0 || std::string_view(" \t\r\n;&|<>()").find(rest.front()) == std::string_view::npos)) {
    if (quote == 0 && dollar_quotes && (rest.starts_with("$'") || rest.starts_with("$\""))) {
      const bool ansi = rest[1] == '\'';
      rest.remove_prefix(ansi ? 2 : 1);
      document.quoted = true;
      if (!ansi) continue;
      document.delimiter += TakeAnsiQuoted(rest);
      rest.remove_prefix(rest.empty() ? 0 : 1);
      continue;
    }
    if (const std::size_t bytes = quote == 0 ? std::min(ExpansionLength(rest), rest.size()) : 0; bytes != 0) {
      document.delimiter += rest.substr(0, bytes);
      rest.remove_prefix(bytes);
      continue;
    }
    const char c = rest.front();
    rest.remove_prefix(1);
    if (quote == 0 ? c == '\'' || c == '"' : c == quote) {
      quote = quote == 0 ? c : '\0';
      document.quoted = true;
    } else if (c == '\\' && rest.starts_with('\n') && quote != '\'') {
      rest.remove_prefix(1);
    } else if (c == '\\' && !rest.empty() &&
               (quote == 0 ||
                (quote == '"' && std::string_view("$`\"\\").find(rest.front()) != std::string_view::npos))) {
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
    std::string line;
    for (bool more = true; more && !rest.empty();) {
      std::string_view next = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), next.size() + 1));
      if (document.strips_tabs) next.remove_prefix(std::min(next.find_first_not_of('\t'), next.size()));
      more = !document.quoted && GoesOn(next);
      if (more) next.remove_suffix(1);
      line += next;
    }
    if (line == document.delimiter) return true;
    body.append(line) += '\n';
  }
  return false;
}

}  // namespace mxc
