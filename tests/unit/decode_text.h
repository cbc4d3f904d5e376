// Shorthand of the decode tests: a document as text in, a Config or the text of the errors out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/decode.h"
#include "document/parse.h"

namespace mxc {

inline Result<Config> DecodeText(std::string text, const DecodeOptions& options = {}) {
  const Result<Json> document = ParseDocument({.name = "test", .bytes = std::move(text)});
  if (!document) return document.error();
  return Decode(*document, options);
}

// {"version": VERSION, "process": ..., FRAGMENT}; without `version` when it is empty.
inline std::string With(std::string_view fragment, std::string_view version = {}) {
  std::string text = "{";
  if (!version.empty()) text += "\"version\":\"" + std::string(version) + "\",";
  text += R"("process":{"commandLine":"true"})";
  if (!fragment.empty()) text += "," + std::string(fragment);
  return text + "}";
}

// "/pointer: message" of every error, or "ok".
inline std::vector<std::string> Errors(std::string text, const DecodeOptions& options = {}) {
  const Result<Config> config = DecodeText(std::move(text), options);
  if (config) return {"ok"};
  std::vector<std::string> lines{config.error().pointer + ": " + config.error().message};
  for (const Error& other : config.error().others) lines.push_back(other.pointer + ": " + other.message);
  return lines;
}

// Pointer of the only error; "ok", or "several" when there are more.
inline std::string Blamed(std::string text, const DecodeOptions& options = {}) {
  const Result<Config> config = DecodeText(std::move(text), options);
  if (config) return "ok";
  return config.error().others.empty() ? config.error().pointer : "several";
}

}  // namespace mxc
