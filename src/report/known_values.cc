#include "report/known_values.h"

#include <algorithm>

namespace mxc {
namespace {

std::string OnATerminal(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c == '\n') text += '\r';
    text += c;
  }
  return text;
}

}  // namespace

KnownValues::KnownValues(const std::vector<std::string>& values) {
  for (const std::string& value : values) {
    Add(value);
    if (value.find('\n') != std::string::npos) Add(OnATerminal(value));
  }
  LinkFallbacks();
}

KnownValues::Index KnownValues::Child(Index node, char byte) const {
  if (node == 0) return first_[static_cast<unsigned char>(byte)];
  Index child = nodes_[node].child;
  while (child != kNone && nodes_[child].byte != byte) child = nodes_[child].sibling;
  return child;
}

void KnownValues::Add(std::string_view value) {
  Index node = 0;
  for (const char byte : value) {
    Index child = Child(node, byte);
    if (child == kNone) {
      child = static_cast<Index>(nodes_.size());
      nodes_.push_back({.sibling = nodes_[node].child, .depth = nodes_[node].depth + 1, .byte = byte});
      nodes_[node].child = child;
      if (node == 0) first_[static_cast<unsigned char>(byte)] = child;
    }
    node = child;
  }
  nodes_[node].complete = nodes_[node].depth;
}

// From the root outwards: a fallback is nearer to it.
void KnownValues::LinkFallbacks() {
  std::vector<Index> queue = {0};
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const Index node = queue[at];
    for (Index child = nodes_[node].child; child != kNone; child = nodes_[child].sibling) {
      Node& linked = nodes_[child];
      linked.fallback = node == 0 ? 0 : Next(nodes_[node].fallback, linked.byte);
      linked.complete = std::max(linked.complete, nodes_[linked.fallback].complete);
      queue.push_back(child);
    }
  }
}

KnownValues::Index KnownValues::Next(Index node, char byte) const {
  Index child = Child(node, byte);
  while (child == kNone && node != 0) {
    node = nodes_[node].fallback;
    child = Child(node, byte);
  }
  return child;
}

void KnownValues::Feed(std::string_view bytes, RedactWindow& window) {
  if (nodes_.size() == 1) {
    place_ += bytes.size();
    return;
  }
  for (const char byte : bytes) {
    state_ = Next(state_, byte);
    ++place_;
    const std::uint32_t complete = nodes_[state_].complete;
    if (complete != 0) Mark(place_ - complete, place_, window);
  }
}

// Matches end later and later; marking each of them whole would take time by their overlaps.
void KnownValues::Mark(std::uint64_t from, std::uint64_t to, RedactWindow& window) {
  const bool apart = from >= marked_to_;
  if (apart) marked_from_ = from;
  if (from < marked_from_) window.Mark(from, marked_from_);
  window.Mark(std::max(from, marked_to_), to);
  marked_from_ = std::min(from, marked_from_);
  marked_to_ = to;
}

}  // namespace mxc
