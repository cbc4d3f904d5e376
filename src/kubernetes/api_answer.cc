#include "kubernetes/api_answer.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/quoted.h"
#include "document/parse.h"
#include "kubernetes/json_access.h"

namespace mxc::kubernetes {
namespace {

Result<Json> ReadDocument(std::string_view text, const ObjectId& id) {
  if (text.empty()) return Unreadable(id, "it is empty");
  Result<Json> document = ParseDocument({.name = {}, .bytes = std::string(text)});
  if (!document) return Unreadable(id, document.error().message);
  if (Text(*document, "kind") != id.kind)
    return Unreadable(id, fmt::format("its kind is {}", Quoted(Text(*document, "kind"))));
  return document;
}

}  // namespace

Error Unreadable(const ObjectId& id, std::string_view why) {
  const std::string name = id.name.empty() ? std::string() : " " + Quoted(id.name);
  return Unavailable(
      fmt::format("the API server's answer about the {}{} cannot be read: {}", id.kind, name, why),
      "/kubernetes",
      "look at it with `kubectl get --raw`, and at what stands between this machine and the API server");
}

Status CheckObject(const Json& object, const ObjectId& id) {
  if (Text(object, "kind") != id.kind)
    return Unreadable(id, fmt::format("its kind is {}", Quoted(Text(object, "kind"))));
  const Json& metadata = At(object, "metadata");
  for (const auto& [key, asked] : {std::pair("name", id.name), std::pair("namespace", id.name_space)}) {
    if (Text(metadata, key) != asked)
      return Unreadable(id, fmt::format("metadata.{} is {}", key, Quoted(Text(metadata, key))));
  }
  if (Text(metadata, "uid").empty()) return Unreadable(id, "metadata.uid is no text");
  return Done{};
}

Result<Json> ReadObject(std::string_view text, const ObjectId& id) {
  Result<Json> object = ReadDocument(text, id);
  if (!object) return object;
  if (Status fits = CheckObject(*object, id); !fits) return fits.error();
  return object;
}

Result<Json> ReadList(std::string_view text, const ObjectId& id) {
  Result<Json> list = ReadDocument(text, id);
  if (!list) return list;
  const Json& metadata = At(*list, "metadata");
  if (!IsNull(metadata) && !IsObject(metadata)) return Unreadable(id, "metadata is no object");
  // Only who asks for parts is given parts. We do not.
  const Json& rest = At(metadata, "continue");
  if (!IsNull(rest) && !(IsText(rest) && rest.text.empty()))
    return Unreadable(id, "it is a part of the list: metadata.continue");
  if (!IsNull(At(metadata, "remainingItemCount")))
    return Unreadable(id, "it is a part of the list: metadata.remainingItemCount");
  const Json& items = At(*list, "items");
  if (!IsList(items)) return Unreadable(id, "items is no list");
  for (std::size_t i = 0; i < items.items.size(); ++i) {
    if (Text(At(items.items[i], "metadata"), "namespace") != id.name_space)
      return Unreadable(id, fmt::format("items[{}] is not of the namespace {}", i, Quoted(id.name_space)));
  }
  return list;
}

}  // namespace mxc::kubernetes
