#include "report/shape_scanner.h"

#include "report/shapes.h"

namespace mxc {

ShapeScanner::ShapeScanner(bool secrets, bool pii) : secrets_(secrets), pii_(pii), may_start_(256, false) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    const auto c = static_cast<unsigned char>(byte);
    may_start_[byte] = (secrets && MayStartSecret(c)) || (pii && MayStartPersonal(c));
  }
}

void ShapeScanner::Feed(std::string_view bytes, Mode mode, RedactWindow& window) {
  held_.append(bytes);
  const std::string_view text = held_;
  std::size_t position = 0;
  while (position < text.size()) {
    const std::string_view rest = text.substr(position);
    const bool in_match = key_block_ || swallowing_ != nullptr;
    const std::size_t taken = in_match ? Swallow(rest, mode) : Step(rest, mode, window);
    if (taken == 0 && (!in_match || key_block_)) break;  // more has to come
    if (in_match) window.Mark(place_, place_ + taken);
    if (taken != 0) previous_ = static_cast<unsigned char>(text[position + taken - 1]);
    position += taken;
    place_ += taken;
  }
  held_.erase(0, position);
}

// Bytes of a match that has been found already.
std::size_t ShapeScanner::Swallow(std::string_view rest, Mode mode) {
  if (key_block_) {
    const KeyBlock::Taken taken = key_block_->Take(rest, static_cast<char>(previous_), mode);
    if (taken.over) key_block_.reset();
    return taken.bytes;
  }
  std::size_t count = 0;
  while (count < rest.size() && swallowing_[static_cast<unsigned char>(rest[count])]) ++count;
  if (count < rest.size()) swallowing_ = nullptr;
  return count;
}

// Bytes no match can begin with: ":" may stand behind a word ("://"), the others at its edge.
std::size_t ShapeScanner::PlainRun(std::string_view rest) const {
  unsigned char before = previous_;
  std::size_t count = 0;
  for (; count < rest.size(); ++count) {
    const auto byte = static_cast<unsigned char>(rest[count]);
    if (may_start_[byte] && (byte == ':' || before == '_' || !IsWordByte(before))) break;
    before = byte;
  }
  return count;
}

// Handles the start of `rest`: passes, marks, or (0) holds it. Returns the bytes that are done with.
std::size_t ShapeScanner::Step(std::string_view rest, Mode mode, RedactWindow& window) {
  const std::size_t plain = PlainRun(rest);
  if (plain != 0) return plain;
  const bool at_end = mode == Mode::kEnd || rest.size() > kMaxHeldBytes;
  Match best;
  const auto consider = [&](const Match& match) {
    if (match.kind > best.kind) best = match;
  };
  bool key_block = false;
  if (secrets_ && (rest[0] == ':' || !IsWordByte(previous_))) {
    consider(MatchSecret(rest, at_end));
    const Match block = MatchKeyBegin(rest, at_end);
    key_block = block.kind == Match::Kind::kFound;
    consider(block);
  }
  if (pii_ && !IsMailByte(previous_)) {
    consider(MatchMail(rest, at_end));
    consider(MatchNumber(rest, at_end));
    consider(MatchAddress(rest, at_end));
  }
  if (best.kind == Match::Kind::kStrong || (best.kind == Match::Kind::kWeak && mode == Mode::kMore)) return 0;
  if (best.kind != Match::Kind::kFound) return 1;
  window.Mark(place_ + best.keep, place_ + best.length);
  if (best.keep != 0 && best.rest == nullptr) return 1;  // a user name may be a token
  if (key_block) key_block_.emplace();
  swallowing_ = best.rest != nullptr ? best.rest->data() : nullptr;
  return best.length;
}

}  // namespace mxc
