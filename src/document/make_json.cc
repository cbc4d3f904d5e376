#include "document/make_json.h"

#include <utility>

namespace mxc {

Json StringOf(std::string value) {
  Json json;
  json.kind = Json::Kind::kString;
  json.text = std::move(value);
  return json;
}

Json NumberOf(std::uint64_t value) {
  Json json;
  json.kind = Json::Kind::kInteger;
  json.integer = value;
  json.text = std::to_string(value);
  return json;
}

Json FractionOf(std::string text) {
  Json json;
  json.kind = Json::Kind::kFloat;
  json.text = std::move(text);
  return json;
}

Json True() {
  Json json;
  json.kind = Json::Kind::kBool;
  json.boolean = true;
  return json;
}

Json Empty(Json::Kind kind) {
  Json json;
  json.kind = kind;
  return json;
}

Json List(Json item) {
  Json json = Empty(Json::Kind::kArray);
  json.items.push_back(std::move(item));
  return json;
}

Json Map(std::string key, Json value) {
  Json json = Empty(Json::Kind::kObject);
  json.members.push_back({.key = std::move(key), .value = std::move(value)});
  return json;
}

}  // namespace mxc
