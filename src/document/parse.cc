#include "document/parse.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "document/place.h"
#include "mxc/limits.h"

namespace mxc {
namespace {

// Follows the parser through the bytes, one token per event, to know where each stands. The syntax has been
// checked when an event arrives, so telling tokens apart takes only their first byte.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes) {}

  // Moves to the next token, past blanks, commas and colons.
  Position Next() {
    for (; at_ < bytes_.size(); ++at_) {
      if (bytes_[at_] == '\n') {
        ++line_;
        line_start_ = at_ + 1;
      } else if (std::string_view(" \t\r,:").find(bytes_[at_]) == std::string_view::npos) {
        break;
      }
    }
    return {.line = line_, .column = static_cast<std::uint32_t>(at_ - line_start_ + 1)};
  }

  // Moves past the token Next() found and returns its text.
  std::string_view Take() {
    const std::size_t start = at_;
    if (at_ == bytes_.size()) return {};
    const char first = bytes_[at_];
    if (first == '"') {
      for (++at_; at_ < bytes_.size() && bytes_[at_] != '"'; ++at_) {
        if (bytes_[at_] == '\\') ++at_;
      }
      at_ = std::min(at_ + 1, bytes_.size());
    } else if (std::string_view("{}[]").find(first) != std::string_view::npos) {
      ++at_;
    } else {
      at_ = std::min(bytes_.find_first_of(" \t\r\n,:{}[]\"", at_), bytes_.size());
    }
    return bytes_.substr(start, at_ - start);
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  std::uint32_t line_ = 1;
};

Position PositionAt(std::string_view bytes, std::size_t offset) {
  const std::string_view before = bytes.substr(0, std::min(offset, bytes.size()));
  const auto newline = before.rfind('\n');
  const std::size_t column = newline == std::string_view::npos ? before.size() : before.size() - newline - 1;
  return {.line = static_cast<std::uint32_t>(1 + std::count(before.begin(), before.end(), '\n')),
          .column = static_cast<std::uint32_t>(std::max<std::size_t>(column, 1))};
}

Error Malformed(std::string reason, Position position) {
  return {.code = ErrorCode::kMalformed,
          .message = "Invalid JSON syntax: " + std::move(reason) + AtPosition(position),
          .position = position};
}

// The parser's own reason, without the part that repeats what it read: that may be a secret.
std::string ReasonOf(std::string_view what) {
  if (const auto quoted = what.find("; last read"); quoted != std::string_view::npos) {
    what = what.substr(0, quoted);
  }
  const auto dash = what.find(" - ");
  return std::string(dash == std::string_view::npos ? "unexpected text" : what.substr(dash + 3));
}

// For what people write by hand and other readers take. `end`: behind the byte at which the parser stopped.
std::string_view SyntaxHint(std::string_view bytes, std::size_t end, std::string_view reason) {
  const std::string_view read = bytes.substr(0, end);
  const std::size_t word = read.find_last_not_of("/*") + 1;  // of npos: 0
  if (reason == "invalid literal" && word < read.size() && read[word] == '/')
    return "JSON has no comments: `_comment`, a key of the document, holds anything";
  if (read.empty() || (read.back() != '}' && read.back() != ']')) return "";
  const std::size_t last = read.find_last_not_of(" \t\r\n", read.size() - 2);
  const bool comma = read.size() > 1 && last != std::string_view::npos && read[last] == ',';
  return comma ? "no comma stands behind the last entry" : "";
}

// The second of two members with one name, if there is such a pair; the first pair in document order.
const JsonMember* FindDuplicate(const std::vector<JsonMember>& members) {
  std::vector<const JsonMember*> sorted;
  sorted.reserve(members.size());
  for (const JsonMember& member : members) sorted.push_back(&member);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto* a, const auto* b) { return a->key < b->key; });
  const JsonMember* found = nullptr;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i - 1]->key == sorted[i]->key && (found == nullptr || sorted[i] < found)) found = sorted[i];
  }
  return found;
}

// Builds the tree from the parser's events. A function that returns false stops the parser; `failure` says
// why.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(std::string_view bytes) : bytes_(bytes), cursor_(bytes) {}

  bool null() override { return Scalar(Json{}); }
  bool boolean(bool value) override {
    Json json = Of(Json::Kind::kBool);
    json.boolean = value;
    return Scalar(std::move(json));
  }
  bool number_integer(number_integer_t value) override {
    return Integer(static_cast<std::uint64_t>(value), true);
  }
  bool number_unsigned(number_unsigned_t value) override { return Integer(value, false); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override {
    return Scalar(Of(Json::Kind::kFloat));
  }
  bool string(string_t& value) override {
    if (HasNul(value)) return Fail("a string contains NUL", cursor_.Next());
    Json json = Of(Json::Kind::kString);
    json.text = std::move(value);
    return Scalar(std::move(json));
  }
  bool binary(binary_t& /*value*/) override { return Fail("binary data", cursor_.Next()); }
  bool start_object(std::size_t /*count*/) override { return Open(Json::Kind::kObject); }
  bool start_array(std::size_t /*count*/) override { return Open(Json::Kind::kArray); }
  bool end_array() override { return Close(); }

  bool key(string_t& name) override {
    const Position position = cursor_.Next();
    cursor_.Take();
    if (HasNul(name)) return Fail("a key contains NUL", position);
    open_.back().members.push_back({.key = std::move(name), .position = position});
    return WithinListBound(open_.back().members.size(), position);
  }

  bool end_object() override {
    if (const JsonMember* twice = FindDuplicate(open_.back().members)) {
      const Place here = PlaceOfInnermost();
      failure_ = ErrorAt(here, twice->position, "duplicate field " + Ticked(twice->key));
      failure_->code = ErrorCode::kMalformed;
      failure_->pointer = here.Key(twice->key).pointer;
      return false;
    }
    return Close();
  }

  bool parse_error(std::size_t offset, const std::string& /*token*/,
                   const nlohmann::detail::exception& problem) override {
    const bool overflow = problem.id == 406;
    const std::string reason = overflow ? "number out of range" : ReasonOf(problem.what());
    Fail(reason, PositionAt(bytes_, offset));
    failure_->hint = SyntaxHint(bytes_, offset, reason);
    return false;
  }

  [[nodiscard]] std::optional<Error>& Failure() { return failure_; }
  [[nodiscard]] Json& Root() { return root_; }

 private:
  static Json Of(Json::Kind kind) {
    Json json;
    json.kind = kind;
    return json;
  }

  bool Integer(std::uint64_t value, bool negative) {
    Json json = Of(Json::Kind::kInteger);
    json.integer = value;
    json.negative = negative;
    return Scalar(std::move(json));
  }

  static bool HasNul(const std::string& text) { return text.find('\0') != std::string::npos; }

  bool Fail(std::string reason, Position position) {
    failure_ = Malformed(std::move(reason), position);
    return false;
  }

  bool WithinListBound(std::size_t count, Position position) {
    if (count <= kMaxListEntries) return true;
    return Fail("more than " + std::to_string(kMaxListEntries) + " entries in one list or object", position);
  }

  // The place of the innermost open container.
  [[nodiscard]] Place PlaceOfInnermost() const {
    Place place;
    for (std::size_t i = 0; i + 1 < open_.size(); ++i) {
      const Json& parent = open_[i];
      place = parent.kind == Json::Kind::kObject ? place.Key(parent.members.back().key)
                                                 : place.Item(parent.items.size());
    }
    return place;
  }

  bool Scalar(Json value) {
    value.position = cursor_.Next();
    const std::string_view text = cursor_.Take();
    if (value.kind == Json::Kind::kInteger || value.kind == Json::Kind::kFloat) value.text = text;
    return Add(std::move(value));
  }

  bool Open(Json::Kind kind) {
    const Position position = cursor_.Next();
    cursor_.Take();
    if (open_.size() == kMaxDocumentDepth) {
      return Fail("nested deeper than " + std::to_string(kMaxDocumentDepth) + " levels", position);
    }
    open_.push_back(Of(kind));
    open_.back().position = position;
    return true;
  }

  bool Close() {
    cursor_.Next();
    cursor_.Take();
    Json value = std::move(open_.back());
    open_.pop_back();
    return Add(std::move(value));
  }

  bool Add(Json value) {
    if (++values_ > kMaxDocumentValues) {
      return Fail("more than " + std::to_string(kMaxDocumentValues) + " values", value.position);
    }
    if (open_.empty()) {
      root_ = std::move(value);
      return true;
    }
    Json& parent = open_.back();
    if (parent.kind == Json::Kind::kObject) {
      parent.members.back().value = std::move(value);
      return true;
    }
    const Position position = value.position;
    parent.items.push_back(std::move(value));
    return WithinListBound(parent.items.size(), position);
  }

  std::string_view bytes_;
  Cursor cursor_;
  std::size_t values_ = 0;
  std::vector<Json> open_ = {};  // the containers around the current token, outermost first
  Json root_ = {};
  std::optional<Error> failure_ = {};
};

}  // namespace

Result<Json> ParseDocument(const Source& source) {
  const std::string_view bytes = source.bytes;
  if (bytes.size() > kMaxDocumentBytes) {
    return Malformed("larger than " + std::to_string(kMaxDocumentBytes) + " bytes", {.line = 1, .column = 1});
  }
  // The library skips a byte order mark and takes a NUL for the end of the text.
  if (bytes.starts_with("\xEF\xBB\xBF")) return Malformed("byte order mark", {.line = 1, .column = 1});
  if (const auto nul = bytes.find('\0'); nul != std::string_view::npos) {
    return Malformed("NUL byte", PositionAt(bytes, nul + 1));
  }
  Builder builder(bytes);
  const bool complete = nlohmann::json::sax_parse(bytes.data(), bytes.data() + bytes.size(), &builder);
  if (builder.Failure()) return std::move(*builder.Failure());
  if (!complete) return Malformed("unexpected text", {.line = 1, .column = 1});
  return std::move(builder.Root());
}

}  // namespace mxc
