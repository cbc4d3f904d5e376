#include "tests/support/sbpl.h"

#include <algorithm>
#include <array>
#include <regex>
#include <utility>

namespace mxc {
namespace {

using Parameters = std::map<std::string, std::string>;
using Kind = SbplTerm::Kind;

// Operations, as macOS 11 and later know them. A star stands for every operation that begins so.
constexpr std::array<std::string_view, 28> kOperations = {"default",
                                                          "file-ioctl",
                                                          "file-link",
                                                          "file-map-executable",
                                                          "file-read*",
                                                          "file-read-data",
                                                          "file-read-metadata",
                                                          "file-read-xattr",
                                                          "file-write*",
                                                          "file-write-create",
                                                          "file-write-data",
                                                          "file-write-unlink",
                                                          "iokit-open",
                                                          "ipc-posix-sem",
                                                          "ipc-posix-shm*",
                                                          "ipc-posix-shm-read*",
                                                          "mach-lookup",
                                                          "mach-register",
                                                          "network-bind",
                                                          "network-inbound",
                                                          "network-outbound",
                                                          "process-exec",
                                                          "process-fork",
                                                          "process-info*",
                                                          "pseudo-tty",
                                                          "signal",
                                                          "sysctl-read",
                                                          "system-socket"};

constexpr std::array<std::string_view, 5> kPathOperations = {"file-", "process-exec", "network-bind",
                                                             "network-outbound", "network-inbound"};

Error Unreadable(std::string message) {
  return {.code = ErrorCode::kMalformed, .message = std::move(message)};
}

// ---- text to terms

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<std::vector<SbplTerm>> All() {
    std::vector<SbplTerm> terms;
    for (Skip(); at_ < text_.size(); Skip()) {
      Result<SbplTerm> term = Next();
      if (!term) return term.error();
      terms.push_back(std::move(*term));
    }
    return terms;
  }

 private:
  void Skip() {
    while (at_ < text_.size()) {
      if (text_[at_] == ';') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_[at_] == ' ' || text_[at_] == '\n') {
        ++at_;
      } else {
        return;
      }
    }
  }

  // NOLINTNEXTLINE(misc-no-recursion): profiles of ours are a few levels deep.
  Result<SbplTerm> Next() {
    if (text_[at_] == '(') return List();
    if (text_[at_] == '"') return Quoted();
    if (text_.substr(at_, 2) == "#\"") return Regex();
    if (text_[at_] == ')') return Unreadable("a bracket too many");
    const std::size_t end = std::min(text_.find_first_of(" \n()", at_), text_.size());
    SbplTerm term{.text = std::string(text_.substr(at_, end - at_))};
    at_ = end;
    return term;
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  Result<SbplTerm> List() {
    SbplTerm list{.kind = Kind::kList};
    ++at_;
    for (Skip();; Skip()) {
      if (at_ >= text_.size()) return Unreadable("a bracket is missing");
      if (text_[at_] == ')') break;
      Result<SbplTerm> term = Next();
      if (!term) return term;
      list.items.push_back(std::move(*term));
    }
    ++at_;
    return list;
  }

  Result<SbplTerm> Quoted() {
    SbplTerm term{.kind = Kind::kText};
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
      if (at_ < text_.size()) term.text += text_[at_];
    }
    if (at_ >= text_.size()) return Unreadable("a quotation mark is missing");
    ++at_;
    return term;
  }

  Result<SbplTerm> Regex() {
    const std::size_t end = text_.find('"', at_ + 2);
    if (end == std::string_view::npos) return Unreadable("a quotation mark is missing");
    SbplTerm term{.kind = Kind::kRegex, .text = std::string(text_.substr(at_ + 2, end - at_ - 2))};
    at_ = end + 1;
    return term;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// ---- terms to rules

bool IsList(const SbplTerm& term, std::string_view name) {
  return term.kind == Kind::kList && !term.items.empty() && term.items[0].text == name;
}

// `(param "NAME")` becomes its value.
// NOLINTNEXTLINE(misc-no-recursion)
Status FillIn(SbplTerm& term, const Parameters& parameters) {
  if (IsList(term, "param")) {
    const auto value = term.items.size() == 2 ? parameters.find(term.items[1].text) : parameters.end();
    if (value == parameters.end()) return Unreadable("a parameter has no value");
    term = {.kind = Kind::kText, .text = value->second};
    return Done{};
  }
  for (SbplTerm& item : term.items) {
    if (Status filled = FillIn(item, parameters); !filled) return filled;
  }
  return Done{};
}

constexpr std::array<std::string_view, 11> kTextFilters = {
    "extension", "global-name", "iokit-user-client-class", "ipc-posix-name", "literal", "local", "remote",
    "subpath",   "sysctl-name", "sysctl-name-prefix",      "target"};
constexpr std::array<std::string_view, 3> kRegexFilters = {"global-name-regex", "ipc-posix-name-regex",
                                                           "regex"};
constexpr std::array<std::string_view, 3> kJunctions = {"require-all", "require-any", "require-not"};

template <class Names>
bool IsOneOf(std::string_view name, const Names& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// NOLINTNEXTLINE(misc-no-recursion)
Status CheckFilter(const SbplTerm& term) {
  if (term.kind != Kind::kList || term.items.size() < 2) return Unreadable("a filter is no list of two");
  const std::string& name = term.items[0].text;
  if (IsOneOf(name, kJunctions)) {
    for (std::size_t i = 1; i < term.items.size(); ++i) {
      if (Status checked = CheckFilter(term.items[i]); !checked) return checked;
    }
    return Done{};
  }
  const bool regex = IsOneOf(name, kRegexFilters);
  if (!regex && !IsOneOf(name, kTextFilters)) return Unreadable("no filter is called " + name);
  const SbplTerm& last = term.items.back();
  const bool fits = regex ? last.kind == Kind::kRegex : name == "target" || last.kind == Kind::kText;
  return fits ? Status(Done{}) : Unreadable("the filter " + name + " has another kind of value");
}

Result<SbplRule> RuleOf(const SbplTerm& term) {
  SbplRule rule{.allow = IsList(term, "allow")};
  if (!rule.allow && !IsList(term, "deny")) return Unreadable("neither allow nor deny");
  std::size_t i = 1;
  for (; i < term.items.size() && term.items[i].kind == Kind::kWord; ++i) {
    if (!IsOneOf(term.items[i].text, kOperations)) {
      return Unreadable("no operation is called " + term.items[i].text);
    }
    rule.operations.push_back(term.items[i].text);
  }
  if (rule.operations.empty()) return Unreadable("a rule without an operation");
  for (; i < term.items.size(); ++i) {
    if (Status checked = CheckFilter(term.items[i]); !checked) return checked.error();
    rule.filters.push_back(term.items[i]);
  }
  return rule;
}

// ---- rules to answers

bool Fits(std::string_view pattern, std::string_view operation) {
  if (pattern == "default") return true;
  if (!pattern.ends_with('*')) return pattern == operation;
  return operation.starts_with(pattern.substr(0, pattern.size() - 1));
}

bool IsAtOrBelow(std::string_view path, std::string_view above) {
  if (above == "/") return path.starts_with('/');
  return path == above || (path.starts_with(above) && path[above.size()] == '/');
}

// "*:*", "localhost:*", "localhost:80" against "192.0.2.1:80".
bool FitsAddress(std::string_view pattern, std::string_view address) {
  const auto host = [](std::string_view text) { return text.substr(0, text.rfind(':')); };
  const auto port = [](std::string_view text) { return text.substr(text.rfind(':') + 1); };
  if (address.starts_with('/')) return false;
  if (host(pattern) != "*" && host(pattern) != host(address)) return false;
  return port(pattern) == "*" || port(pattern) == port(address);
}

bool IsPathFilter(std::string_view name) { return name == "subpath" || name == "literal" || name == "regex"; }

// NOLINTNEXTLINE(misc-no-recursion)
bool Holds(const SbplTerm& filter, const SbplQuestion& question) {
  const std::string& name = filter.items[0].text;
  const std::string& value = filter.items.back().text;
  const auto holds = [&](const SbplTerm& inner) { return Holds(inner, question); };
  if (name == "require-all") return std::all_of(filter.items.begin() + 1, filter.items.end(), holds);
  if (name == "require-any") return std::any_of(filter.items.begin() + 1, filter.items.end(), holds);
  if (name == "require-not") return !Holds(filter.items[1], question);
  if (IsPathFilter(name)) {
    const bool about_paths =
        std::any_of(kPathOperations.begin(), kPathOperations.end(),
                    [&](std::string_view prefix) { return question.operation.starts_with(prefix); });
    if (!about_paths || !question.subject.starts_with('/')) return false;
    if (name == "subpath") return IsAtOrBelow(question.subject, value);
    return name == "literal" ? question.subject == value
                             : std::regex_search(question.subject, std::regex(value));
  }
  if (name == "remote" || name == "local") {
    const std::string& protocol = filter.items[1].text;
    return (protocol == "ip" || protocol == question.protocol) && FitsAddress(value, question.subject);
  }
  if (name == "target") return question.same_sandbox;
  if (name == "extension") return false;  // nothing hands one out in a question
  if (name == "sysctl-name-prefix") return question.subject.starts_with(value);
  if (name.ends_with("-regex")) return std::regex_search(question.subject, std::regex(value));
  return question.subject == value;
}

}  // namespace

Result<SbplProfile> SbplProfile::Parse(const SeatbeltSandbox& sandbox, Parameters launch) {
  for (const SeatbeltParameter& parameter : sandbox.parameters) launch[parameter.name] = parameter.value;
  Result<std::vector<SbplTerm>> terms = Reader(sandbox.profile).All();
  if (!terms) return terms.error();
  if (terms->empty() || !IsList(terms->front(), "version")) return Unreadable("(version 1) is missing");
  SbplProfile profile;
  for (std::size_t i = 1; i < terms->size(); ++i) {
    if (Status filled = FillIn((*terms)[i], launch); !filled) return filled.error();
    Result<SbplRule> rule = RuleOf((*terms)[i]);
    if (!rule) return rule.error();
    profile.rules_.push_back(std::move(*rule));
  }
  return profile;
}

bool SbplProfile::Allows(const SbplQuestion& question) const {
  const SbplRule* filtered = nullptr;
  const SbplRule* general = nullptr;
  for (const SbplRule& rule : rules_) {
    const bool about = std::any_of(rule.operations.begin(), rule.operations.end(),
                                   [&](const std::string& name) { return Fits(name, question.operation); });
    if (!about) continue;
    if (rule.filters.empty()) {
      general = &rule;
    } else if (std::any_of(rule.filters.begin(), rule.filters.end(),
                           [&](const SbplTerm& filter) { return Holds(filter, question); })) {
      filtered = &rule;
    }
  }
  const SbplRule* decides = filtered != nullptr ? filtered : general;
  return decides != nullptr && decides->allow;
}

}  // namespace mxc
