// Writes members that flags give into a document, and notes which flag gave which.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flag_places.h"
#include "mxc/error.h"
#include "mxc/json.h"

namespace mxc {

class FlagWriter {
 public:
  using Keys = std::initializer_list<std::string_view>;  // from the document down

  // `takes_null`: null stands for an absent member.
  FlagWriter(Json& document, bool takes_null) : document_(document), takes_null_(takes_null) {}

  // nullptr: absent, or null.
  [[nodiscard]] const Json* Find(Keys keys) const;

  // Errors of all: kUsage, where the document has a member of another type in the way.
  // The value at `keys`, made where it is missing; the last of them is of `kind`.
  [[nodiscard]] Result<Json*> Enter(Keys keys, Json::Kind kind, const std::string& flag);
  // To the list at `keys`.
  [[nodiscard]] Status Append(Keys keys, Json item, const std::string& flag);
  // Replace what is there: a member of a section, and a string of the document itself.
  [[nodiscard]] Status Set(std::string_view section, const std::string& key, Json value,
                           const std::string& flag);
  [[nodiscard]] Status SetText(std::string_view key, const std::string& text, const std::string& flag);

  void Note(FlagPlace place) { places_.push_back(std::move(place)); }
  [[nodiscard]] std::vector<FlagPlace> TakePlaces() { return std::move(places_); }

 private:
  [[nodiscard]] Json* Member(Json& object, std::string key, Json::Kind kind, const std::string& pointer,
                             const std::string& flag);

  Json& document_;
  bool takes_null_;
  std::vector<FlagPlace> places_ = {};
};

}  // namespace mxc
