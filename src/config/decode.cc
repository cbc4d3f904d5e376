#include "config/decode.h"

#include "config/decoding.h"
#include "config/fields.h"
#include "config/shape.h"
#include "config/version.h"
#include "mxc/limits.h"

namespace mxc {
namespace {

struct Shaped {
  Dialect dialect = Dialect::kLegacy;
  ShapeReport report = {};
};

// "0.9.0-alpha" names two things: a closed contract, and the last version of the older model. A document
// that breaks the contract but fits the model is taken for the latter.
Shaped ShapeOf(const Json& document, Dialect dialect, Command command) {
  Shaped shaped{.dialect = dialect, .report = CheckShape(document, dialect, command)};
  if (dialect != Dialect::kContract09 || shaped.report.errors.empty()) return shaped;
  Shaped older{.dialect = Dialect::kDirectional,
               .report = CheckShape(document, Dialect::kDirectional, command)};
  if (!older.report.errors.empty()) return shaped;
  older.report.notes.push_back({.category = "older-model",
                                .message = "read with the 0.8 model: the 0.9.0-alpha contract does not know "
                                           "some of its keys",
                                .pointer = "/version"});
  return older;
}

// The identifier names containers and files: what is not harmless in either stands as its number.
std::string HarmlessName(std::string_view text) {
  constexpr std::string_view kFirst = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr std::size_t kMaxBytes = 128;
  const std::string harmless = std::string(kFirst) + "_.-";
  std::string name;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (harmless.find(c) != std::string::npos && (!name.empty() || kFirst.find(c) != std::string_view::npos))
      name += c;
    else
      name += {name.empty() ? 'x' : '_', kDigits[byte >> 4U], kDigits[byte & 15U]};
  }
  return name.substr(0, kMaxBytes);
}

void DecodeContainerId(Decoding& decoding) {
  const Json* id = Member(&decoding.document, "containerId");
  if (id == nullptr) id = Member(Member(&decoding.document, "lxc"), "containerName");
  if (id != nullptr) decoding.config.container_id = HarmlessName(id->text);
}

}  // namespace

Result<Config> Decode(const Json& document, const DecodeOptions& options) {
  if (document.kind != Json::Kind::kObject) {
    return ErrorAt(Place{}, document.position, "invalid type, expected a configuration object");
  }
  Result<Dialect> dialect = SelectDialect(document);
  if (!dialect) return std::move(dialect.error());
  // Of the lifecycle only exec has a command.
  const std::optional<Phase> phase = PhaseOf(document);
  const Json* const written = document.Find("phase");
  const bool misspelt =
      !phase && written != nullptr && written->kind == Json::Kind::kString;  // refused as such
  const bool apart = !options.command.empty() || misspelt || (phase && *phase != Phase::kExec);
  const Command command = apart ? Command::kGivenApart : Command::kInDocument;
  Shaped shaped = ShapeOf(document, *dialect, command);

  Decoding decoding{.document = document, .options = options};
  for (Error& error : shaped.report.errors) decoding.errors.Add(std::move(error));
  if (!decoding.errors.empty()) return decoding.errors.Take();

  decoding.config.dialect = shaped.dialect;
  decoding.config.version = document.At("version").text;
  decoding.config.notes = std::move(shaped.report.notes);
  decoding.config.phase = phase;
  DecodeLifecycle(decoding);
  DecodeContainerId(decoding);
  DecodeContainment(decoding);
  DecodeProcess(decoding);
  DecodeSections(decoding);
  DecodeFilesystem(decoding);
  DecodeNetwork(decoding);
  DecodeAdditions(decoding);
  DecodeResources(decoding);
  DecodeHelpers(decoding);
  DecodeReview(decoding);
  if (!decoding.errors.empty()) return decoding.errors.Take();
  return std::move(decoding.config);
}

}  // namespace mxc
