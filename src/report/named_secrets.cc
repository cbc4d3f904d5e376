#include "report/named_secrets.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "mxc/fold.h"
#include "report/shapes.h"

namespace mxc {
namespace {

constexpr std::size_t kMaxEscapes = 15;  // a document in a document, four times over
constexpr std::size_t kMaxLetters = 64;
constexpr std::string_view kQuotes = "\"'`";
constexpr std::string_view kPrefixes = "$@bBfFrRuUL";  // of a string, in shells and languages
constexpr std::size_t kMaxPrefixes = 2;
constexpr char kEscape = '\x1b';

// What a name ends with, without what stands between its words.
constexpr std::string_view kNames[] = {"password", "passwd",     "passphrase", "secret",     "token",
                                       "apikey",   "accesskey",  "privatekey", "credential", "credentials",
                                       "secretid", "accountkey", "authkey",    "sharedkey",  "masterkey"};
// In a URL: of Azure's shared access, and of AWS's presigned requests.
constexpr std::string_view kSignatures[] = {"sig", "signature"};
// ... but for these and numbers: SECRET_KEY_BASE, password_hash.
constexpr std::string_view kTails[] = {"base", "hash", "key", "pem", "string", "value"};
constexpr std::string_view kSchemes[] = {"bearer ", "basic ", "token ", "digest "};
constexpr std::string_view kDigest = "digest ";
// passwd is a package of Debian, too: passwd:amd64.
constexpr std::string_view kPackage = "passwd";
constexpr std::string_view kArchitectures[] = {"all",  "amd64",   "arm64",   "armhf",
                                               "i386", "ppc64el", "riscv64", "s390x"};

bool Has(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }
bool IsBlank(char c) { return c == ' ' || c == '\t'; }
bool IsLineEnd(char c) { return c == '\n' || c == '\r' || c == '\0'; }
bool IsDash(char c) { return c == '_' || c == '-' || c == '.'; }
bool IsNameByte(char c) { return IsWordByte(static_cast<unsigned char>(c)) || IsDash(c); }
bool IsControl(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }

bool EndsWithAName(std::string_view letters) {
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view name) { return letters.ends_with(name); });
}

bool RemoveTail(std::string_view& letters) {
  const std::size_t last = letters.find_last_not_of("0123456789");
  if (last != std::string_view::npos && last + 1 < letters.size()) {
    letters.remove_suffix(letters.size() - last - 1);
    return true;
  }
  const auto* const tail = std::find_if(std::begin(kTails), std::end(kTails),
                                        [&](std::string_view word) { return letters.ends_with(word); });
  if (tail == std::end(kTails)) return false;
  letters.remove_suffix(tail->size());
  return true;
}

bool NamesASecret(std::string_view letters) {
  do {
    if (EndsWithAName(letters)) return true;
  } while (RemoveTail(letters));
  return false;
}

}  // namespace

void NamedSecrets::Feed(std::string_view bytes, RedactWindow& window) {
  window_ = &window;
  for (const char c : bytes) {
    if (InControlSequence(c)) {
      SkipInSequence();
    } else {
      Take(c);
      last_ = {.mark = c, .escapes = backslashes_};
      backslashes_ = c == '\\' ? backslashes_ + 1 : 0;
    }
    ++place_;
    if (!InValue()) undecided_ = place_;
  }
}

void NamedSecrets::Finish(RedactWindow& window) {
  window_ = &window;
  if (state_ == State::kBeforeValue && !opening_.empty()) BeginUnquoted('\0');
  if (state_ == State::kScheme) Decide(place_);
  state_ = State::kText;
}

// "ESC [ … final": between the bytes that are looked at.
bool NamedSecrets::InControlSequence(char c) {
  const char before = std::exchange(sequence_, '\0');
  const bool goes_on = before == kEscape ? c == '[' : before != '\0' && c >= ' ' && c <= '~';
  if (c == kEscape || (goes_on && (before == kEscape || c < '@'))) sequence_ = c;
  return c == kEscape || goes_on;
}

void NamedSecrets::SkipInSequence() {
  if (state_ == State::kBeforeValue && opening_.empty()) undecided_ = place_ + 1;
  if (InValue() && place_ + 1 - undecided_ >= kMaxHeldBytes) Decide(place_ + 1);
}

void NamedSecrets::Take(char c) {
  switch (state_) {
    case State::kText:
      return Text(c);
    case State::kName:
      return Name(c);
    case State::kBehindName:
      return BehindName(c);
    case State::kBehindSign:
      return BehindSign(c);
    case State::kBeforeValue:
      return BeforeValue(c);
    case State::kScheme:
      return Scheme(c);
    case State::kValue:
      return Value(c);
    case State::kBehindQuote:
      return BehindQuote(c);
    case State::kBehindElement:
      return BehindElement(c);
  }
}

void NamedSecrets::Text(char c) {
  state_ = State::kText;
  if (!IsNameByte(c)) return;
  before_ = last_;
  letters_.clear();
  capitals_ = true;
  named_inside_ = false;
  state_ = State::kName;
  AddToName(c);
}

void NamedSecrets::Name(char c) {
  if (IsNameByte(c)) return AddToName(c);
  state_ = State::kBehindName;
  name_quoted_ = blank_ = false;
  sign_ = '\0';
  BehindName(c);
}

void NamedSecrets::AddToName(char c) {
  if (IsDash(c)) {
    named_inside_ = named_inside_ || (capitals_ && EndsWithAName(letters_));
    return;
  }
  const char folded = Folded(c);
  if (letters_.empty()) begins_capital_ = folded != c;
  capitals_ = capitals_ && (folded != c || c < 'a');
  if (letters_.size() == kMaxLetters) letters_.erase(0, kMaxLetters / 2);
  letters_ += folded;
}

// Of a quote with the backslashes before it, blanks, and a sign that may begin with ? or +.
void NamedSecrets::BehindName(char c) {
  if (c == '=' || (c == ':' && sign_ == '\0')) {
    sign_ = c;
    if (!IsNamed()) return Text(c);
    state_ = State::kBehindSign;
    blank_ = false;
    return;
  }
  const bool directly = !name_quoted_ && !blank_ && sign_ == '\0';
  if (IsBlank(c) && sign_ == '\0') {
    blank_ = true;
  } else if (Has(kQuotes, c) && directly) {
    name_quoted_ = true;
  } else if (Has("?+", c) && sign_ == '\0') {
    sign_ = c;
  } else if (c != '\\' || !directly) {
    return Text(c);
  }
}

bool NamedSecrets::IsInQuery() const { return before_.mark == '?' || before_.mark == '&'; }

bool NamedSecrets::IsSignature() const {
  return IsInQuery() &&
         std::any_of(std::begin(kSignatures), std::end(kSignatures),
                     [&](std::string_view name) { return std::string_view(letters_).ends_with(name); });
}

// A password in connection strings and documents, as in DB_PWD; but PWD and OLDPWD are directories of a
// shell.
bool NamedSecrets::IsPwd() const {
  const std::string_view letters = letters_;
  if (!letters.ends_with("pwd") || letters == "oldpwd") return false;
  return letters != "pwd" || before_.mark == ';' || IsInQuery() || name_quoted_ ||
         (begins_capital_ && !capitals_);
}

// ... and what the context of the name says of its value.
bool NamedSecrets::IsNamed() {
  const std::string_view letters = letters_;
  header_ = letters.ends_with("authorization") ? Header::kAnyScheme : Header::kNo;
  const bool named = NamesASecret(letters) || (capitals_ && named_inside_) || IsSignature() || IsPwd();
  if (header_ == Header::kNo && !named) return false;
  // cat: /run/secret: …, http://token:…
  if (before_.mark == '/' && sign_ == ':' && !name_quoted_) return false;
  if (name_quoted_) {
    ends_ = ",;)]}\"'`";
  } else if (IsInQuery()) {
    ends_ = "&#<>\"'`";
  } else if (before_.mark == ';') {
    ends_ = ";\"'`";
  } else {
    ends_ = "";
  }
  if (name_quoted_ || !Has(kQuotes, before_.mark)) before_ = {};
  return true;
}

// The rest of :=, =>, ==.
void NamedSecrets::BehindSign(char c) {
  if (c == ':' && sign_ == ':') return Text(c);
  if (c == '=' || (c == '>' && sign_ == '=')) {
    sign_ = '=';
    return;
  }
  state_ = State::kBeforeValue;
  list_ = false;
  opening_.clear();
  undecided_ = place_;
  BeforeValue(c);
}

void NamedSecrets::BeforeValue(char c) {
  const bool nothing_yet = opening_.empty();
  const bool nested = sign_ == ':' || name_quoted_ || list_;
  if (nothing_yet && (IsBlank(c) || (list_ && IsLineEnd(c)) || (nested && c == '['))) {
    blank_ = blank_ || IsBlank(c);
    list_ = list_ || c == '[';
    undecided_ = place_ + 1;
    return;
  }
  if (nothing_yet && nested && c == '{') return End(c);
  const bool enclosing = c == before_.mark && backslashes_ == before_.escapes;
  if (Has(kQuotes, c) && !enclosing) return Open(c);
  const bool prefix = Has(kPrefixes, c) && backslashes_ == 0 && opening_.size() < kMaxPrefixes;
  if (prefix || (c == '\\' && opening_.size() < kMaxEscapes)) {
    opening_ += c;
    return;
  }
  BeginUnquoted(c);
}

void NamedSecrets::Open(char c) {
  quote_ = {.mark = c,
            .escapes = static_cast<std::size_t>(std::count(opening_.begin(), opening_.end(), '\\'))};
  opening_.clear();
  undecided_ = place_ + 1;
  begins_quoted_ = true;
  state_ = State::kScheme;
}

// It stands right behind its sign, or behind a colon: `token = next()` is a program.
void NamedSecrets::BeginUnquoted(char c) {
  if (blank_ && sign_ != ':' && !list_ && header_ == Header::kNo) return End(c);
  quote_ = {.escapes = before_.escapes};
  begins_quoted_ = false;
  opening_ = Folded(opening_);
  state_ = State::kScheme;
  Scheme(c);
}

// `word`: what may still become one; with the byte behind it, it is one.
bool NamedSecrets::BeginsArchitecture(std::string_view word) const {
  return std::string_view(letters_) == kPackage && sign_ == ':' && !blank_ && !begins_quoted_ &&
         std::any_of(std::begin(kArchitectures), std::end(kArchitectures),
                     [&](std::string_view each) { return each.starts_with(word); });
}

// "Bearer " is no secret in a header; elsewhere it may be a value or stand before one.
void NamedSecrets::Scheme(char c) {
  if (BeginsArchitecture(opening_) && !IsNameByte(c) &&
      std::find(std::begin(kArchitectures), std::end(kArchitectures), opening_) != std::end(kArchitectures))
    return End(c);
  opening_ += Folded(c);
  if (BeginsArchitecture(opening_)) return;
  for (const std::string_view scheme : kSchemes) {
    if (scheme == opening_) {
      if (header_ == Header::kNo) Decide(place_ + 1);
      if (header_ != Header::kNo && scheme != kDigest) header_ = Header::kOneWord;
      undecided_ = place_ + 1;
      state_ = State::kValue;
      return;
    }
    if (scheme.starts_with(opening_)) return;
  }
  Decide(place_ - std::min(backslashes_, quote_.escapes));  // those may be of the quote that ends it
  state_ = State::kValue;
  Value(c);
}

bool NamedSecrets::EndsWord(char c) const {
  if (before_.mark != '\0' && c == before_.mark) return true;
  if (header_ != Header::kNo) return IsControl(c) || (header_ == Header::kOneWord && Has(kQuotes, c));
  return IsControl(c) || c == ' ' || Has(ends_, c) || (list_ && Has(",]\"'`", c));
}

void NamedSecrets::Value(char c) {
  if (c == '\\') return Decide(place_ + 1 - std::min(backslashes_ + 1, quote_.escapes));
  // Each level of escaping doubles the backslashes and adds one before the quote.
  const bool escaped = backslashes_ / (quote_.escapes + 1) % 2 != 0;
  const bool quoted = quote_.mark != '\0';
  if (IsLineEnd(c) && !(quoted && c == '\n' && escaped)) return End(c);
  if (!quoted && !escaped && EndsWord(c)) return End(c);
  if (!quoted && !escaped && header_ == Header::kNo && Has(kQuotes, c)) quote_ = {.mark = c};
  if (!quoted || escaped || c != quote_.mark) return Decide(place_ + 1);
  if (!begins_quoted_) {
    quote_ = {.escapes = before_.escapes};
    return Decide(place_ + 1);
  }
  Decide(place_ - std::min(backslashes_, quote_.escapes));
  state_ = State::kBehindQuote;
}

// What ends a word of a shell, and of most that is no shell.
bool NamedSecrets::EndsPart(char c) const {
  return quote_.escapes != 0 || name_quoted_ || list_ || IsControl(c) || c == before_.mark ||
         Has(" ,;&|()<>]}", c);
}

void NamedSecrets::BehindQuote(char c) {
  state_ = State::kValue;
  const bool twice = c == quote_.mark && quote_.escapes == 0 && c != before_.mark;
  if (twice) return Decide(place_ + 1);
  if (EndsPart(c)) return End(c);
  quote_ = {.escapes = before_.escapes};
  Value(c);
}

void NamedSecrets::BehindElement(char c) {
  if (IsBlank(c) || IsLineEnd(c)) return;
  if (c != ',') return Text(c);
  state_ = State::kBeforeValue;
  opening_.clear();
  undecided_ = place_ + 1;
}

void NamedSecrets::End(char c) {
  state_ = State::kBehindElement;
  return list_ ? BehindElement(c) : Text(c);
}

// The bytes up to there belong to the value.
void NamedSecrets::Decide(std::uint64_t to) {
  if (to <= undecided_) return;
  window_->Mark(undecided_, to);
  undecided_ = to;
}

}  // namespace mxc
