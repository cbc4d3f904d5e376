#include "import/toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "mxc/limits.h"

namespace mxc {
namespace {

using Keys = std::vector<std::string>;

constexpr std::size_t kMaxTomlDepth = 32;
constexpr std::size_t kMaxTomlEntries = 4096;  // of a table, which is searched name by name

Json Made(Json::Kind kind, std::string text = {}) {
  Json json;
  json.kind = kind;
  json.text = std::move(text);
  return json;
}

Json* MemberNamed(Json& object, const std::string& key) {
  for (JsonMember& member : object.members)
    if (member.key == key) return &member.value;
  return nullptr;
}

bool IsBareKey(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

// A recursive descent over the text; the first error ends it.
class TomlParser {
 public:
  explicit TomlParser(const std::string& text) : text_(text) {}

  Result<Json> Run() {
    CheckText();
    Json document = Made(Json::Kind::kObject);
    Keys table;
    for (SkipLines(); !AtEnd() && problem_.empty(); SkipLines()) {
      Json* target = &document;
      if (Peek() == '[') {
        table = Header();
        Enter(document, table, heads_list_);
      } else {
        target = Enter(document, table, false);
        if (target != nullptr) Pair(*target, 0);
      }
      SkipBlanks();
      if (problem_.empty() && !AtEnd() && Peek() != '\n') Fail("more on the line than one entry");
    }
    if (problem_.empty()) return document;
    const auto line = std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n') + 1;
    return Error{.code = ErrorCode::kMalformed, .message = fmt::format("line {}: {}", line, problem_)};
  }

 private:
  [[nodiscard]] bool AtEnd() const { return at_ >= text_.size(); }
  [[nodiscard]] char Peek() const { return AtEnd() ? '\0' : text_[at_]; }
  [[nodiscard]] bool Follows(std::string_view word) const {
    return std::string_view(text_).substr(at_).starts_with(word);
  }
  void Fail(std::string_view why) {
    if (problem_.empty()) problem_ = why;
  }
  bool Take(char c) {
    if (Peek() != c || AtEnd()) return false;
    ++at_;
    return true;
  }
  void Expect(char c) {
    if (!Take(c)) Fail(fmt::format("'{}' is missing", c));
  }

  // Also comments, which end with the line.
  void SkipBlanks() {
    while (Peek() == ' ' || Peek() == '\t' || Peek() == '\r') ++at_;
    if (Peek() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
  }
  void SkipLines() {
    SkipBlanks();
    while (Take('\n')) SkipBlanks();
  }

  void CheckText() {
    for (std::string_view rest = text_; !rest.empty() && problem_.empty();) {
      const Character character = FirstCharacter(rest);
      if (!character.valid) Fail("the text is not UTF-8");
      rest.remove_prefix(character.bytes);
      at_ = text_.size() - rest.size();
    }
    if (problem_.empty()) at_ = 0;
  }

  // One value more, beside `count`.
  void Count(std::size_t count) {
    if (count >= kMaxTomlEntries || ++values_ > kMaxDocumentValues) Fail("too many entries");
  }

  Keys Header() {
    Expect('[');
    heads_list_ = Take('[');
    Keys keys = Path();
    Expect(']');
    if (heads_list_) Expect(']');
    return keys;
  }

  Keys Path() {
    Keys keys;
    do {
      SkipBlanks();
      keys.push_back(Key());
      SkipBlanks();
      if (keys.size() > kMaxTomlDepth) Fail("too deep");
    } while (problem_.empty() && Take('.'));
    return keys;
  }

  std::string Key() {
    if (Peek() == '"' || Peek() == '\'') return String();
    const std::size_t start = at_;
    while (IsBareKey(Peek())) ++at_;
    if (at_ == start) Fail("a name is missing");
    return text_.substr(start, at_ - start);
  }

  // The table at `keys`; of [[keys]] a new one at the end of the list.
  Json* Enter(Json& document, const Keys& keys, bool new_in_list) {
    if (!problem_.empty()) return nullptr;
    Json* table = &document;
    for (std::size_t i = 0; i < keys.size() && table != nullptr; ++i) {
      const bool list = new_in_list && i + 1 == keys.size();
      Json* next = MemberNamed(*table, keys[i]);
      if (next == nullptr) {
        Count(table->members.size());
        table->members.push_back(
            {.key = keys[i], .value = Made(list ? Json::Kind::kArray : Json::Kind::kObject)});
        next = &table->members.back().value;
      }
      if (list && next->kind == Json::Kind::kArray) {
        Count(next->items.size());
        next->items.push_back(Made(Json::Kind::kObject));
      }
      if (next->kind == Json::Kind::kArray && !next->items.empty()) next = &next->items.back();
      table = next->kind == Json::Kind::kObject ? next : nullptr;
    }
    if (table == nullptr) Fail("a name is both a table and a value");
    return table;
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as kMaxTomlDepth
  void Pair(Json& table, std::size_t depth) {
    Keys keys = Path();
    SkipBlanks();
    Expect('=');
    SkipBlanks();
    if (!problem_.empty()) return;
    const std::string name = keys.back();
    keys.pop_back();
    Json* const target = Enter(table, keys, false);
    if (target == nullptr) return;
    if (MemberNamed(*target, name) != nullptr) return Fail("a name stands twice");
    Count(target->members.size());
    Json value = Value(depth + 1);
    target->members.push_back({.key = name, .value = std::move(value)});
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  Json Value(std::size_t depth) {
    if (depth > kMaxTomlDepth) Fail("too deep");
    if (!problem_.empty()) return {};
    if (Peek() == '"' || Peek() == '\'') return Made(Json::Kind::kString, String());
    if (Peek() == '[') return List(depth);
    if (Peek() == '{') return Inline(depth);
    return Plain();
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  Json List(std::size_t depth) {
    Json list = Made(Json::Kind::kArray);
    Expect('[');
    for (SkipLines(); !Take(']') && problem_.empty(); SkipLines()) {
      Count(list.items.size());
      list.items.push_back(Value(depth + 1));
      SkipLines();
      if (!Take(',') && Peek() != ']') Fail("']' is missing");
    }
    return list;
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  Json Inline(std::size_t depth) {
    Json table = Made(Json::Kind::kObject);
    Expect('{');
    for (SkipLines(); !Take('}') && problem_.empty(); SkipLines()) {
      Pair(table, depth + 1);
      SkipLines();
      if (!Take(',') && Peek() != '}') Fail("'}' is missing");
    }
    return table;
  }

  // true, a number, a date.
  Json Plain() {
    const std::size_t start = at_;
    while (IsBareKey(Peek()) || Peek() == '.' || Peek() == '+' || Peek() == ':') ++at_;
    std::string text = text_.substr(start, at_ - start);
    if (text.empty()) Fail("a value is missing");
    const bool boolean = text == "true" || text == "false";
    Json value = Made(boolean ? Json::Kind::kBool : Json::Kind::kFloat, std::move(text));
    value.boolean = value.text == "true";
    return value;
  }

  std::string String() {
    if (Follows("\"\"\"") || Follows("'''")) Fail("strings of several lines are not read");
    const char quote = Peek();
    ++at_;
    std::string text;
    while (!AtEnd() && Peek() != quote && Peek() != '\n' && problem_.empty()) {
      const char c = text_[at_++];
      text += c == '\\' && quote == '"' ? Escape() : std::string(1, c);
    }
    Expect(quote);
    if (text.find('\0') != std::string::npos) Fail("NUL in a string");
    return text;
  }

  std::string Escape() {
    constexpr std::string_view kNames = "btnfr\"\\";
    constexpr std::string_view kMeanings = "\b\t\n\f\r\"\\";
    const std::size_t known = kNames.find(Peek());
    ++at_;
    if (known != std::string_view::npos) return std::string(1, kMeanings[known]);
    Fail("an escape that is not read");
    return "";
  }

  const std::string& text_;
  std::size_t at_ = 0;
  std::size_t values_ = 0;
  bool heads_list_ = false;  // the last header was [[name]]
  std::string problem_ = {};
};

}  // namespace

Result<Json> ParseToml(const std::string& text) { return TomlParser(text).Run(); }

}  // namespace mxc
