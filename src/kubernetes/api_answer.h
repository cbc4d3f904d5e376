// An answer of the API server, read: one document in which no key stands twice, of the kind, the namespace
// and the name that was asked for. What is anything else is refused: two readers of it could see two objects.
//
//   Result<Json> pod = ReadObject(text, {.kind = "Pod", .name_space = run.name_space, .name = name});
#pragma once

#include <string_view>

#include "mxc/error.h"
#include "mxc/json.h"

namespace mxc::kubernetes {

struct ObjectId {
  std::string_view kind = {};
  std::string_view name_space = {};
  std::string_view name = {};
};

// Errors: kUnavailable, "the API server's answer about ... cannot be read: ".
[[nodiscard]] Result<Json> ReadObject(std::string_view text, const ObjectId& id);
// The same of a document that was parsed as a part of another.
[[nodiscard]] Status CheckObject(const Json& object, const ObjectId& id);
// `id.kind`: "NetworkPolicyList". Whole, each item an object of that namespace.
[[nodiscard]] Result<Json> ReadList(std::string_view text, const ObjectId& id);
[[nodiscard]] Error Unreadable(const ObjectId& id, std::string_view why);

}  // namespace mxc::kubernetes
