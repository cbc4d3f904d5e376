// State shared by the parts of Decode, and how they read a document whose shape has been checked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/decode.h"
#include "document/place.h"
#include "mxc/error.h"
#include "mxc/json.h"

namespace mxc {

// The errors of one document, in the order of the checks.
class ErrorList {
 public:
  void Add(Error error);
  [[nodiscard]] bool empty() const { return errors_.empty(); }  // NOLINT(readability-identifier-naming)
  // The first error, with the rest as its `others`. Only when there is one.
  [[nodiscard]] Error Take();

 private:
  std::vector<Error> errors_ = {};
};

struct Decoding {
  const Json& document;
  const DecodeOptions& options;
  Config config = {};
  ErrorList errors = {};

  void Fail(const Place& place, const Json& value, std::string_view text, std::string_view hint = {}) {
    errors.Add(ErrorAt(place, value.position, text, hint));
  }
  void Note(std::string_view category, const Place& place, std::string_view text);
};

// The member, or nullptr when it is absent or null, or when `object` itself is nullptr.
[[nodiscard]] const Json* Member(const Json* object, std::string_view key);
[[nodiscard]] std::string TextOf(const Json* value);
[[nodiscard]] Preset PresetNamed(std::string_view name);

// What `containment` comes to on the system Decode was told of; the tools on this machine play no part.
[[nodiscard]] Containment ContainmentFor(const Config& config, OperatingSystem system);

// Absolute in POSIX or Windows style ("/a", "C:\a", "\\server\share").
[[nodiscard]] bool IsAbsolutePath(std::string_view path);
// Reports a path that is empty, relative, over the bound or contains `"`; true when it is none of these.
bool CheckPath(Decoding& decoding, const Place& place, const Json& value);

// The parts of Decode, in the order of their checks.
void DecodeLifecycle(Decoding& decoding);
void DecodeContainment(Decoding& decoding);
void DecodeProcess(Decoding& decoding);
void DecodeSections(Decoding& decoding);
void DecodeFilesystem(Decoding& decoding);
void DecodeNetwork(Decoding& decoding);
void DecodeAdditions(Decoding& decoding);
void DecodeHelpers(Decoding& decoding);
void DecodeReview(Decoding& decoding);
void DecodeResources(Decoding& decoding);

// Of DecodeNetwork. The older dialect's network section in the newest shape.
void UpgradeLegacyNetwork(Decoding& decoding, const Json& network);
void DecodeLegacyProxy(Decoding& decoding, const Json& network);
void DecodeRuntimeProxy(Decoding& decoding);

}  // namespace mxc
