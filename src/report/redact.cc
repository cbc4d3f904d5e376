#include "report/redact.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <variant>

#include "report/shapes.h"

namespace mxc {
namespace {

void Collect(std::string_view name, const Secret& value, std::vector<std::string>& values) {
  if (LooksSecret(name) && value.size() >= kMinValueBytes) values.push_back(value.Reveal());
}

}  // namespace

bool LooksSecret(std::string_view variable_name) {
  std::string name;
  for (const char c : variable_name) {
    name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  static constexpr std::string_view kSigns[] = {
      "TOKEN",      "SECRET",      "PASSW", "PASSPHRASE",        "CREDENTIAL", "AUTH", "API_KEY", "APIKEY",
      "ACCESS_KEY", "PRIVATE_KEY", "_KEY",  "CONNECTION_STRING", "_PWD",       "_DSN", "COOKIE"};
  return std::any_of(std::begin(kSigns), std::end(kSigns),
                     [&](std::string_view sign) { return name.find(sign) != std::string::npos; });
}

std::vector<std::string> SecretValues(const Exec& exec) {
  std::vector<std::string> values;
  for (const Variable& variable : exec.environment) Collect(variable.name, variable.value, values);
  // The command's environment: a name, and behind it the value, in the arguments of the tool.
  for (const InheritedFile& file : exec.files) {
    const auto* arguments = std::get_if<ArgumentFile>(&file);
    if (arguments == nullptr) continue;
    std::string_view name;
    for (const Piece& piece : arguments->arguments) {
      if (const auto* secret = std::get_if<Secret>(&piece)) Collect(name, *secret, values);
      const auto* text = std::get_if<std::string>(&piece);
      name = text != nullptr ? std::string_view(*text) : std::string_view();
    }
  }
  return values;
}

Redactor::Redactor(RedactionRules rules)
    : rules_(std::move(rules)), may_start_(256, false), inside_word_(256, false) {
  std::erase_if(rules_.values, [](const std::string& value) { return value.size() < kMinValueBytes; });
  if (!rules_.secrets) rules_.values.clear();
  for (unsigned byte = 0; byte < 256; ++byte) {
    const auto c = static_cast<unsigned char>(byte);
    const bool secret = MayStartSecret(c) || MayStartName(c);
    may_start_[byte] = (rules_.secrets && secret) || (rules_.pii && MayStartPersonal(c));
  }
  inside_word_[':'] = rules_.secrets;  // "://"
  for (const std::string& value : rules_.values) {
    may_start_[static_cast<unsigned char>(value[0])] = true;
    inside_word_[static_cast<unsigned char>(value[0])] = true;
  }
}

void Redactor::Feed(std::string_view bytes, std::string& out) {
  held_.append(bytes);
  Scan(Mode::kMore, out);
}

void Redactor::Idle(std::string& out) { Scan(Mode::kIdle, out); }

void Redactor::Finish(std::string& out) { Scan(Mode::kEnd, out); }

void Redactor::Scan(Mode mode, std::string& out) {
  const std::string_view text = held_;
  std::size_t position = 0;
  while (position < text.size()) {
    const std::string_view rest = text.substr(position);
    const bool in_match = key_block_ || value_ || swallowing_ != nullptr;
    const std::size_t taken = in_match ? Swallow(rest, mode) : Step(rest, mode, out);
    if (taken == 0 && !in_match) break;               // wait for more
    if (taken == 0 && (key_block_ || value_)) break;  // perhaps the start of its end
    if (taken != 0) previous_ = static_cast<unsigned char>(text[position + taken - 1]);
    position += taken;
  }
  held_.erase(0, position);
}

// Bytes of a match that has been replaced already.
std::size_t Redactor::Swallow(std::string_view rest, KeyBlock::Mode mode) {
  if (key_block_) {
    const KeyBlock::Taken taken = key_block_->Take(rest, static_cast<char>(previous_), mode);
    if (taken.over) key_block_.reset();
    return taken.bytes;
  }
  if (value_) {
    const SecretValue::Taken taken = value_->Take(rest, mode == Mode::kEnd);
    if (taken.over) value_.reset();
    return taken.bytes;
  }
  std::size_t count = 0;
  while (count < rest.size() && swallowing_[static_cast<unsigned char>(rest[count])]) ++count;
  if (count < rest.size()) swallowing_ = nullptr;
  return count;
}

// Bytes no match can begin with.
std::size_t Redactor::PlainRun(std::string_view rest) const {
  unsigned char before = previous_;
  std::size_t count = 0;
  for (; count < rest.size(); ++count) {
    const auto byte = static_cast<unsigned char>(rest[count]);
    if (may_start_[byte] && (inside_word_[byte] || before == '_' || !IsWordByte(before))) break;
    before = byte;
  }
  return count;
}

// Handles the start of `rest`: prints, replaces, or (0) holds it. Returns the bytes that are done with.
std::size_t Redactor::Step(std::string_view rest, Mode mode, std::string& out) {
  const std::size_t plain = PlainRun(rest);
  if (plain != 0) {
    out.append(rest.substr(0, plain));
    return plain;
  }
  const bool at_end = mode == Mode::kEnd || rest.size() > kMaxHeldBytes;
  Match best;
  const auto consider = [&](const Match& match) {
    if (match.kind > best.kind) best = match;
  };
  for (const std::string& value : rules_.values) consider(MatchText(rest, value, at_end));
  bool key_block = false;
  if (rules_.secrets && !IsWordByte(previous_)) {
    consider(MatchSecret(rest, at_end));
    const Match block = MatchKeyBegin(rest, at_end);
    key_block = block.kind == Match::Kind::kFound;
    consider(block);
  }
  // DB_PASSWORD
  if (rules_.secrets && (previous_ == '_' || !IsWordByte(previous_)))
    consider(MatchNamedSecret(rest, at_end));
  // ("://" begins behind a word)
  if (rules_.secrets && rest[0] == ':') consider(MatchSecret(rest, at_end));
  if (rules_.pii && !IsMailByte(previous_)) {
    consider(MatchMail(rest, at_end));
    consider(MatchNumber(rest, at_end));
  }
  if (best.kind == Match::Kind::kStrong || (best.kind == Match::Kind::kWeak && mode == Mode::kMore)) return 0;
  if (best.kind != Match::Kind::kFound) {
    out += rest[0];
    return 1;
  }
  // A key as a value goes on over the ends of lines.
  const Match::Kind key =
      best.value ? MatchKeyBegin(rest.substr(best.keep), at_end).kind : Match::Kind::kNone;
  if (key == Match::Kind::kStrong) return 0;
  out.append(rest.substr(0, best.keep));
  if (key == Match::Kind::kFound) return best.keep;
  out.append(kRedacted);
  if (key_block) key_block_.emplace();
  if (best.value) value_.emplace(*best.value);
  swallowing_ = best.rest != nullptr ? best.rest->data() : nullptr;
  return best.length;
}

}  // namespace mxc
