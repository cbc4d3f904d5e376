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

bool IsContainerId(const std::string& text) {
  constexpr std::string_view kFirst = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  constexpr std::size_t kMaxBytes = 128;
  if (text.size() > kMaxBytes || kFirst.find(text.front()) == std::string_view::npos) return false;
  return text.find_first_not_of(std::string(kFirst) + "_.-") == std::string::npos;
}

// The identifier names containers and files, so it is kept to what is harmless in either.
void DecodeContainerId(Decoding& decoding) {
  Place place = Place{}.Key("containerId");
  const Json* id = Member(&decoding.document, "containerId");
  if (id == nullptr) {
    place = Place{}.Key("lxc").Key("containerName");
    id = Member(Member(&decoding.document, "lxc"), "containerName");
  }
  if (id == nullptr || id->text.empty()) return;
  if (IsContainerId(id->text)) {
    decoding.config.container_id = id->text;
    return;
  }
  decoding.Fail(place, *id,
                "must be up to 128 letters, digits, `_`, `.` or `-`, the first a letter or digit");
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
  const bool apart = !options.command.empty() || (phase && *phase != Phase::kExec);
  const Command command = apart ? Command::kGivenApart : Command::kInDocument;
  Shaped shaped = ShapeOf(document, *dialect, command);

  Decoding decoding{.document = document, .options = options};
  for (Error& error : shaped.report.errors) decoding.errors.Add(std::move(error));
  if (!decoding.errors.empty()) return decoding.errors.Take();

  decoding.config.dialect = shaped.dialect;
  decoding.config.version = TextOf(Member(&document, "version"));
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
  if (!decoding.errors.empty()) return decoding.errors.Take();
  return std::move(decoding.config);
}

}  // namespace mxc
