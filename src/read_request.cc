#include "read_request.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/own_files.h"
#include "base/quoted.h"
#include "config/decode.h"
#include "config/decoding.h"
#include "document/make_json.h"
#include "document/parse.h"
#include "document/source.h"
#include "flag_values.h"
#include "import/sdk_policy.h"
#include "isolation_fallback.h"
#include "profiles/add_profiles.h"
#include "profiles/base_document.h"
#include "profiles/expand_document.h"
#include "profiles/settings.h"
#include "report/hidden_values.h"
#include "report/report.h"
#include "shell/shell_policy.h"
#include "verbs.h"

namespace mxc {
namespace {

void Put(Json& object, const std::string& key, Json value) {
  std::erase_if(object.members, [&](const JsonMember& member) { return member.key == key; });
  object.members.push_back({.key = key, .value = std::move(value)});
}

// What the flags of a run without a file are added to. Whoever types a command means the program that a shell
// would find.
Json DocumentOfCommand(const Options& options, OperatingSystem system) {
  Json argv = Empty(Json::Kind::kArray);
  for (const std::string& word : options.command) argv.items.push_back(StringOf(word));
  Json process = Empty(Json::Kind::kObject);
  Put(process, "argv", std::move(argv));
  Json document = Empty(Json::Kind::kObject);
  Put(document, "version", StringOf("1.1.0-alpha"));
  Put(document, "process", std::move(process));
  const bool starts = options.verb != Verb::kExec && options.operation.empty();
  if (system != OperatingSystem::kLinux || !starts) return document;
  Put(document, "filesystem", Map("tools", StringOf("inherit")));
  return document;
}

Result<Source> ReadVariable(const std::string& name, const Host& host) {
  std::optional<std::string> value = host.Environment(name);
  if (value) return Source{.name = "<variable " + name + ">", .bytes = std::move(*value)};
  return Error{.code = ErrorCode::kMalformed,
               .message = "Cannot read config: the environment variable '" + name + "' is not set"};
}

Result<Source> ReadSource(const Options& options, const Host& host) {
  if (options.config_base64) return DecodeBase64Source(*options.config_base64);
  if (!options.config_path && !options.config_fd) return ReadVariable(options.config_env, host);
  if (options.config_fd) {
    return ReadDescriptorSource(*options.config_fd, "<fd " + std::to_string(*options.config_fd) + ">");
  }
  if (*options.config_path == "-") return ReadDescriptorSource(STDIN_FILENO, "<stdin>");
  // Without a name the file could not be kept from the command, which may have removed the directory.
  if (host.WorkingDirectory().empty()) {
    if (Result<std::string> path = PathOfFlag(*options.config_path, host); !path) return path.error();
  }
  return ReadFileSource(*options.config_path);
}

// A file that is not there may be meant as a command, or as the `run` of other programs in front of one.
Error ReadAsCommand(const Options& options, const Host& host, Error error) {
  if (!options.config_path) return error;
  const std::string& word = *options.config_path;
  if (word.starts_with('{')) {  // nothing of it is repeated: it may hold secrets
    error.message = "Cannot read config: this is a document, and no name of a file";
    error.hint = "write it to standard input, for mxc-exec -, or behind --config-base64 or --config-env";
    return error;
  }
  if (!options.policy.empty()) return error;
  const bool alone = options.command.empty();
  if (const std::string verb = alone ? NearestVerb(word) : std::string(); !verb.empty()) {
    error.hint = "did you mean the verb, mxc-exec " + verb + "?";
    return error;
  }
  const Result<std::string> path = PathOfFlag(word, host);
  if (word.ends_with(".json") || !path || host.LookAt(*path).status) return error;
  if (!alone) {
    error.hint = "in front of -- stands a policy; without one: mxc-exec --rw . --";
    for (const std::string& each : options.command) error.hint += " " + ShellWord(each);
    return error;
  }
  const bool line = word.find(' ') != std::string::npos;
  error.hint = "to run a command, put it behind --: mxc-exec --rw . -- " +
               (line ? "sh -c " + ShellQuoted(word) : ShellWord(word));
  return error;
}

std::string DirectoryOfFile(const Options& options, const Host& host) {
  const std::string path = ConfigFileOf(options, host);
  const std::string_view separators = host.System() == OperatingSystem::kWindows ? "/\\" : "/";
  return path.empty() ? "" : path.substr(0, std::max<std::size_t>(path.find_last_of(separators), 1));
}

Result<Json> ReadDocument(const Options& options, const Host& host) {
  if (!options.HasConfig()) {
    Json made = DocumentOfCommand(options, host.System());
    if (options.base.empty()) return made;
    const Status based = AddBase(options.base, host, made);
    return based ? Result<Json>(std::move(made)) : based.error();
  }
  const Result<Source> source = ReadSource(options, host);
  if (!source) return ReadAsCommand(options, host, source.error());
  Result<Json> document = ParseDocument(*source);
  if (!document) return document;
  if (!options.policy.empty()) {
    if (Status made = MakeConfigurationOfPolicy(options.policy, *document); !made) return made.error();
  }
  if (Status expanded = ExpandDocument(DirectoryOfFile(options, host), host, *document); !expanded)
    return expanded.error();
  return document;
}

void Drop(Json& object, std::string_view key) {
  std::erase_if(object.members, [key](const JsonMember& member) { return member.key == key; });
}

// The phase and the sandbox of a request that names none.
Status AddOperation(const Options& options, Json& document) {
  if (document.kind != Json::Kind::kObject) return Done{};
  for (const auto& [key, value] :
       {std::pair{"phase", &options.operation}, std::pair{"sandboxId", &options.container_id}}) {
    if (value->empty()) continue;
    const Json* const written = document.Find(key);
    if (written != nullptr && written->text != *value)
      return UsageError("the configuration has another `" + std::string(key) + "` than the flag",
                        "leave one of the two out");
    Put(document, key, StringOf(*value));
  }
  // Only `exec` runs a command.
  if (!options.operation.empty() && !options.HasConfig() && options.command.empty())
    Drop(document, "process");
  return Done{};
}

// The document that a verb stands for.
Status AddPhase(const Options& options, Json& document) {
  if (options.verb == Verb::kNone || document.kind != Json::Kind::kObject) return Done{};
  if (PhaseOf(document))
    return UsageError("the configuration has a phase: it is a request by itself",
                      "remove `phase` from it, or leave the verb out");
  if (options.verb == Verb::kExec) {
    Put(document, "phase", StringOf("exec"));
    Put(document, "sandboxId", StringOf(options.sandbox));
    return Done{};
  }
  Put(document, "phase", StringOf("provision"));
  if (document.Find("containment") == nullptr) Put(document, "containment", StringOf("process"));
  for (JsonMember& member : document.members)
    if (member.key == "process" && !options.HasConfig()) Drop(member.value, "argv");
  return Done{};
}

// The policy of a shell: where the command starts is the caller's affair, and what it is too.
Status MakeShellPolicy(const Options& options, Json& document) {
  if (!options.shell || document.kind != Json::Kind::kObject) return Done{};
  if (PhaseOf(document))
    return UsageError("it has a phase: it is a request of its own", "remove `phase` from it");
  for (JsonMember& member : document.members)
    if (member.key == "process") Drop(member.value, "cwd");
  return Done{};
}

// Of what starts a sandbox, for one command or for many; the others have theirs from there.
Result<Settings> SettingsFor(const Options& options, const Json& document, const Host& host) {
  const std::optional<Phase> phase = PhaseOf(document);
  const bool starts = options.verb != Verb::kExec && (!phase || *phase == Phase::kProvision);
  return starts ? ReadSettings(host) : Settings{};
}

// The descriptor that the configuration is read from, also where its name in /dev or /proc is written.
std::optional<int> DescriptorOf(const Options& options) {
  if (options.config_base64) return std::nullopt;
  if (!options.config_path) return options.config_fd;
  const std::string_view path = *options.config_path;
  if (path == "-" || path == "/dev/stdin") return STDIN_FILENO;
  for (const std::string_view directory : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(directory)) continue;
    int number = -1;
    const auto [end, failed] =
        std::from_chars(path.data() + directory.size(), path.data() + path.size(), number);
    if (failed == std::errc{} && end == path.data() + path.size()) return number;
  }
  return std::nullopt;
}

// What is wrong with the rest of the document is told without their values.
void HideVariablesOf(const Json& document) {
  const Json* const process = document.kind == Json::Kind::kObject ? document.Find("process") : nullptr;
  if (process == nullptr || process->kind != Json::Kind::kObject) return;
  const Json* const written = process->Find("env");
  if (written == nullptr) return;
  std::vector<std::string> variables;
  for (const Json& item : written->items) variables.push_back(item.text);
  HideAssigned(variables);
}

Request Read(const Options& options, const Host& host) {
  HideAssigned(options.environment);
  Result<Json> document = ReadDocument(options, host);
  if (!document) return {.config = document.error()};
  HideVariablesOf(*document);
  if (const Status shell = MakeShellPolicy(options, *document); !shell) return {.config = shell.error()};
  if (const Status added = AddOperation(options, *document); !added) return {.config = added.error()};
  Result<Settings> settings = SettingsFor(options, *document, host);
  if (!settings) return {.config = settings.error()};
  AddSettings(*settings, *document);
  if (const Status phase = AddPhase(options, *document); !phase) return {.config = phase.error()};
  if (!options.containment.empty() && document->kind == Json::Kind::kObject) {
    Put(*document, "containment", StringOf(options.containment));
  }
  const Json* const sandbox = document->kind == Json::Kind::kObject ? document->Find("sandboxId") : nullptr;
  Request request{.lifecycle = PhaseOf(*document).has_value(),
                  .sandbox_id = sandbox != nullptr ? sandbox->text : "",
                  .config = Config{}};
  Result<std::vector<FlagPlace>> flags = AddFlags(options, host, *document);
  if (!flags) {
    request.config = flags.error();
    return request;
  }
  DecodeOptions decode{.system = host.System(), .testing_features = options.testing_features};
  if (options.HasConfig()) decode.command = options.command;
  request.config = Decode(*document, decode);
  NameSettings(*settings, !options.containment.empty(), request.config);
  request.report = settings->report;
  if (request.config) {
    const Status added = AddProfiles(*document, host, options.mode == Mode::kRun, *request.config);
    if (!added) request.config = added.error();
  }
  if (request.config) request.config = ChooseContainment(std::move(*request.config), host);
  request.flags = std::move(*flags);
  if (!request.config) NameFlags(request.flags, request.config.error());
  return request;
}

}  // namespace

std::string ConfigFileOf(const Options& options, const Host& host) {
  if (options.config_base64 || !options.config_path || *options.config_path == "-") return "";
  const std::string here = host.WorkingDirectory();
  if (IsAbsolutePath(*options.config_path)) return *options.config_path;
  return here.empty() ? "" : here + "/" + *options.config_path;
}

std::string PolicyFileOf(const Options& options, const Host& host) {
  if (options.shell) return options.policy_file;
  const std::optional<int> fd = DescriptorOf(options);
  if (!fd) return ConfigFileOf(options, host);
  const Result<std::string> path = host.ReadLink("/proc/self/fd/" + std::to_string(*fd));
  return path && path->starts_with('/') && LeadsToFileOf(*path, *fd) ? *path : "";
}

Request ReadRequest(const Options& options, const Host& host) {
  Request request = Read(options, host);
  if (request.sandbox_id.empty()) request.sandbox_id = options.container_id;
  if (request.config && request.config->process.environment) HideValues(*request.config->process.environment);
  const std::string note = request.config ? NoteOfBareTime("--timeout", options.timeout) : "";
  if (!note.empty()) PrintWarning(note);
  if (!options.shell || request.config) return request;
  // Nobody has named it on the command line.
  const std::string policy = options.policy_file.empty() ? kPolicyVariable : Quoted(options.policy_file);
  request.config.error().message.insert(0, "the policy " + policy + ": ");
  return request;
}

}  // namespace mxc
