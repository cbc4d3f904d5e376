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

constexpr ByteSet ValueBytes(std::string_view but) {
  ByteSet set{};
  for (unsigned c = 33; c < 256; ++c) set[c] = c != 127;
  for (const char c : but) set[static_cast<unsigned char>(c)] = false;
  return set;
}
constexpr ByteSet kBare = ValueBytes("\"'`&;,)]}");  // until the word ends
constexpr ByteSet WithBlanks(ByteSet set) {
  set[' '] = true;
  return set;
}
constexpr ByteSet kDoubleQuoted = WithBlanks(ValueBytes("\""));
constexpr ByteSet kSingleQuoted = WithBlanks(ValueBytes("'"));
constexpr ByteSet kBackQuoted = WithBlanks(ValueBytes("`"));
constexpr ByteSet kHeaderValue = WithBlanks(ValueBytes("\"'"));

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

const ByteSet* BytesIn(char quote) {
  if (quote == '"') return &kDoubleQuoted;
  if (quote == '\'') return &kSingleQuoted;
  return quote == '`' ? &kBackQuoted : &kBare;
}

Match Undecided(bool at_end) { return {.kind = at_end ? Match::Kind::kNone : Match::Kind::kStrong}; }
// A prompt ends like this: what waits for an answer must be seen.
Match Waiting(bool at_end) { return {.kind = at_end ? Match::Kind::kNone : Match::Kind::kWeak}; }

Match ValueAt(const Reader& reader, const ByteSet& bytes, bool at_end) {
  if (reader.AtEnd()) return Waiting(at_end);
  if (!bytes[static_cast<unsigned char>(reader.Now())]) return {};
  return {.kind = Match::Kind::kFound, .keep = reader.at, .length = reader.at + 1, .rest = &bytes};
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
  const bool quoted_name = reader.Skip(kQuotes, 1) != 0;
  reader.Skip(" ", kMaxBlanks);
  if (reader.AtEnd()) return Undecided(at_end);
  const char sign = reader.Now();
  if (sign != '=' && (sign != ':' || (!name.colon && !quoted_name))) return {};
  ++reader.at;
  const std::size_t blanks = reader.Skip(" ", kMaxBlanks);
  if (reader.AtEnd()) return Waiting(at_end);
  if (kQuotes.find(reader.Now()) == std::string_view::npos) {
    const bool near = blanks == 0 || (sign == ':' && blanks == 1);
    return near ? ValueAt(reader, kBare, at_end) : Match{};
  }
  const char quote = reader.Now();
  ++reader.at;
  return ValueAt(reader, *BytesIn(quote), at_end);
}

// The whole value of the header; the name of a scheme stays.
Match MatchHeader(std::string_view text, bool at_end) {
  Reader reader{.text = text};
  const Read word = ReadWord(reader, "authorization");
  if (word != Read::kYes) return word == Read::kOpen ? Undecided(at_end) : Match{};
  reader.Skip(kQuotes, 1);
  reader.Skip(" ", kMaxBlanks);
  if (reader.AtEnd()) return Undecided(at_end);
  if (reader.Now() != ':' && reader.Now() != '=') return {};
  ++reader.at;
  reader.Skip(" ", kMaxBlanks);
  reader.Skip(kQuotes, 1);
  for (const std::string_view scheme : {"bearer ", "basic ", "token ", "digest "}) {
    Reader behind = reader;
    const Read read = ReadWord(behind, scheme);
    if (read == Read::kOpen && !at_end) return Undecided(at_end);
    if (read == Read::kYes) return ValueAt(behind, kHeaderValue, at_end);
  }
  return ValueAt(reader, kHeaderValue, at_end);
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
