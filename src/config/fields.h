// The fields of a configuration as data: one table for all dialects. The checker (shape.h) holds documents
// against it, and the JSON Schemas are rendered from it, so the two cannot differ.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "config/config.h"

namespace mxc {

// The development contract between 0.9.0-alpha and 1.0.0; 1.1.0-alpha dropped its older names.
inline constexpr std::string_view kVersion010 = "0.10.0-alpha";

// Published versions as bits, and kOwn for what only mxc-exec knows.
using Releases = std::uint16_t;
inline constexpr Releases kV04 = 1U << 0U;
inline constexpr Releases kV05 = 1U << 1U;
inline constexpr Releases kV06 = 1U << 2U;
inline constexpr Releases kV07 = 1U << 3U;
inline constexpr Releases kV08 = 1U << 4U;
inline constexpr Releases kC09 = 1U << 5U;
inline constexpr Releases kC10 = 1U << 6U;
inline constexpr Releases kC11 = 1U << 7U;
inline constexpr Releases kOwn = 1U << 8U;
inline constexpr Releases kC010 = 1U << 9U;
inline constexpr Releases kDevelopment = kC010 | kC11;  // with what has not been published yet
inline constexpr Releases kLegacyReleases = kV04 | kV05 | kV06 | kV07;
inline constexpr Releases kWireModel = kLegacyReleases | kV08;      // one model, open to null
inline constexpr Releases kContracts = kC09 | kC010 | kC10 | kC11;  // closed contracts
inline constexpr Releases kEvery = kWireModel | kContracts;
inline constexpr Releases kSince08 = kV08 | kContracts;

enum class FieldType {
  kAny,
  kBool,
  kInteger,  // unsigned, within minimum .. maximum
  kNumber,   // may have a fraction; above minimum, at most maximum
  kString,
  kEnum,
  kObject,
  kStringList,
  kEnumList,
  kObjectList,
};

enum class Use {
  kNormal,
  kTolerated,  // sent by an older SDK: accepted with a note, not in the schema
  kLifecycle,  // only for lifecycle requests; not in the schema
};

struct EnumValue {
  std::string_view name = {};
  Releases in = kEvery;
};

// Of policies and ceilings alike.
inline constexpr EnumValue kPresets[] = {{"git"}, {"shell"}, {"editors"}, {"agents"}};
inline constexpr EnumValue kTiers[] = {{"process"}, {"container"}, {"virtual-machine"}};
inline constexpr EnumValue kRedactions[] = {{"secrets"}, {"pii"}};
inline constexpr EnumValue kReviews[] = {{"destructive"}};
// Larger integers lose precision in readers that keep numbers as doubles.
inline constexpr std::uint64_t kMaxJsonInteger = (std::uint64_t{1} << 53U) - 1;

// What a ceiling may name: `process`, and each of AllContainments that isolates (containments_test.cc).
inline constexpr EnumValue kBoundedContainments[] = {
    {"process"},         {"bubblewrap"}, {"namespaces"},        {"landlock"}, {"lxc"},
    {"kubernetes"},      {"wslc"},       {"isolation_session"}, {"microvm"},  {"hyperlight"},
    {"windows_sandbox"}, {"seatbelt"},   {"processcontainer"},  {"vm"}};

struct Shape;

// What most fields leave as it is.
struct FieldOptions {
  Releases in = kEvery;          // who knows it; a name may stand twice for different releases
  const Shape* shape = nullptr;  // kObject, kObjectList; of kEnumList: an object in place of the list
  std::uint64_t minimum = 0;
  std::uint64_t maximum = UINT32_MAX;
  Releases required = 0;            // who insists on it
  bool non_empty = false;           // strings and lists
  std::string_view standard = {};   // default, as JSON
  std::string_view alias_of = {};   // another spelling of that field
  std::string_view elsewhere = {};  // what to do in a dialect that does not know it
  Use use = Use::kNormal;
};

// Written by the functions of field_rows.h.
struct Field : FieldOptions {
  std::string_view name = {};
  FieldType type = FieldType::kAny;
  std::string_view text = {};
  std::span<const EnumValue> values = {};  // kEnum, kEnumList
};

struct Shape {
  std::span<const Field> fields = {};
  // Of these exactly one must be there, as far as the dialect knows them.
  std::span<const std::string_view> one_of = {};
  bool open = false;  // unknown members are accepted, here and at every depth below
};

// NOLINTBEGIN(readability-identifier-naming): constants, constexpr where they are defined
extern const Shape kNetworkShape;
extern const Shape kCeilingNetworkShape;
extern const Shape kRuntimeShape;
extern const Shape kResourcesShape;
extern const Shape kProtectShape;
extern const Shape kHelpersShape;

// Sections of single backends, in fields_backend.cc.
extern const Shape kProcessContainerShape;
extern const Shape kLxcShape;
extern const Shape kKubernetesShape;
extern const Shape kSeatbeltShape;
extern const Shape kWslcShape;
extern const Shape kWindowsSandboxShape;
extern const Shape kIsolationSessionShape;
extern const Shape kHyperlightShape;
extern const Shape kTestShape;
extern const Shape kTelemetryShape;
extern const Shape kExperimentalShape;
// NOLINTEND(readability-identifier-naming)

[[nodiscard]] const Shape& RootShape();
// Of the bounds that an operator puts on policies (docs/operators.md), and of each section in there.
[[nodiscard]] const Shape& CeilingShape();

// Everything a document of this dialect may use; our additions are part of every dialect. `version` tells the
// two development contracts apart.
[[nodiscard]] Releases ReleasesOf(Dialect dialect, std::string_view version);
// The closed contracts reject null; the older model takes it for absence.
[[nodiscard]] bool TakesNull(Dialect dialect);

}  // namespace mxc
