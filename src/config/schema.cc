#include "config/schema.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/fields.h"
#include "mxc/limits.h"

namespace mxc {
namespace {

using OrderedJson = nlohmann::ordered_json;

struct Published {
  std::string_view version;
  Releases releases;
  std::string_view accepted;  // what `version` may be: a constant, or a pattern when it starts with "^"
};

constexpr Published kPublished[] = {
    {"0.4.0-alpha", kV04, "^0\\.4\\."},      {"0.5.0-alpha", kV05, "^0\\.5\\."},
    {"0.6.0-alpha", kV06, "^0\\.6\\."},      {"0.7.0-alpha", kV07, "^0\\.7\\."},
    {"0.8.0-alpha", kV08, "^0\\.[89]\\."},   {"0.9.0-alpha", kC09, "0.9.0-alpha"},
    {"0.10.0-alpha", kC010, "0.10.0-alpha"}, {"1.0.0", kC10, "1.0.0"},
    {"1.1.0-alpha", kC11, "1.1.0-alpha"},    {"mxc-exec", kC11 | kOwn, "1.1.0-alpha"},
};

// Renders the tables for one set of releases.
class Renderer {
 public:
  explicit Renderer(Releases releases) : releases_(releases), takes_null_((releases & kWireModel) != 0) {}

  // NOLINTNEXTLINE(misc-no-recursion): as deep as the tables, which are constant
  [[nodiscard]] OrderedJson Object(const Shape& shape, bool open) const {
    OrderedJson json{{"type", "object"}};
    OrderedJson properties = OrderedJson::object();
    std::vector<std::string> required;
    for (const Field& field : shape.fields) {
      if ((field.in & releases_) == 0 || field.use != Use::kNormal) continue;
      properties[std::string(field.name)] = Property(field, open || shape.open);
      if ((field.required & releases_) != 0) required.emplace_back(field.name);
    }
    json["properties"] = std::move(properties);
    AddRequired(json, shape, std::move(required));
    if (!open && !shape.open) json["additionalProperties"] = false;
    return json;
  }

 private:
  // NOLINTNEXTLINE(misc-no-recursion)
  [[nodiscard]] OrderedJson Property(const Field& field, bool open) const {
    OrderedJson json{{"description", field.text}};
    json.update(Content(field, open));
    if (!field.standard.empty()) json["default"] = OrderedJson::parse(field.standard);
    if (takes_null_ && (field.required & releases_) == 0 && field.type != FieldType::kAny) AllowNull(json);
    return json;
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  [[nodiscard]] OrderedJson Content(const Field& field, bool open) const {
    switch (field.type) {
      case FieldType::kAny:
        return OrderedJson::object();
      case FieldType::kBool:
        return {{"type", "boolean"}};
      case FieldType::kInteger:
        return {{"type", "integer"}, {"minimum", field.minimum}, {"maximum", field.maximum}};
      case FieldType::kNumber:
        return {{"type", "number"}, {"exclusiveMinimum", field.minimum}, {"maximum", field.maximum}};
      case FieldType::kString:
        return field.non_empty ? OrderedJson{{"type", "string"}, {"minLength", 1}}
                               : OrderedJson{{"type", "string"}};
      case FieldType::kEnum:
        return Enum(field);
      case FieldType::kObject:
        return Object(*field.shape, open);
      case FieldType::kStringList:
        return List(field, {{"type", "string"}});
      case FieldType::kEnumList:
        return field.shape == nullptr ? List(field, Enum(field)) : ListOrObject(field, open);
      case FieldType::kObjectList:
        return List(field, Object(*field.shape, open));
    }
    return OrderedJson::object();
  }

  [[nodiscard]] OrderedJson Enum(const Field& field) const {
    OrderedJson names = OrderedJson::array();
    for (const EnumValue& value : field.values) {
      if ((value.in & releases_) != 0) names.push_back(value.name);
    }
    return {{"type", "string"}, {"enum", std::move(names)}};
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as the tables
  [[nodiscard]] OrderedJson ListOrObject(const Field& field, bool open) const {
    return {{"anyOf", OrderedJson::array({List(field, Enum(field)), Object(*field.shape, open)})}};
  }

  static OrderedJson List(const Field& field, OrderedJson items) {
    OrderedJson json{{"type", "array"}, {"items", std::move(items)}};
    if (field.non_empty) json["minItems"] = 1;
    json["maxItems"] = kMaxListEntries;
    return json;
  }

  void AddRequired(OrderedJson& json, const Shape& shape, std::vector<std::string> required) const {
    std::vector<std::string> forms;
    for (const Field& field : shape.fields) {
      const bool form = std::find(shape.one_of.begin(), shape.one_of.end(), field.name) != shape.one_of.end();
      if (form && (field.in & releases_) != 0) forms.emplace_back(field.name);
    }
    if (forms.size() == 1) required.push_back(forms.front());
    if (!required.empty()) json["required"] = required;
    for (std::size_t i = 0; forms.size() > 1 && i < forms.size(); ++i) {
      json["oneOf"].push_back({{"required", {forms[i]}}});
    }
  }

  static void AllowNull(OrderedJson& json) {
    json["type"] = OrderedJson::array({json["type"], "null"});
    if (json.contains("enum")) json["enum"].push_back(nullptr);
  }

  Releases releases_;
  bool takes_null_;
};

std::string Render(const Published& published) {
  const bool own = published.version == "mxc-exec";
  OrderedJson json{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                   {"$id", "urn:mxc-exec:config:" + std::string(published.version)},
                   {"title", own ? std::string("mxc-exec configuration: 1.1.0-alpha with the additions of "
                                               "mxc-exec")
                                 : "mxc configuration, schema version " + std::string(published.version)}};
  json.update(Renderer(published.releases).Object(RootShape(), false));
  const bool pattern = published.accepted.starts_with('^');
  json["properties"]["version"][pattern ? "pattern" : "const"] = published.accepted;
  return json.dump(2) + "\n";
}

std::string RenderCeiling() {
  OrderedJson json{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                   {"$id", "urn:mxc-exec:ceiling"},
                   {"title", "ceiling of mxc-exec: what an operator lets callers ask for"}};
  json.update(Renderer(kC11 | kOwn).Object(CeilingShape(), false));
  for (const char* list : {"users", "groups"})
    json["properties"][list]["additionalProperties"] = {{"$ref", "#"}};
  return json.dump(2) + "\n";
}

}  // namespace

std::vector<std::string> SchemaVersions() {
  std::vector<std::string> versions;
  for (const Published& published : kPublished) versions.emplace_back(published.version);
  return versions;
}

Result<std::string> SchemaText(std::string_view version) {
  for (const Published& published : kPublished) {
    if (published.version == version) return Render(published);
  }
  if (version == kCeilingSchema) return RenderCeiling();
  std::string list;
  for (const Published& published : kPublished) list += std::string(published.version) + ", ";
  list += kCeilingSchema;
  return Error{.code = ErrorCode::kUsage,
               .message = "no schema for version '" + std::string(version) + "'",
               .hint = "there are schemas for " + list};
}

}  // namespace mxc
