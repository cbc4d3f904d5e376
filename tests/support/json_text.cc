#include "tests/support/json_text.h"

#include <nlohmann/json.hpp>

namespace mxc::test {

std::string Quote(std::string_view text) { return nlohmann::json(text).dump(); }

std::string QuoteAll(const std::vector<std::string>& texts) { return nlohmann::json(texts).dump(); }

std::string At(const std::string& document, const std::string& pointer) {
  const auto value = nlohmann::json::parse(document, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return "not JSON";
  const nlohmann::json::json_pointer where(pointer);
  if (!value.contains(where)) return "absent";
  const auto& found = value.at(where);
  return found.is_string() ? found.get<std::string>() : found.dump();
}

}  // namespace mxc::test
