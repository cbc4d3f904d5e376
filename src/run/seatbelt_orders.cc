#include "run/seatbelt_orders.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace mxc {
namespace {

void Put(std::string& bytes, const std::string& text) {
  bytes += std::to_string(text.size());
  bytes += ':';
  bytes += text;
}

void PutNumber(std::string& bytes, const std::optional<std::uint64_t>& number) {
  Put(bytes, number ? std::to_string(*number) : "");
}

void PutList(std::string& bytes, const std::vector<std::string>& list) {
  Put(bytes, std::to_string(list.size()));
  for (const std::string& text : list) Put(bytes, text);
}

std::optional<std::uint64_t> NumberOf(const std::string& text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (text.empty() || read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

class Taker {
 public:
  explicit Taker(std::string_view bytes) : rest_(bytes) {}

  std::string Text() {
    const std::size_t colon = rest_.find(':');
    const std::optional<std::uint64_t> size = NumberOf(std::string(rest_.substr(0, colon)));
    if (colon == std::string_view::npos || !size || *size > rest_.size() - colon - 1) {
      whole_ = false;
      rest_ = {};
      return {};
    }
    std::string text(rest_.substr(colon + 1, *size));
    rest_.remove_prefix(colon + 1 + *size);
    return text;
  }

  std::vector<std::string> List() {
    const std::uint64_t count = NumberOf(Text()).value_or(0);
    std::vector<std::string> list;
    for (std::uint64_t i = 0; i < count && whole_; ++i) list.push_back(Text());
    return list;
  }

  [[nodiscard]] bool Whole() const { return whole_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool whole_ = true;
};

}  // namespace

std::string Pack(const SeatbeltOrders& orders) {
  std::string bytes;
  Put(bytes, orders.profile);
  std::vector<std::string> parameters;
  for (const SeatbeltParameter& parameter : orders.parameters) {
    parameters.push_back(parameter.name);
    parameters.push_back(parameter.value);
  }
  PutList(bytes, parameters);
  PutList(bytes, orders.argv);
  PutList(bytes, orders.environment);
  Put(bytes, orders.cwd);
  PutNumber(bytes, orders.limits.core_bytes);
  PutNumber(bytes, orders.limits.open_files);
  PutNumber(bytes, orders.limits.file_bytes);
  Put(bytes, orders.take_terminal ? "1" : "0");
  return bytes;
}

Result<SeatbeltOrders> Unpack(const std::string& bytes) {
  Taker taker(bytes);
  SeatbeltOrders orders{.profile = taker.Text()};
  const std::vector<std::string> parameters = taker.List();
  for (std::size_t i = 0; i + 1 < parameters.size(); i += 2) {
    orders.parameters.push_back({.name = parameters[i], .value = parameters[i + 1]});
  }
  orders.argv = taker.List();
  orders.environment = taker.List();
  orders.cwd = taker.Text();
  orders.limits.core_bytes = NumberOf(taker.Text()).value_or(0);
  orders.limits.open_files = NumberOf(taker.Text());
  orders.limits.file_bytes = NumberOf(taker.Text());
  orders.take_terminal = taker.Text() == "1";
  if (taker.Whole() && !orders.argv.empty()) return orders;
  return Error{.code = ErrorCode::kInternal,
               .message = "the orders of the sandbox's first process are broken"};
}

std::string MovedTemp(const std::string& value, const std::string& directory) {
  constexpr std::string_view kTemp = "/tmp";
  const bool below = value.starts_with(kTemp) && (value.size() == kTemp.size() || value[kTemp.size()] == '/');
  return below ? directory + value.substr(kTemp.size()) : value;
}

}  // namespace mxc
