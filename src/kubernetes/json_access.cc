#include "kubernetes/json_access.h"

namespace mxc::kubernetes {

const std::string& Text(const Json& object, std::string_view key) {
  static const std::string kNone;
  const Json& value = At(object, key);
  return IsText(value) ? value.text : kNone;
}

bool IsBool(const Json& value, bool which) {
  return value.kind == Json::Kind::kBool && value.boolean == which;
}

bool IsNumber(const Json& value, std::uint64_t which) {
  return value.kind == Json::Kind::kInteger && !value.negative && value.integer == which;
}

}  // namespace mxc::kubernetes
