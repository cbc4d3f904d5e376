#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/quoted.h"
#include "cleanup/config_record.h"
#include "cleanup/guarded_configs.h"
#include "cleanup/record_cbor.h"

namespace mxc {
namespace {

using Packed = nlohmann::json;

constexpr std::string_view kUnreadable =
    ". The configurations of git below the read-write grants of that run may say what its command wrote: "
    "read "
    "them before you use git there, and then remove the record";

Packed BytesOf(const std::string& text) { return Packed::binary({text.begin(), text.end()}); }

std::string StringIn(const Packed& bytes) {
  const auto& binary = bytes.get_binary();
  return {binary.begin(), binary.end()};
}

std::string Pack(const std::vector<GuardedConfig>& configs) {
  Packed record = Packed::array();
  for (const GuardedConfig& config : configs)
    record.push_back({{"path", BytesOf(config.path)},
                      {"text", BytesOf(config.text)},
                      {"mode", config.mode},
                      {"directory", config.directory}});
  std::string packed;
  Packed::to_cbor(record, packed);
  return packed;
}

// nullopt: it is no record of ours.
std::optional<std::vector<GuardedConfig>> Unpack(const std::string& text) {
  std::vector<GuardedConfig> configs;
  if (!IsRecordCbor(text)) return std::nullopt;
  const Packed record = Packed::from_cbor(text, true, false);
  if (!record.is_array()) return std::nullopt;
  try {
    for (const Packed& entry : record)
      configs.push_back({.path = StringIn(entry.at("path")),
                         .text = StringIn(entry.at("text")),
                         .mode = entry.at("mode").get<unsigned>(),
                         .directory = entry.at("directory").get<std::string>()});
  } catch (const Packed::exception&) {
    return std::nullopt;
  }
  return configs;
}

std::vector<GuardedConfig> ConfigsOf(const std::vector<RestoredConfigs::Left>& left) {
  std::vector<GuardedConfig> configs;
  for (const RestoredConfigs::Left& each : left) configs.push_back(each.config);
  return configs;
}

std::vector<std::string> PathsOf(const std::vector<RestoredConfigs::Left>& left) {
  std::vector<std::string> paths;
  for (const RestoredConfigs::Left& each : left) paths.push_back(each.config.path);
  return paths;
}

std::string Sentence(const RestoredConfigs::Left& left, const std::string& record) {
  if (left.other) {
    return Quoted(left.config.path) +
           " is in another directory than the one that the command of an earlier run could write: nothing is "
           "put back there, now or later. If you have not made that directory since, read the file before "
           "you "
           "use git there, and look for where the earlier directory is now";
  }
  return Quoted(left.config.path) +
         " may say what the command of an earlier run wrote, or be missing, and cannot be put back: " +
         left.why +
         "; move its directory back and call `mxc-exec --recover`, or read it where it is now and then "
         "remove " +
         Quoted(record);
}

std::vector<std::string> ConfigPathsIn(const std::string& text) {
  std::vector<std::string> paths;
  for (GuardedConfig& config : Unpack(text).value_or(std::vector<GuardedConfig>{}))
    paths.push_back(std::move(config.path));
  return paths;
}

RecordVerdict Judge(const LeftRecord& record, Recovery& recovery) {
  using What = RecordVerdict::What;
  std::optional<std::vector<GuardedConfig>> configs = Unpack(record.text);
  if (!configs) return {.what = What::kUnreadable};
  std::erase_if(*configs, [&](const GuardedConfig& config) {
    return !record.IsFirstToName(config.directory, config.path);
  });
  RestoredConfigs restored = RestoreConfigs(*configs, InOtherDirectories::kLeave);
  recovery.found.restored += restored.count;
  for (const RestoredConfigs::Left& each : restored.left)
    if (!record.reported || each.other || recovery.asked)
      recovery.found.problems.push_back(Sentence(each, record.path));
  std::erase_if(restored.left, [](const RestoredConfigs::Left& each) { return each.other; });
  if (restored.left.empty()) return {.what = What::kRemove};
  const bool replaces = !record.reported || restored.left.size() < configs->size();
  return {.what = replaces ? What::kReplace : What::kKeep,
          .text = Pack(ConfigsOf(restored.left)),
          .waits_for = PathsOf(restored.left)};
}

}  // namespace

Result<ConfigRecord> ConfigRecord::Reserve() {
  Result<RunRecord> reserved = RunRecord::Reserve(kConfigRecords);
  if (!reserved) return reserved.error();
  ConfigRecord record;
  record.record_ = std::move(*reserved);
  return record;
}

Status ConfigRecord::Write(const std::vector<GuardedConfig>& configs) { return record_.Write(Pack(configs)); }

void ConfigRecord::Settle(const std::vector<RestoredConfigs::Left>& left) {
  if (left.empty()) return record_.Remove();
  record_.Leave(Pack(ConfigsOf(left)));
}

// Several runs may write one configuration at a time (LockConfigs).
RecordKind ConfigRecord::Kind() {
  return {.prefix = kConfigRecords,
          .unreadable = kUnreadable,
          .judge = Judge,
          .paths = ConfigPathsIn,
          .alone = false};
}

}  // namespace mxc
