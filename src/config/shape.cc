#include "config/shape.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>

#include "base/suggest.h"
#include "config/fields.h"
#include "document/place.h"
#include "mxc/limits.h"

namespace mxc {
namespace {

std::string_view KindName(Json::Kind kind) {
  constexpr std::string_view kNames[] = {"null", "boolean", "integer", "number", "string", "array", "object"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(Json::Kind::kObject) + 1);
  return kNames[static_cast<std::size_t>(kind)];
}

struct TypeRow {
  FieldType type;
  Json::Kind kind;
  std::string_view expectation;
};

constexpr TypeRow kTypes[] = {
    {FieldType::kAny, Json::Kind::kNull, "anything"},
    {FieldType::kBool, Json::Kind::kBool, "true or false"},
    {FieldType::kInteger, Json::Kind::kInteger, "an integer"},
    {FieldType::kNumber, Json::Kind::kFloat, "a number"},
    {FieldType::kString, Json::Kind::kString, "a string"},
    {FieldType::kEnum, Json::Kind::kString, "a string"},
    {FieldType::kObject, Json::Kind::kObject, "an object"},
    {FieldType::kStringList, Json::Kind::kArray, "an array of strings"},
    {FieldType::kEnumList, Json::Kind::kArray, "an array of strings"},
    {FieldType::kObjectList, Json::Kind::kArray, "an array of objects"},
};

const TypeRow& RowOf(FieldType type) {
  const auto* const row = std::find_if(std::begin(kTypes), std::end(kTypes),
                                       [type](const TypeRow& each) { return each.type == type; });
  return row == std::end(kTypes) ? kTypes[0] : *row;
}

constexpr std::string_view kNoCommand = "put the command behind --: mxc-exec FILE -- CMD ARGS...";

// Type of the items of a list.
FieldType ItemType(FieldType list) {
  if (list == FieldType::kStringList) return FieldType::kString;
  return list == FieldType::kEnumList ? FieldType::kEnum : FieldType::kObject;
}

// "`a`, `b` or `c`", after what the reader needs to know about their number.
std::string OneOf(const std::vector<std::string_view>& names) {
  std::string text = names.size() > 1 ? "one of " : "";
  for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "`" : ", `") + std::string(names[i]) + "`";
  return text;
}

std::string Unknown(std::string_view what, std::string_view word,
                    const std::vector<std::string_view>& names) {
  std::string text = "unknown " + std::string(what) + " " + Ticked(word);
  if (!names.empty()) text += ", expected " + OneOf(names);
  if (const std::string nearest = Nearest(word, names); !nearest.empty()) {
    text += "; did you mean `" + nearest + "`?";
  }
  return text;
}

// Walks the document with a list of what is left to visit; documents are nested as deep as they like.
class Checker {
 public:
  Checker(Dialect dialect, std::string_view version, Command command)
      : releases_(ReleasesOf(dialect, version)), takes_null_(TakesNull(dialect)), command_(command) {}

  ShapeReport Run(const Json& document, const Shape& shape) {
    const Field root{{.shape = &shape}, "", FieldType::kObject};
    document_ = &shape;
    todo_.push_back({.value = &document, .field = &root, .type = root.type});
    while (!todo_.empty() && report_.errors.size() < kMaxReportedErrors) {
      const Visit visit = std::move(todo_.back());
      todo_.pop_back();
      Check(visit);
    }
    std::stable_sort(report_.errors.begin(), report_.errors.end(), [](const Error& a, const Error& b) {
      return std::pair(a.position.line, a.position.column) < std::pair(b.position.line, b.position.column);
    });
    return std::move(report_);
  }

 private:
  struct Visit {
    const Json* value = nullptr;
    const Field* field = nullptr;
    FieldType type = FieldType::kAny;  // of the value; an item of a list differs from its field
    Place place = {};
    bool open = false;
  };

  void Report(const Place& place, Position position, std::string_view text, std::string_view hint = {}) {
    if (report_.errors.size() < kMaxReportedErrors) {
      report_.errors.push_back(ErrorAt(place, position, text, hint));
    }
  }

  void Check(const Visit& visit) {
    const Json& value = *visit.value;
    if (visit.type == FieldType::kAny) return;
    if (visit.type == FieldType::kEnumList && visit.field->shape != nullptr &&
        value.kind == Json::Kind::kObject)
      return CheckObject(visit);
    const bool whole_number = visit.type == FieldType::kNumber && value.kind == Json::Kind::kInteger;
    if (value.kind != RowOf(visit.type).kind && !whole_number) {
      Report(visit.place, value.position,
             "invalid type: " + std::string(KindName(value.kind)) + ", expected " +
                 std::string(RowOf(visit.type).expectation));
      return;
    }
    const bool whole = visit.type == visit.field->type;  // not an item of the list
    if (whole && visit.field->non_empty && value.text.empty() && value.items.empty()) {
      Report(visit.place, value.position, "must not be empty");
    }
    CheckContent(visit);
  }

  void CheckContent(const Visit& visit) {
    switch (visit.type) {
      case FieldType::kInteger:
        CheckInteger(visit);
        break;
      case FieldType::kNumber:
        CheckNumber(visit);
        break;
      case FieldType::kEnum:
        CheckEnum(visit);
        break;
      case FieldType::kObject:
        CheckObject(visit);
        break;
      case FieldType::kStringList:
      case FieldType::kEnumList:
      case FieldType::kObjectList:
        for (std::size_t i = visit.value->items.size(); i-- > 0;) {
          todo_.push_back({.value = &visit.value->items[i],
                           .field = visit.field,
                           .type = ItemType(visit.type),
                           .place = visit.place.Item(i),
                           .open = visit.open});
        }
        break;
      case FieldType::kAny:
      case FieldType::kBool:
      case FieldType::kString:
        break;
    }
  }

  void CheckInteger(const Visit& visit) {
    const Json& value = *visit.value;
    if (!value.negative && value.integer >= visit.field->minimum && value.integer <= visit.field->maximum)
      return;
    Report(visit.place, value.position,
           "must be an integer between " + std::to_string(visit.field->minimum) + " and " +
               std::to_string(visit.field->maximum));
  }

  void CheckNumber(const Visit& visit) {
    const Json& value = *visit.value;
    const double number = std::strtod(value.text.c_str(), nullptr);
    if (number > static_cast<double>(visit.field->minimum) &&
        number <= static_cast<double>(visit.field->maximum))
      return;
    Report(visit.place, value.position,
           "must be a number above " + std::to_string(visit.field->minimum) + " and at most " +
               std::to_string(visit.field->maximum));
  }

  void CheckEnum(const Visit& visit) {
    std::vector<std::string_view> names;
    for (const EnumValue& value : visit.field->values) {
      if ((value.in & releases_) != 0) names.push_back(value.name);
    }
    const std::string& text = visit.value->text;
    if (std::find(names.begin(), names.end(), text) != names.end()) return;
    Report(visit.place, visit.value->position, Unknown("value", text, names));
  }

  void CheckObject(const Visit& visit) {
    const Shape& shape = *visit.field->shape;
    const bool open = visit.open || shape.open;
    std::vector<Visit> children;
    for (const JsonMember& member : visit.value->members) {
      const Place place = visit.place.Key(member.key);
      const Field* field = FindField(shape, member.key);
      if (field == nullptr) {
        if (!open) ReportUnknown(shape, member, place);
        continue;
      }
      CheckAlias(*field, member, *visit.value, visit.place);
      if (takes_null_ && member.value.kind == Json::Kind::kNull) continue;
      if (field->use == Use::kTolerated) Tolerate(place);
      children.push_back(
          {.value = &member.value, .field = field, .type = field->type, .place = place, .open = open});
    }
    std::move(children.rbegin(), children.rend(), std::back_inserter(todo_));
    CheckRequired(visit);
  }

  [[nodiscard]] const Field* FindField(const Shape& shape, std::string_view name) const {
    for (const Field& field : shape.fields) {
      if (field.name == name && (field.in & releases_) != 0) return &field;
    }
    return nullptr;
  }

  void ReportUnknown(const Shape& shape, const JsonMember& member, const Place& place) {
    std::vector<std::string_view> names;
    std::string_view elsewhere;
    for (const Field& field : shape.fields) {
      if (field.name == member.key) elsewhere = field.elsewhere;
      const bool usual = field.use == Use::kNormal && field.alias_of.empty();
      if ((field.in & releases_) != 0 && usual) names.push_back(field.name);
    }
    std::string text = Unknown("field", member.key, names);
    if (!elsewhere.empty()) text += "; " + std::string(elsewhere);
    Report(place, member.position, text, elsewhere.empty() ? WhereItStands(shape, member.key) : "");
  }

  // A field of a section that was written at the top, or the other way round.
  [[nodiscard]] std::string WhereItStands(const Shape& shape, std::string_view name) const {
    const auto knows = [&](const Shape& other) {
      const Field* field = FindField(other, name);
      return field != nullptr && field->use == Use::kNormal;
    };
    if (&shape != document_)
      return knows(*document_) ? Ticked(name) + " stands at the top of the document" : "";
    for (const Field& section : shape.fields) {
      const bool known = (section.in & releases_) != 0 && section.type == FieldType::kObject;
      if (known && section.shape != nullptr && knows(*section.shape))
        return "write it in " + Ticked(section.name) + ": \"" + std::string(section.name) + "\": {\"" +
               std::string(name) + "\": ...}";
    }
    return "";
  }

  // The reference reads an alias as the field itself, so both together are the same key twice.
  void CheckAlias(const Field& field, const JsonMember& member, const Json& object, const Place& parent) {
    if (field.alias_of.empty() || object.Find(field.alias_of) == nullptr) return;
    Report(
        parent.Key(member.key), member.position,
        "duplicate field `" + std::string(field.alias_of) + "`: `" + member.key + "` is another name of it");
  }

  void Tolerate(const Place& place) {
    report_.notes.push_back({.category = "tolerated-key",
                             .message = "`" + place.dotted + "` is a key of an older SDK",
                             .pointer = place.pointer});
  }

  [[nodiscard]] bool Has(const Json& object, std::string_view name) const {
    const Json* value = object.Find(name);
    return value != nullptr && !(takes_null_ && value->kind == Json::Kind::kNull);
  }

  void CheckRequired(const Visit& visit) {
    const Shape& shape = *visit.field->shape;
    const bool command_apart = command_ == Command::kGivenApart;
    for (const Field& field : shape.fields) {
      if ((field.required & releases_) == 0 || Has(*visit.value, field.name)) continue;
      if (command_apart && field.name == "process") continue;
      Report(visit.place, visit.value->position, "missing field `" + visit.place.Key(field.name).dotted + "`",
             visit.place.pointer.empty() && field.name == "process" ? kNoCommand : "");
    }
    if (!shape.one_of.empty()) CheckForms(visit);
  }

  // Exactly one of the forms a thing may be written in.
  void CheckForms(const Visit& visit) {
    const Shape& shape = *visit.field->shape;
    const bool command_apart = command_ == Command::kGivenApart;
    std::vector<std::string_view> known;
    std::size_t present = 0;
    for (const std::string_view name : shape.one_of) {
      if (FindField(shape, name) == nullptr) continue;
      known.push_back(name);
      if (Has(*visit.value, name)) ++present;
    }
    if (present > 1) {
      Report(visit.place, visit.value->position, OneOf(known) + " is allowed, not several");
    } else if (present == 0 && !(command_apart && visit.place.pointer == "/process")) {
      std::string text = "missing field";
      for (const std::string_view name : known) {
        text += (name == known.front() ? " `" : " or `") + visit.place.Key(name).dotted + "`";
      }
      Report(visit.place, visit.value->position, text, visit.place.pointer == "/process" ? kNoCommand : "");
    }
  }

  Releases releases_;
  bool takes_null_;
  Command command_;
  const Shape* document_ = nullptr;
  std::vector<Visit> todo_ = {};
  ShapeReport report_ = {};
};

}  // namespace

ShapeReport CheckShape(const Json& document, Dialect dialect, Command command) {
  const Json* const version = document.Find("version");
  return Checker(dialect, version != nullptr ? version->text : "", command).Run(document, RootShape());
}

ShapeReport CheckCeilingShape(const Json& section) {
  return Checker(Dialect::kContract11, "", Command::kGivenApart).Run(section, CeilingShape());
}

}  // namespace mxc
