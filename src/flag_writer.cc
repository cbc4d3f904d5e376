#include "flag_writer.h"

#include <algorithm>

#include "document/make_json.h"
#include "flag_values.h"

namespace mxc {
namespace {

std::string PointerOf(FlagWriter::Keys keys) {
  std::string pointer;
  for (const std::string_view key : keys) pointer = PointerTo(pointer, key);
  return pointer;
}

}  // namespace

const Json* FlagWriter::Find(Keys keys) const {
  const Json* value = &document_;
  for (const std::string_view key : keys) {
    if (value == nullptr || value->kind != Json::Kind::kObject) return nullptr;
    value = value->Find(key);
  }
  return value == nullptr || value->kind == Json::Kind::kNull ? nullptr : value;
}

Result<Json*> FlagWriter::Enter(Keys keys, Json::Kind kind, const std::string& flag) {
  Json* value = &document_;
  std::string pointer;
  for (const std::string_view key : keys) {
    pointer = PointerTo(pointer, key);
    const bool last = key == *(keys.end() - 1);
    value = Member(*value, std::string(key), last ? kind : Json::Kind::kObject, pointer, flag);
    if (value == nullptr)
      return UsageError(flag + " has nowhere to go: " + pointer + " of the configuration has another type");
  }
  return value;
}

Json* FlagWriter::Member(Json& object, std::string key, Json::Kind kind, const std::string& pointer,
                         const std::string& flag) {
  const auto known = std::find_if(object.members.begin(), object.members.end(),
                                  [&](const JsonMember& member) { return member.key == key; });
  if (known != object.members.end()) {
    if (known->value.kind == Json::Kind::kNull && takes_null_) known->value = Empty(kind);
    return known->value.kind == kind ? &known->value : nullptr;
  }
  // Every document has `process`: what it lacks is not the flag's fault.
  if (pointer != "/process") Note({.pointer = pointer, .flag = flag, .container = true});
  object.members.push_back({.key = std::move(key), .value = Empty(kind)});
  return &object.members.back().value;
}

Status FlagWriter::Append(Keys keys, Json item, const std::string& flag) {
  Result<Json*> list = Enter(keys, Json::Kind::kArray, flag);
  if (!list) return list.error();
  Note({.pointer = PointerTo(PointerOf(keys), (*list)->items.size()), .flag = flag});
  (*list)->items.push_back(std::move(item));
  return Done{};
}

Status FlagWriter::Set(std::string_view section, const std::string& key, Json value,
                       const std::string& flag) {
  Result<Json*> object = Enter({section}, Json::Kind::kObject, flag);
  if (!object) return object.error();
  std::erase_if((*object)->members, [&](const JsonMember& member) { return member.key == key; });
  (*object)->members.push_back({.key = key, .value = std::move(value)});
  Note({.pointer = PointerOf({section, key}), .flag = flag});
  return Done{};
}

Status FlagWriter::SetText(std::string_view key, const std::string& text, const std::string& flag) {
  const Result<Json*> value = Enter({key}, Json::Kind::kString, flag);
  if (!value) return value.error();
  (*value)->text = text;
  Note({.pointer = PointerOf({key}), .flag = flag});
  return Done{};
}

}  // namespace mxc
