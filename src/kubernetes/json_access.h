// Looking into documents of a cluster. What is absent reads as null, as Kubernetes has it; whether what is
// there has the type of the API is asked on its own (api_shape.h, or Is...).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "mxc/json.h"

namespace mxc::kubernetes {

// Null where there is none; also of what is no object.
[[nodiscard]] inline const Json& At(const Json& object, std::string_view key) { return object.At(key); }
// "" where it is no text.
[[nodiscard]] const std::string& Text(const Json& object, std::string_view key);

[[nodiscard]] inline bool IsNull(const Json& value) { return value.kind == Json::Kind::kNull; }
[[nodiscard]] inline bool IsText(const Json& value) { return value.kind == Json::Kind::kString; }
[[nodiscard]] inline bool IsList(const Json& value) { return value.kind == Json::Kind::kArray; }
[[nodiscard]] inline bool IsObject(const Json& value) { return value.kind == Json::Kind::kObject; }
[[nodiscard]] bool IsBool(const Json& value, bool which);
[[nodiscard]] bool IsNumber(const Json& value, std::uint64_t which);

}  // namespace mxc::kubernetes
