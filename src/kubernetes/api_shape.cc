#include "kubernetes/api_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "kubernetes/json_access.h"

namespace mxc::kubernetes {
namespace {

// Kubernetes bounds users and groups so.
constexpr std::uint64_t kMaxUser = 0x7FFFFFFF;

bool IsAmount(const Json& value) { return IsText(value) || value.kind == Json::Kind::kInteger; }

bool HasType(const Json& value, ApiType type) {
  const auto members_are = [&](auto is) {
    return IsObject(value) && std::all_of(value.members.begin(), value.members.end(),
                                          [&](const JsonMember& member) { return is(member.value); });
  };
  const auto items_are = [&](auto is) {
    return IsList(value) && std::all_of(value.items.begin(), value.items.end(), is);
  };
  switch (type) {
    case ApiType::kAny:
      return true;
    case ApiType::kBool:
      return value.kind == Json::Kind::kBool;
    case ApiType::kInteger:
      return value.kind == Json::Kind::kInteger;
    case ApiType::kUser:
      return value.kind == Json::Kind::kInteger && !value.negative && value.integer <= kMaxUser;
    case ApiType::kText:
      return IsText(value);
    case ApiType::kTexts:
      return items_are(IsText);
    case ApiType::kTextMap:
      return members_are(IsText);
    case ApiType::kAmounts:
      return members_are(IsAmount);
    case ApiType::kObject:
      return IsObject(value);
    case ApiType::kObjects:
      return items_are(IsObject);
  }
  return false;
}

std::string_view TypeName(ApiType type) {
  switch (type) {
    case ApiType::kAny:
      return "value";
    case ApiType::kBool:
      return "boolean";
    case ApiType::kInteger:
      return "whole number";
    case ApiType::kUser:
      return "number of a user";
    case ApiType::kText:
      return "text";
    case ApiType::kTexts:
      return "list of texts";
    case ApiType::kTextMap:
      return "object of texts";
    case ApiType::kAmounts:
      return "object of amounts";
    case ApiType::kObject:
      return "object";
    case ApiType::kObjects:
      return "list of objects";
  }
  return "value";
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the tables
void CheckField(const Json& value, const ApiField& field, const std::string& at, ShapeFindings& findings) {
  if (!HasType(value, field.type)) {
    if (findings.wrong.empty()) findings.wrong = fmt::format("{} is no {}", at, TypeName(field.type));
    return;
  }
  if (field.Fields().empty()) return;
  if (field.type == ApiType::kObject) CheckShape(value, field.Fields(), at, findings);
  for (std::size_t i = 0; field.type == ApiType::kObjects && i < value.items.size(); ++i)
    CheckShape(value.items[i], field.Fields(), fmt::format("{}[{}]", at, i), findings);
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): as deep as the tables.
void CheckShape(const Json& object, std::span<const ApiField> fields, const std::string& at,
                ShapeFindings& findings) {
  for (const JsonMember& member : object.members) {
    if (IsNull(member.value)) continue;
    const std::string path = at + "." + member.key;
    const auto field =
        std::find_if(fields.begin(), fields.end(), [&](const ApiField& it) { return it.name == member.key; });
    if (field == fields.end()) {
      findings.unknown.push_back(path);
    } else {
      CheckField(member.value, *field, path, findings);
    }
  }
}

}  // namespace mxc::kubernetes
