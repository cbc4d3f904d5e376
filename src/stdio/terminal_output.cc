#include "stdio/terminal_output.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "stdio/terminal_controls.h"

namespace mxc {
namespace {

constexpr std::size_t kMaxHeldBytes = 65536;

// A C1 control is ESC and the byte that is this much smaller, in one character.
constexpr char32_t kC1Offset = 0x40;

constexpr bool IsC1(char32_t character) { return character >= kFirstC1 && character <= kLastC1; }
// A terminal carries it out, or ignores it, within a sequence.
constexpr bool IsWithin(char32_t character) { return character < ' ' || character == kDelete; }
constexpr bool Cancels(char32_t character) { return character == kCancel || character == kSubstitute; }
// A code that its form of UTF-8 may have: no shorter form, no surrogate, not too large.
constexpr bool IsValid(char32_t code, char32_t least) {
  return code >= least && (code < 0xd800 || code > 0xdfff) && code <= 0x10ffff;
}
constexpr bool IsContinuation(std::uint8_t byte) { return (byte & 0xc0U) == 0x80; }

// Format effectors, BEL, the shifts and NUL. A terminal may answer another control: ENQ, or CAN, with which
// file transfers by ZMODEM begin.
constexpr bool IsPlainControl(char32_t character) {
  return character == 0 || (character >= kBell && character <= kShiftIn);
}
// Text and controls of one byte that ask for nothing.
constexpr bool IsPlain(std::uint8_t byte) { return byte < kDelete && (byte >= ' ' || IsPlainControl(byte)); }

struct Lead {
  unsigned more;
  char32_t bits;
  char32_t least;
};
constexpr std::optional<Lead> LeadOf(std::uint8_t byte) {
  if (byte >= 0xc2 && byte <= 0xdf) return Lead{1, byte & 0x1fU, 0x80};
  if (byte >= 0xe0 && byte <= 0xef) return Lead{2, byte & 0x0fU, 0x800};
  if (byte >= 0xf0 && byte <= 0xf4) return Lead{3, byte & 0x07U, 0x10000};
  return std::nullopt;
}

// The length of the beginning that is text: bytes as above, and characters of UTF-8 that are no C1 controls.
std::size_t PlainLength(std::string_view bytes) {
  static constexpr std::array<bool, 256> kPlain = [] {
    std::array<bool, 256> plain{};
    for (unsigned byte = 0; byte < plain.size(); ++byte)
      plain.at(byte) = IsPlain(static_cast<std::uint8_t>(byte));
    return plain;
  }();
  std::size_t at = 0;
  while (at < bytes.size()) {
    const auto byte = static_cast<std::uint8_t>(bytes[at]);
    if (kPlain[byte]) {  // NOLINT(cppcoreguidelines-pro-bounds-constant-array-index)
      ++at;
      continue;
    }
    const std::optional<Lead> lead = LeadOf(byte);
    if (!lead || bytes.size() - at <= lead->more) break;
    char32_t code = lead->bits;
    bool whole = true;
    for (const char next : bytes.substr(at + 1, lead->more)) {
      whole = whole && IsContinuation(static_cast<std::uint8_t>(next));
      code = code << 6U | (static_cast<std::uint8_t>(next) & 0x3fU);
    }
    if (!whole || !IsValid(code, lead->least) || IsC1(code)) break;
    at += lead->more + 1;
  }
  return at;
}

constexpr bool Contains(std::span<const unsigned> list, unsigned number) {
  return std::find(list.begin(), list.end(), number) != list.end();
}

// Leaves `text` behind the number; empty where there is none.
std::optional<unsigned> TakeNumber(std::string_view& text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// ECMA-48, the "XTerm Control Sequences" and the pages of kitty, iTerm2 and VTE. What is not here may ask.

// ESC and this: save and restore the cursor, keypad, lines, tab stops, reset, charsets, end of a string or of
// VT52 mode, the title of screen(1).
constexpr std::string_view kSilentEscapes = "678=><cDEHMNOklmno|}~\\";
// Between ESC and a final byte: charsets, sizes of lines, the form of answers.
constexpr std::string_view kSilentIntermediates = " #()*+-./";
// What moves, erases, scrolls, selects and sets.
constexpr std::string_view kSilentControls = "@ABCDEFGHIJKLMPSTXZ`abdefgmrsu";
// Modes of ECMA-48 that change nothing of what is typed: insertion, and with `l` also the keyboard, shown
// controls and new lines as they are without them. Local echo is off with `h`.
constexpr std::array kSilentSetModes = {4U, 12U};
constexpr std::array kSilentResetModes = {2U, 3U, 4U, 20U};
// Private modes that make a terminal send nothing: keys, screens, the cursor, margins, pasting, synchronised
// output.
constexpr std::array kSilentModes = {1U,  3U,  4U,  5U,  6U,    7U,    8U,    12U,   25U,   30U,  40U,
                                     45U, 47U, 66U, 69U, 1047U, 1048U, 1049U, 2004U, 2026U, 2027U};
// Window operations that only change something; 22 and 23 save and restore the title.
constexpr std::array kSilentWindow = {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 10U, 22U, 23U};
// Operating system commands with a text: titles, the directory, hyperlinks, marks of shells, contexts of
// systemd.
constexpr std::array kTexts = {0U, 1U, 2U, 7U, 8U, 133U, 633U, 3008U};
// OSC 9 with a text notifies, with one of these numbers it tells progress, a directory or the place of a
// prompt. With others ConEmu runs programs.
constexpr unsigned kNotification = 9;
constexpr std::array kSilentConEmu = {4U, 9U, 12U};
// OSC 777 calls an extension of urxvt by its name. These notify, and tell marks of shells and containers.
constexpr unsigned kExtension = 777;
constexpr std::array<std::string_view, 4> kSilentExtensions = {"notify", "precmd", "preexec", "container"};
// ... with values: colours, the pointer, the clipboard, and their resets.
constexpr std::array kValues = {4U,   5U,   6U,   10U,  11U,  12U,  13U,  14U,  15U,  16U,
                                17U,  18U,  19U,  22U,  52U,  104U, 105U, 106U, 110U, 111U,
                                112U, 113U, 114U, 115U, 116U, 117U, 118U, 119U};

bool AreIn(std::span<const unsigned> modes, std::string_view parameters) {
  while (!parameters.empty()) {
    const std::optional<unsigned> mode = TakeNumber(parameters);
    if (!mode || !Contains(modes, *mode)) return false;
    if (parameters.empty()) return true;
    if (parameters.front() != ';') return false;
    parameters.remove_prefix(1);
  }
  return false;
}

// `control`: without the introducer.
bool IsSilentControl(std::string_view control) {
  const char final = control.back();
  std::string_view parameters = control.substr(0, control.size() - 1);
  const std::size_t split = std::min(parameters.find_first_not_of("0123456789:;<=>?"), parameters.size());
  const std::string_view intermediates = parameters.substr(split);
  parameters = parameters.substr(0, split);
  const char prefix = !parameters.empty() && parameters.front() > ';' ? parameters.front() : '\0';
  if (prefix != '\0') parameters.remove_prefix(1);
  if (parameters.find_first_of("<=>?") != std::string_view::npos) return false;
  if (prefix == '?' && intermediates.empty()) {
    if (final == 'h') return AreIn(kSilentModes, parameters);
    return final == 'J' || final == 'K' || final == 'l';
  }
  if (prefix != '\0') return false;
  if (intermediates == " ") return final == 'q' || final == '@' || final == 'A';
  if (intermediates == "!") return final == 'p';
  if (intermediates == "\"") return final == 'q';
  if (!intermediates.empty()) return false;
  if (final == 'h') return AreIn(kSilentSetModes, parameters);
  if (final == 'l') return AreIn(kSilentResetModes, parameters);
  if (final == 't') return Contains(kSilentWindow, TakeNumber(parameters).value_or(0));
  return kSilentControls.find(final) != std::string_view::npos;
}

// The length of a control sequence at the beginning that is whole, plain and silent; 0: look closer.
std::size_t SilentControlLength(std::string_view bytes) {
  if (bytes.size() < 3 || bytes[0] != kEscapeByte || bytes[1] != '[') return 0;
  std::size_t final = 2;
  while (final < bytes.size() && bytes[final] >= ' ' && bytes[final] < '@') ++final;
  if (final == bytes.size() || bytes[final] < '@' || bytes[final] == kDelete) return 0;
  return IsSilentControl(bytes.substr(2, final - 1)) ? final + 1 : 0;
}

// `text`: of OSC 9, with the separator.
bool IsSilentNotification(std::string_view text) {
  text.remove_prefix(std::min<std::size_t>(text.size(), 1));
  const std::optional<unsigned> number = TakeNumber(text);
  const bool conemu = number && (text.empty() || text.front() == ';');
  return !conemu || Contains(kSilentConEmu, *number);
}

// `text`: of OSC 777, with the separator.
bool IsSilentExtension(std::string_view text) {
  text.remove_prefix(std::min<std::size_t>(text.size(), 1));
  const std::string_view name = text.substr(0, text.find(';'));
  return std::find(kSilentExtensions.begin(), kSilentExtensions.end(), name) != kSilentExtensions.end();
}

// `command`: an operating system command without introducer and end. A "?" in the place of a value asks for
// it.
bool IsSilentCommand(std::string_view command) {
  std::string_view text = command;
  const std::optional<unsigned> number = TakeNumber(text);
  if (!number || (!text.empty() && text.front() != ';')) return false;
  if (*number == kNotification && !IsSilentNotification(text)) return false;
  if (*number == kExtension && !IsSilentExtension(text)) return false;
  const bool is_text = Contains(kTexts, *number) || *number == kNotification || *number == kExtension;
  if (is_text) return text.find(";?") == std::string_view::npos;
  return Contains(kValues, *number) && text.find('?') == std::string_view::npos;
}

// A device control string with the parameters and the final byte of sixel graphics.
bool IsSixel(std::string_view body) {
  const std::size_t end = body.find_first_not_of("0123456789;");
  return end != std::string_view::npos && body[end] == 'q';
}

// Sets the palette of the Linux console, and ends without an end.
bool IsLinuxPalette(std::string_view body) {
  constexpr std::size_t kColourLength = 8;
  return body == "R" || (body.size() == kColourLength && body.front() == 'P');
}

}  // namespace

void TerminalOutput::Feed(std::string_view bytes, std::string& out) {
  may_ask_now_.reset();
  while (!bytes.empty()) {
    if (!Holding()) {
      std::size_t silent = PlainLength(bytes);
      silent += SilentControlLength(bytes.substr(silent));
      out.append(bytes.substr(0, silent));
      bytes.remove_prefix(silent);
      if (silent > 0) continue;
    }
    Next(static_cast<std::uint8_t>(bytes.front()), out);
    bytes.remove_prefix(1);
  }
}

void TerminalOutput::Finish(std::string& out) {
  may_ask_now_.reset();
  if (state_ == State::kText && need_ > 0) EndBroken(out);
}

bool TerminalOutput::MayAsk() {
  if (!may_ask_now_) may_ask_now_ = may_ask_();
  return *may_ask_now_;
}

void TerminalOutput::Next(std::uint8_t byte, std::string& out) {
  if (need_ > 0 && IsContinuation(byte)) {
    held_ += static_cast<char>(byte);
    code_ = code_ << 6U | (byte & 0x3fU);
    if (--need_ > 0) return;
    // A terminal may take the long form of a control for the control.
    if (!IsValid(code_, least_)) return Settle(true, out);
    return Character(code_, out);
  }
  if (need_ > 0) EndBroken(out);
  if (held_.size() >= kMaxHeldBytes && state_ != State::kStringEscape) MakeRoom(out);
  character_ = held_.size();
  held_ += static_cast<char>(byte);
  if (const std::optional<Lead> lead = LeadOf(byte)) {
    need_ = lead->more;
    code_ = lead->bits;
    least_ = lead->least;
    return;
  }
  Character(byte, out);
}

// What was held is the beginning of a character without its end.
void TerminalOutput::EndBroken(std::string& out) {
  need_ = 0;
  const std::string_view bytes = std::string_view(held_).substr(character_);
  const bool control =
      std::any_of(bytes.begin(), bytes.end(), [](char c) { return IsC1(static_cast<std::uint8_t>(c)); });
  doubtful_ = doubtful_ || control;
  if (state_ != State::kString) Settle(state_ != State::kText, out);
}

// A byte that is part of no character stands for itself, as in the encodings of one byte.
void TerminalOutput::Character(char32_t character, std::string& out) {
  if (state_ != State::kText && Cancels(character)) return Settle(true, out);
  if (character < ' ' && character != kEscapeByte && !IsPlainControl(character)) doubtful_ = true;
  switch (state_) {
    case State::kText:
      return InText(character, out);
    case State::kEscape:
      return InEscape(character, out);
    case State::kControl:
      return InControl(character, out);
    case State::kString:
    case State::kStringEscape:
      return InString(character, out);
  }
}

void TerminalOutput::InText(char32_t character, std::string& out) {
  if (character == kEscapeByte) return Restart(character_, State::kEscape, out);
  if (!IsC1(character)) return Settle(false, out);
  Restart(character_, State::kEscape, out);
  InEscape(character - kC1Offset, out);
}

// Whatever was begun before is cut off, and goes with what begins: where the output may ask, it is unchanged.
void TerminalOutput::Restart(std::size_t begin, State state, std::string& out) {
  if (rest_ != Rest::kNone) {
    std::string next = held_.substr(begin);
    const std::size_t character = character_ - begin;
    held_.erase(begin);
    Settle(false, out);
    held_ = std::move(next);
    character_ = character;
    begin = 0;
  }
  begin_ = begin;
  state_ = state;
  intermediates_.clear();
}

void TerminalOutput::BeginString(char introducer) {
  kind_ = introducer;
  body_ = held_.size();
  state_ = State::kString;
}

void TerminalOutput::InEscape(char32_t character, std::string& out) {
  constexpr std::string_view kStrings = "]PX^_";
  if (character == kEscapeByte) return Restart(character_, State::kEscape, out);
  if (IsWithin(character)) return;
  if (character > kDelete) {
    Restart(character_, State::kText, out);
    return InText(character, out);
  }
  const auto c = static_cast<char>(character);
  if (c < '0') {
    intermediates_ += c;
    return;
  }
  if (!intermediates_.empty()) {
    return Settle(intermediates_.find_first_not_of(kSilentIntermediates) != std::string::npos, out);
  }
  if (kStrings.find(c) != std::string_view::npos) return BeginString(c);
  if (c != '[') return Settle(kSilentEscapes.find(c) == std::string_view::npos, out);
  body_ = held_.size();
  state_ = State::kControl;
}

void TerminalOutput::InControl(char32_t character, std::string& out) {
  if (character == kEscapeByte) return Restart(character_, State::kEscape, out);
  if (IsWithin(character)) return;
  if (character > kDelete) {
    Restart(character_, State::kText, out);
    return InText(character, out);
  }
  if (character >= '@') Settle(!IsSilentControl(Body(held_.size())), out);
}

void TerminalOutput::InString(char32_t character, std::string& out) {
  if (state_ == State::kStringEscape) {
    if (character == '\\') return Settle(!IsSilentString(), out);
    Restart(character_ - 1, State::kEscape, out);  // at ESC, which cuts the string off
    return InEscape(character, out);
  }
  if (character == kEscapeByte) {
    state_ = State::kStringEscape;
  } else if (character == kBell || character == kStringEnd) {
    Settle(!IsSilentString(), out);
  } else if (IsC1(character)) {
    Restart(character_, State::kText, out);
    InText(character, out);
  } else if (kind_ == ']' && rest_ == Rest::kNone && IsLinuxPalette(std::string_view(held_).substr(body_))) {
    Settle(false, out);
  }
}

// Without what a terminal carries out or ignores within a sequence.
std::string TerminalOutput::Body(std::size_t end) const {
  std::string body = held_.substr(body_, end - body_);
  const auto within = [](char c) { return IsWithin(static_cast<std::uint8_t>(c)); };
  body.erase(std::remove_if(body.begin(), body.end(), within), body.end());
  return body;
}

// The last character ends the string; with ESC before it, if that is a backslash.
bool TerminalOutput::IsSilentString() const {
  if (rest_ != Rest::kNone) return rest_ == Rest::kPasses;
  const std::string body = Body(character_ - (state_ == State::kStringEscape ? 1 : 0));
  return kind_ == ']' ? IsSilentCommand(body) : kind_ == 'P' && IsSixel(body);
}

void TerminalOutput::Settle(bool asks, std::string& out) {
  asks = asks || doubtful_ || rest_ == Rest::kPassesIfItMayAsk;
  const bool changed = asks || begin_ > 0;
  if (rest_ != Rest::kIsDropped && changed && MayAsk()) {
    asked_ = asked_ || asks;
    out.append(held_);
  } else if (rest_ != Rest::kIsDropped && !asks) {
    out.append(held_, begin_);
  } else {
    Drop(out);
  }
  held_.clear();
  begin_ = body_ = character_ = 0;
  state_ = State::kText;
  rest_ = Rest::kNone;
  doubtful_ = false;
}

// A string whose beginning has passed ends here: something else could be its end.
void TerminalOutput::Drop(std::string& out) {
  if (rest_ == Rest::kPasses || rest_ == Rest::kPassesIfItMayAsk) out.append("\033\\");
}

// For a sequence that is too long to be held.
void TerminalOutput::MakeRoom(std::string& out) {
  if (state_ != State::kString) return Settle(true, out);
  const bool first = rest_ == Rest::kNone;
  const bool silent =
      !doubtful_ && (rest_ == Rest::kPasses || (first && kind_ == 'P' && IsSixel(Body(held_.size()))));
  if (silent) {
    out.append(held_, MayAsk() ? 0 : begin_);
    rest_ = Rest::kPasses;
  } else if (rest_ != Rest::kIsDropped && MayAsk()) {
    asked_ = true;
    out.append(held_);
    rest_ = Rest::kPassesIfItMayAsk;
  } else {
    Drop(out);
    rest_ = Rest::kIsDropped;
  }
  held_.clear();
  begin_ = body_ = character_ = 0;
}

std::size_t WholeSequences(std::string_view output, std::size_t most) {
  if (output.size() <= most) return output.size();
  TerminalOutput sequences([] { return true; });
  std::string whole;
  sequences.Feed(output.substr(0, most), whole);
  return whole.empty() ? most : whole.size();
}

}  // namespace mxc
