#include "report/key_block.h"

#include <algorithm>
#include <cctype>

namespace mxc {
namespace {

constexpr std::size_t kMaxTitle = 64;
constexpr std::size_t kLongRun = 32;     // no word is that long
constexpr std::size_t kShortRun = 16;    // at the end of a line
constexpr std::size_t kLongLine = 1024;  // judged before its end
constexpr std::size_t kMaxLead = 64;
constexpr int kMaxHeaders = 8;
constexpr std::size_t kMaxMark = 11 + kMaxTitle;  // of kForms, as far as it has to be seen

struct Form {
  std::string_view begin;
  std::string_view end;
  std::string_view close;
};
// The second: right behind a word the first dash is taken for its hyphen.
constexpr Form kForms[] = {{"-----BEGIN ", "-----END ", "-----"},
                           {"----BEGIN ", "-----END ", "-----"},
                           {"---- BEGIN ", "---- END ", "----"}};
constexpr std::string_view kKind = "PRIVATE KEY";
constexpr std::string_view kPutty = "Private-Lines: ";

bool IsLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

bool IsBase64(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '/' || c == '=';
}

// Line ends, also as source code writes them, and the quotes around a line there.
struct Separator {
  std::size_t at = std::string_view::npos;
  std::size_t size = 1;
};

Separator NextSeparator(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find_first_of("\n\r\"'`\\", from); at != std::string_view::npos;
       at = text.find_first_of("\n\r\"'`\\", at + 1)) {
    if (text[at] != '\\') return {at, 1};
    if (at + 1 < text.size() && (text[at + 1] == 'n' || text[at + 1] == 'r')) return {at, 2};
  }
  return {};
}

std::size_t LongestRun(std::string_view text) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = IsBase64(c) ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

std::string_view WithoutTrailing(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t,;\\)]}|");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

// Line numbers differ from line to line.
std::string Normal(std::string_view lead) {
  std::string normal;
  for (const char c : lead.substr(0, kMaxLead)) {
    const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0 || c == ' ';
    if (!number) normal += c;
  }
  return normal;
}

// "DEK-Info: AES-256-CBC,…"
bool IsHeader(std::string_view line) {
  const std::size_t colon = line.find(": ");
  return colon != std::string_view::npos && colon >= 2 && IsLetter(line[colon - 1]) &&
         IsLetter(line[colon - 2]);
}

bool IsProse(std::string_view text) {
  int words = 0;
  bool inside = false;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const bool word = IsLetter(text[i]) && IsLetter(text[i + 1]);
    if (word && !inside) ++words;
    inside = IsLetter(text[i]);
  }
  return words >= 2 && text.find(' ') != std::string_view::npos;
}

struct End {
  enum class State { kNone, kPartial, kFound };
  State state = State::kNone;
  std::size_t size = 0;  // of the line: up to the end of the key (kFound), or to where that begins (kPartial)
};

// `dashes` close a key; the last of them may begin the next one ("------BEGIN"). 0: more has to come to tell.
std::size_t CloseSize(std::string_view dashes, std::size_t size, bool line_ends) {
  const std::size_t run = std::min(dashes.find_first_not_of('-'), dashes.size());
  if (run >= 2 * size) return size;
  if (run == dashes.size()) return line_ends ? size : 0;
  return dashes[run] == 'B' ? run - size : size;
}

// `line` and what is behind it, from where the line begins.
End FindEnd(std::string_view line, std::string_view text, bool at_end) {
  for (const Form& form : kForms) {
    const std::size_t at = line.find(form.end);
    if (at == std::string_view::npos) continue;
    const std::size_t title = at + form.end.size();
    const std::size_t close = line.find(form.close, title);
    const bool line_ends = line.size() < text.size() || at_end;
    if (close != std::string_view::npos && close - title <= kMaxTitle) {
      const std::size_t size = CloseSize(line.substr(close), form.close.size(), line_ends);
      return size == 0 ? End{End::State::kPartial, at} : End{End::State::kFound, close + size};
    }
    const bool whole = line_ends || line.size() - title >= kMaxTitle + form.close.size();
    return whole ? End{End::State::kFound, std::min(line.size(), title + kMaxTitle)}
                 : End{End::State::kPartial, at};
  }
  return {};
}

}  // namespace

Match MatchKeyBegin(std::string_view text, bool at_end) {
  const Match putty = MatchText(text, kPutty, at_end);
  if (putty.kind == Match::Kind::kFound) return putty;
  Match best;  // the start of a word that many other words begin with
  if (putty.kind != Match::Kind::kNone) best.kind = Match::Kind::kWeak;
  for (const Form& form : kForms) {
    const Match begin = MatchText(text, form.begin, at_end);
    if (begin.kind > best.kind) best = begin;
    if (begin.kind != Match::Kind::kFound) continue;
    const std::string_view title = text.substr(form.begin.size(), kMaxTitle);
    const std::size_t stop = title.find_first_of("-\n");
    if (stop == std::string_view::npos) {
      const bool open = title.size() < kMaxTitle && !at_end;
      return {.kind = open ? Match::Kind::kStrong : Match::Kind::kNone};
    }
    if (title.substr(0, stop).find(kKind) == std::string_view::npos) return {};
    return {.kind = Match::Kind::kFound, .length = form.begin.size() + stop};
  }
  return best;
}

namespace {

// Where Redactor would find the first line of a key. npos: nowhere.
std::size_t NextBegin(std::string_view text, char previous) {
  for (std::size_t at = 0; at < text.size(); previous = text[at], ++at) {
    const bool may = text[at] == '-' || text[at] == kPutty[0];
    if (may && !IsWordByte(static_cast<unsigned char>(previous)) &&
        MatchKeyBegin(text.substr(at), true).kind == Match::Kind::kFound)
      return at;
  }
  return std::string_view::npos;
}

}  // namespace

KeyBlock::Kind KeyBlock::KindOf(std::string_view line) {
  const std::string_view text = WithoutTrailing(line);
  const bool letters = std::any_of(text.begin(), text.end(), IsLetter);
  if (!letters && LongestRun(text) < kLongRun) return Kind::kKey;  // blank, or no more than its number
  const auto tail = std::find_if_not(text.rbegin(), text.rend(), IsBase64);
  const auto size = static_cast<std::size_t>(tail - text.rbegin());
  const std::string_view lead = text.substr(0, text.size() - size);
  const bool plain_lead = std::none_of(lead.begin(), lead.end(), IsLetter);
  const bool same_lead = has_body_ && size > 0 && Normal(lead) == lead_;
  if (size >= kShortRun || (size > 0 && plain_lead) || same_lead || LongestRun(text) >= kLongRun) {
    has_body_ = true;
    lead_ = Normal(lead);
    return Kind::kKey;
  }
  if (!has_body_ && headers_ < kMaxHeaders && IsHeader(text)) {
    ++headers_;
    return Kind::kKey;
  }
  return Kind::kOther;
}

bool KeyBlock::IsOfKey(std::string_view line) {
  return in_long_line_ || KindOf(line.substr(0, kLongLine)) == Kind::kKey;
}

std::size_t KeyBlock::TakeBefore(std::string_view end) { return IsOfKey(end) ? end.size() : 0; }

std::size_t KeyBlock::TakeOpenLine(std::string_view line, bool& prose) {
  if (!in_long_line_ && line.size() < kLongLine) return 0;
  in_long_line_ = IsOfKey(line);
  prose = prose || (!in_long_line_ && IsProse(line));
  return in_long_line_ ? line.size() - std::min(line.size(), kMaxMark) : 0;
}

KeyBlock::Taken KeyBlock::TakeLines(std::string_view rest, Mode mode) {
  const bool at_end = mode == Mode::kEnd;
  Taken taken;
  bool prose = false;
  for (std::size_t at = 0; at < rest.size();) {
    const Separator separator = NextSeparator(rest, at);
    const bool whole = separator.at != std::string_view::npos;
    const std::size_t stop = std::min(separator.at, rest.size());
    const std::string_view line = rest.substr(at, stop - at);
    const End end = FindEnd(line, rest.substr(at), at_end);
    if (end.state == End::State::kFound) return {at + end.size, true};
    const bool ends = end.state == End::State::kPartial;
    if (ends || (!whole && !at_end)) {
      const std::size_t open = ends ? TakeBefore(line.substr(0, end.size)) : TakeOpenLine(line, prose);
      if (open != 0) taken.bytes = at + open;
      break;
    }
    const bool key = IsOfKey(line);
    prose |= !key && IsProse(line);
    in_long_line_ = false;
    at = std::min(stop + separator.size, rest.size());
    if (key) taken.bytes = at;
    if (at - taken.bytes > kMaxHeldBytes) break;
  }
  const bool lost = rest.size() - taken.bytes > kMaxHeldBytes + kLongLine;
  taken.over = at_end || lost || (mode == Mode::kIdle && prose);
  return taken;
}

KeyBlock::Taken KeyBlock::Take(std::string_view rest, char previous, Mode mode) {
  constexpr std::size_t kWindow = kMaxHeldBytes + kLongLine + 1;
  const std::string_view text = rest.substr(0, kWindow);
  const std::size_t next = NextBegin(text, previous);
  if (next != std::string_view::npos) return TakeLines(text.substr(0, next), Mode::kEnd);
  return TakeLines(text, text.size() < rest.size() ? Mode::kMore : mode);
}

}  // namespace mxc
