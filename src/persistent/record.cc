#include "persistent/record.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

namespace mxc::session {
namespace {

using Object = nlohmann::ordered_json;

constexpr int kForm = 3;
constexpr const char* kStates[] = {"provisioned", "starting", "started", "stopped"};

Object Folders(const std::vector<MappedFolder>& folders) {
  Object list = Object::array();
  for (const MappedFolder& folder : folders)
    list.push_back({{"path", folder.path}, {"readOnly", folder.read_only}});
  return list;
}

Object Machine(const std::vector<MachineProcess>& machine) {
  Object list = Object::array();
  for (const MachineProcess& process : machine)
    list.push_back({{"id", process.id}, {"created", process.created}});
  return list;
}

Object OfSandbox(const WindowsSandboxRun& run) {
  return {{"folders", Folders(run.folders)}, {"memoryBytes", run.memory_bytes}, {"cwd", run.cwd}};
}

Object OfSandbox(const WslSandbox& sandbox) {
  return {{"folders", Folders(sandbox.run.folders)},
          {"distribution", sandbox.run.distribution},
          {"program", sandbox.run.program},
          {"config", RevealedText(sandbox.run.config)},
          {"inside", sandbox.inside}};
}

std::vector<MappedFolder> FoldersOf(const Object& list) {
  std::vector<MappedFolder> folders;
  for (const Object& folder : list)
    folders.push_back({.path = folder.at("path"), .read_only = folder.at("readOnly")});
  return folders;
}

std::variant<WindowsSandboxRun, WslSandbox> SandboxOf(const Object& object) {
  std::vector<MappedFolder> folders = FoldersOf(object.at("folders"));
  if (!object.contains("distribution"))
    return WindowsSandboxRun{
        .folders = std::move(folders), .memory_bytes = object.at("memoryBytes"), .cwd = object.at("cwd")};
  return WslSandbox{.run = {.distribution = object.at("distribution"),
                            .program = object.at("program"),
                            .config = {Secret{object.at("config").get<std::string>()}},
                            .folders = std::move(folders)},
                    .inside = object.at("inside")};
}

Record Filled(const Object& object) {
  Record record;
  record.sandbox = SandboxOf(object.at("sandbox"));
  record.audit.path = object.at("audit");
  record.audit.on_failure =
      object.at("auditOrRefuse").get<bool>() ? Audit::OnFailure::kRefuse : Audit::OnFailure::kWarn;
  record.relaxations = object.at("relaxations").get<std::vector<std::string>>();
  record.policy_hash = object.at("policyHash");
  record.limits = {.idle_ms = object.at("idleMs"), .lifetime_ms = object.at("lifetimeMs")};
  record.provisioned_ms = object.at("provisionedMs");
  const std::string state = object.at("state");
  const auto* const known = std::find(std::begin(kStates), std::end(kStates), state);
  record.state = static_cast<State>(known - std::begin(kStates));
  for (const Object& process : object.at("machine"))
    record.machine.push_back({.id = process.at("id"), .created = process.at("created")});
  return record;
}

}  // namespace

std::string RecordText(const Record& record) {
  const Object object{{"form", kForm},
                      {"sandbox", std::visit([](const auto& it) { return OfSandbox(it); }, record.sandbox)},
                      {"audit", record.audit.path},
                      {"auditOrRefuse", record.audit.on_failure == Audit::OnFailure::kRefuse},
                      {"relaxations", record.relaxations},
                      {"policyHash", record.policy_hash},
                      {"idleMs", record.limits.idle_ms},
                      {"lifetimeMs", record.limits.lifetime_ms},
                      {"provisionedMs", record.provisioned_ms},
                      {"state", kStates[static_cast<std::size_t>(record.state)]},
                      {"machine", Machine(record.machine)}};
  return object.dump(-1, ' ', false, Object::error_handler_t::replace) + "\n";
}

std::optional<Record> ReadRecord(const std::string& text) {
  const Object object = Object::parse(text, nullptr, false);
  if (!object.is_object() || object.value("form", 0) != kForm) return std::nullopt;
  try {
    Record record = Filled(object);
    if (record.state > State::kStopped) return std::nullopt;
    return record;
  } catch (const Object::exception&) {
    return std::nullopt;
  }
}

}  // namespace mxc::session
