// The rows of the field tables: a field by its type, name and text, and what else is to be said of it.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "config/fields.h"

namespace mxc {

constexpr Field Any(std::string_view name, std::string_view text) {
  return {{}, name, FieldType::kAny, text};
}
constexpr Field Bool(std::string_view name, std::string_view text, const FieldOptions& options = {}) {
  return {options, name, FieldType::kBool, text};
}
constexpr Field Integer(std::string_view name, std::string_view text, const FieldOptions& options = {}) {
  return {options, name, FieldType::kInteger, text};
}
constexpr Field Number(std::string_view name, std::string_view text, const FieldOptions& options) {
  return {options, name, FieldType::kNumber, text};
}
constexpr Field String(std::string_view name, std::string_view text, const FieldOptions& options = {}) {
  return {options, name, FieldType::kString, text};
}
constexpr Field Strings(std::string_view name, std::string_view text, const FieldOptions& options = {}) {
  return {options, name, FieldType::kStringList, text};
}
constexpr Field Enum(std::string_view name, std::span<const EnumValue> values, std::string_view text,
                     const FieldOptions& options = {}) {
  return {options, name, FieldType::kEnum, text, values};
}
constexpr Field Enums(std::string_view name, std::span<const EnumValue> values, std::string_view text,
                      const FieldOptions& options = {}) {
  return {options, name, FieldType::kEnumList, text, values};
}
constexpr Field Object(std::string_view name, const Shape& shape, std::string_view text,
                       FieldOptions options = {}) {
  options.shape = &shape;
  return {options, name, FieldType::kObject, text};
}
constexpr Field Objects(std::string_view name, const Shape& shape, std::string_view text,
                        FieldOptions options = {}) {
  options.shape = &shape;
  return {options, name, FieldType::kObjectList, text};
}

// A table with this row in place of the one with its name.
template <std::size_t N>
constexpr std::array<Field, N> Replaced(const Field (&fields)[N], const Field& row) {
  std::array<Field, N> replaced = std::to_array(fields);
  for (Field& field : replaced)
    if (field.name == row.name) field = row;
  return replaced;
}

}  // namespace mxc
