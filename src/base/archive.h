// Values as bytes, from one process of this program to another of the same build: in the order in which they
// are visited, without names, numbers as they stand in memory.
//
//   template <class Archive, class AnyRule>
//   void VisitRule(Archive& archive, AnyRule& rule) {
//     archive(rule.pattern, rule.ports);
//   }
//   ArchiveWriter writer;
//   VisitRule(writer, rule);
//   Send(writer.Take());
//
//   ArchiveReader reader(bytes);
//   VisitRule(reader, rule);
//   if (!reader.Ended()) ...  // damaged
//
// It takes texts, trivially copyable values, and lists of these.
// A list of another type needs `void Visit(ArchiveWriter&, const T&)` and `void Visit(ArchiveReader&, T&)`
// beside it.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace mxc {

template <class Value>
inline constexpr bool kIsList = false;
template <class Item>
inline constexpr bool kIsList<std::vector<Item>> = true;

class ArchiveWriter {
 public:
  void operator()(const std::string& text) {
    (*this)(text.size());
    bytes_.append(text);
  }
  template <class Value>
  void operator()(const Value& value) {
    if constexpr (std::is_trivially_copyable_v<Value>) {
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    } else if constexpr (kIsList<Value>) {
      (*this)(value.size());
      for (const auto& item : value) (*this)(item);
    } else {
      Visit(*this, value);
    }
  }
  void operator()(const auto& first, const auto& second, const auto&... more) {
    (*this)(first);
    (*this)(second);
    ((*this)(more), ...);
  }
  [[nodiscard]] std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_ = {};
};

// Past the end everything is empty, and Ended() false.
class ArchiveReader {
 public:
  explicit ArchiveReader(std::span<const char> bytes) : rest_(bytes) {}

  void operator()(std::string& text) {
    std::size_t size = 0;
    (*this)(size);
    failed_ = failed_ || size > rest_.size();
    if (failed_) return;
    text.assign(rest_.data(), size);
    rest_ = rest_.subspan(size);
  }
  template <class Value>
  void operator()(Value& value) {
    if constexpr (std::is_trivially_copyable_v<Value>) {
      const bool there = rest_.size() >= sizeof value;
      failed_ = failed_ || !there;
      if (failed_) return;
      std::memcpy(&value, rest_.data(), sizeof value);
      rest_ = rest_.subspan(sizeof value);
    } else if constexpr (kIsList<Value>) {
      std::size_t size = 0;
      (*this)(size);
      failed_ = failed_ || size > rest_.size();  // each item takes a byte at least
      if (failed_) return;
      value.resize(size);
      for (auto& item : value) (*this)(item);
    } else {
      Visit(*this, value);
    }
  }
  void operator()(auto& first, auto& second, auto&... more) {
    (*this)(first);
    (*this)(second);
    ((*this)(more), ...);
  }
  [[nodiscard]] bool Ended() const { return !failed_ && rest_.empty(); }

 private:
  std::span<const char> rest_;
  bool failed_ = false;
};

}  // namespace mxc
