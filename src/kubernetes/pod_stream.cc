#include "kubernetes/pod_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace mxc::kubernetes {
namespace {

constexpr std::string_view kWord = "mxc-pod 1 ";  // the version of this protocol
constexpr std::size_t kTokenBytes = 32;
constexpr std::size_t kDigits = 20;
static_assert(kWord.size() + kTokenBytes + 1 + kDigits + 1 == kHeaderBytes);
constexpr std::size_t kMaxBehind = std::size_t{1} << 20U;

}  // namespace

std::string HeaderText(const PodHeader& header) {
  return fmt::format("{}{:0>32} {:020}\n", kWord, header.token, header.document);
}

std::optional<PodHeader> ReadHeader(std::string_view text) {
  if (text.size() != kHeaderBytes || !text.starts_with(kWord)) return std::nullopt;
  PodHeader header{.token = std::string(text.substr(kWord.size(), kTokenBytes))};
  const std::string_view digits = text.substr(kHeaderBytes - kDigits - 1, kDigits);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), header.document);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  if (header.document > kMaxPodDocument) return std::nullopt;
  return header;
}

std::string MarkOf(std::string_view token) {
  return fmt::format(
      "\x1e"
      "mxc-end {}\n",
      token);
}

std::string MarkedStream::Feed(std::string_view bytes) {
  if (complete_) {
    behind_ += bytes.substr(0, kMaxBehind - std::min(kMaxBehind, behind_.size()));
    return {};
  }
  held_ += bytes;
  const std::size_t at = held_.find(mark_);
  if (at != std::string::npos) {
    complete_ = true;
    behind_ = held_.substr(at + mark_.size());
    held_.resize(at);
    return std::exchange(held_, {});
  }
  std::size_t tail = std::min(held_.size(), mark_.size() - 1);
  while (tail > 0 &&
         !std::string_view(mark_).starts_with(std::string_view(held_).substr(held_.size() - tail)))
    --tail;
  std::string passed = held_.substr(0, held_.size() - tail);
  held_.erase(0, held_.size() - tail);
  return passed;
}

std::string MarkedStream::Rest() { return std::exchange(held_, {}); }

}  // namespace mxc::kubernetes
