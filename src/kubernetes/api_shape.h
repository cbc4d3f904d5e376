// The fields of the API's objects that are known here, and their types: a value of another type is an error,
// never the same as an absent one. Data; pod_shape.cc has the one of a pod.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mxc/json.h"

namespace mxc::kubernetes {

enum class ApiType {
  kAny,
  kBool,
  kInteger,
  kUser,  // a number of a user, as Kubernetes takes it
  kText,
  kTexts,    // a list
  kTextMap,  // an object
  kAmounts,  // an object of quantities: texts or numbers
  kObject,   // with fields, or with any members when there are none
  kObjects,  // a list of such
};

// A member cannot be a span of the type itself, which is not complete there.
struct ApiField {
  constexpr ApiField(std::string_view own_name, ApiType own_type) : name(own_name), type(own_type) {}
  template <std::size_t kCount>
  constexpr ApiField(std::string_view own_name, ApiType own_type, const ApiField (&fields)[kCount])
      : name(own_name), type(own_type), first(fields), count(kCount) {}
  [[nodiscard]] std::span<const ApiField> Fields() const { return {first, count}; }

  std::string_view name;
  ApiType type;
  const ApiField* first = nullptr;
  std::size_t count = 0;
};

struct ShapeFindings {
  std::string wrong = {};                 // the first: "spec.hostNetwork is no boolean"; empty: none
  std::vector<std::string> unknown = {};  // paths of fields that are not among the known
};

// `at`: of `object`, for the messages. `object` has to be an object.
void CheckShape(const Json& object, std::span<const ApiField> fields, const std::string& at,
                ShapeFindings& findings);

// Of the members `metadata` and `spec` of a Pod.
[[nodiscard]] std::span<const ApiField> PodMetadataShape();
[[nodiscard]] std::span<const ApiField> PodSpecShape();

}  // namespace mxc::kubernetes
