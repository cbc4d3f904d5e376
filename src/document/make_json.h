// Values of a document that no text was parsed for.
#pragma once

#include <cstdint>
#include <string>

#include "mxc/json.h"

namespace mxc {

[[nodiscard]] Json StringOf(std::string value);
[[nodiscard]] Json NumberOf(std::uint64_t value);
[[nodiscard]] Json FractionOf(std::string text);  // as it is written
[[nodiscard]] Json True();
[[nodiscard]] Json Empty(Json::Kind kind);
[[nodiscard]] Json List(Json item);
[[nodiscard]] Json Map(std::string key, Json value);

}  // namespace mxc
