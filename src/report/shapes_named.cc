// Secrets that are recognised by what stands before them: a header's name, or a variable's.
#include <algorithm>

#include "mxc/fold.h"
#include "report/shapes.h"

namespace mxc {
namespace {

constexpr std::size_t kMaxTail = 32;   // rest of a name behind the word that gives it away: "password_file"
constexpr std::size_t kMaxBlanks = 4;  // between a name, its sign and the value
constexpr std::string_view kQuotes = "\"'`";

struct Name {
  std::string_view word;  // lower case; '_' stands for '-' and for nothing as well
  bool colon = false;     // a colon behind it is taken for a sign: "password: x", but not "token: x"
};
constexpr Name kNames[] = {{"password", true}, {"passwd", true},  {"passphrase", true}, {"secret"},
                           {"token"},          {"api_key", true}, {"access_key", true}, {"private_key", true},
                           {"credential"},     {"credentials"}};

// Of a string, in shells and languages.
constexpr std::string_view kPrefixes = "$@bBfFrRuUL";
constexpr std::size_t kMaxPrefixes = 2;

// An unquoted header's.
constexpr ByteSet HeaderBytes() {
  ByteSet set{};
  for (unsigned c = ' '; c < 256; ++c) set[c] = c != 127 && c != '"' && c != '\'';
  return set;
}
constexpr ByteSet kHeaderValue = HeaderBytes();

// A text that is read from the left. `open`: it ended before the question was settled.
struct Reader {
  std::string_view text;
  std::size_t at = 0;

  [[nodiscard]] bool AtEnd() const { return at == text.size(); }
  [[nodiscard]] char Now() const { return AtEnd() ? '\0' : text[at]; }
  std::size_t Skip(std::string_view bytes, std::size_t limit) {
    const std::size_t start = at;
    while (!AtEnd() && at - start < limit && bytes.find(text[at]) != std::string_view::npos) ++at;
    return at - start;
  }
};

enum class Read { kNo, kOpen, kYes };

Read ReadWord(Reader& reader, std::string_view word) {
  for (const char wanted : word) {
    if (reader.AtEnd()) return Read::kOpen;
    if (wanted == '_') {
      if (reader.Now() == '_' || reader.Now() == '-') ++reader.at;
      continue;
    }
    if (Folded(reader.Now()) != wanted) return Read::kNo;
    ++reader.at;
  }
  return Read::kYes;
}

// A quote, with the backslashes before it in a document inside of a string. kOpen: they end the text.
Read ReadQuote(Reader& reader, Quotation& quotation) {
  Reader ahead = reader;
  const std::size_t escapes = ahead.Skip("\\", Quotation::kMaxEscapes);
  if (ahead.AtEnd()) return Read::kOpen;
  if (kQuotes.find(ahead.Now()) == std::string_view::npos) return Read::kNo;
  quotation = {.mark = ahead.Now(), .escapes = escapes};
  ++ahead.at;
  reader = ahead;
  return Read::kYes;
}

// The start of a string: $'', b"".
Read ReadFirstBytes(Reader& reader, Quotation& quotation) {
  Reader ahead = reader;
  ahead.Skip(kPrefixes, kMaxPrefixes);
  const Read read = ReadQuote(ahead, quotation);
  if (read == Read::kYes) reader = ahead;
  return read;
}

Match Undecided(bool at_end) { return {.kind = at_end ? Match::Kind::kNone : Match::Kind::kStrong}; }
// A prompt ends like this: what waits for an answer must be seen.
Match Waiting(bool at_end) { return {.kind = at_end ? Match::Kind::kNone : Match::Kind::kWeak}; }

// An empty value is no secret.
Match ValueAt(const Reader& reader, Quotation quotation, bool at_end) {
  constexpr std::size_t kGlance = Quotation::kMaxEscapes + 8;  // enough to tell
  if (reader.AtEnd()) return Waiting(at_end);
  const std::string_view text = reader.text.substr(reader.at);
  const SecretValue::Taken taken =
      SecretValue(quotation).Take(text.substr(0, kGlance), at_end && text.size() <= kGlance);
  if (taken.bytes == 0) return taken.over ? Match{} : Undecided(at_end);
  return {.kind = Match::Kind::kFound, .keep = reader.at, .length = reader.at, .value = quotation};
}

Match HeaderValueAt(const Reader& reader, bool at_end) {
  if (reader.AtEnd()) return Waiting(at_end);
  if (!kHeaderValue[static_cast<unsigned char>(reader.Now())]) return {};
  return {.kind = Match::Kind::kFound, .keep = reader.at, .length = reader.at + 1, .rest = &kHeaderValue};
}

// name=value, name="value", "name": "value", name: value. An unquoted value stands right behind its sign, or
// one blank behind a colon: `token = next()` is a program.
Match MatchNamed(std::string_view text, const Name& name, bool at_end) {
  Reader reader{.text = text};
  const Read word = ReadWord(reader, name.word);
  if (word != Read::kYes) return word == Read::kOpen ? Undecided(at_end) : Match{};
  const std::size_t tail = reader.at;
  while (!reader.AtEnd() && reader.at - tail < kMaxTail &&
         (IsWordByte(static_cast<unsigned char>(reader.Now())) || reader.Now() == '-'))
    ++reader.at;
  Quotation quotation;
  const Read quoted_name = ReadQuote(reader, quotation);
  reader.Skip(" ", kMaxBlanks);
  if (quoted_name == Read::kOpen || reader.AtEnd()) return Undecided(at_end);
  const char sign = reader.Now();
  if (sign != '=' && (sign != ':' || (!name.colon && quoted_name == Read::kNo))) return {};
  ++reader.at;
  const std::size_t blanks = reader.Skip(" ", kMaxBlanks);
  if (reader.AtEnd()) return Waiting(at_end);
  const Read quoted = ReadFirstBytes(reader, quotation);
  if (quoted == Read::kYes) return ValueAt(reader, quotation, at_end);
  if (quoted == Read::kOpen && !at_end) return Undecided(at_end);
  const bool near = blanks == 0 || (sign == ':' && blanks == 1);
  return near ? ValueAt(reader, {}, at_end) : Match{};
}

// The whole value of the header; the name of a scheme stays.
Match MatchHeader(std::string_view text, bool at_end) {
  Reader reader{.text = text};
  const Read word = ReadWord(reader, "authorization");
  if (word != Read::kYes) return word == Read::kOpen ? Undecided(at_end) : Match{};
  Quotation quotation;
  const bool open = ReadQuote(reader, quotation) == Read::kOpen;
  reader.Skip(" ", kMaxBlanks);
  if (open || reader.AtEnd()) return Undecided(at_end);
  if (reader.Now() != ':' && reader.Now() != '=') return {};
  ++reader.at;
  reader.Skip(" ", kMaxBlanks);
  if (reader.AtEnd()) return Waiting(at_end);
  const Read quoted = ReadFirstBytes(reader, quotation);
  if (quoted == Read::kOpen && !at_end) return Undecided(at_end);
  const auto value_at = [&](const Reader& at) {
    return quoted == Read::kYes ? ValueAt(at, quotation, at_end) : HeaderValueAt(at, at_end);
  };
  for (const std::string_view scheme : {"bearer ", "basic ", "token ", "digest "}) {
    Reader behind = reader;
    const Read read = ReadWord(behind, scheme);
    if (read == Read::kOpen && !at_end) return Undecided(at_end);
    if (read == Read::kYes) return value_at(behind);
  }
  return value_at(reader);
}

}  // namespace

bool MayStartName(unsigned char byte) {
  const char lower = Folded(static_cast<char>(byte));
  return lower == 'a' || std::any_of(std::begin(kNames), std::end(kNames),
                                     [&](const Name& name) { return name.word[0] == lower; });
}

Match MatchNamedSecret(std::string_view text, bool at_end) {
  Match best = MatchHeader(text, at_end);
  for (const Name& name : kNames) {
    const Match match = MatchNamed(text, name, at_end);
    if (match.kind > best.kind) best = match;
  }
  return best;
}

}  // namespace mxc
