#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "base/process_tree.h"
#include "base/quoted.h"
#include "cleanup/record_cbor.h"
#include "persistent/recovery_record.h"
#include "report/report.h"

namespace mxc::session {
namespace {

using Cbor = nlohmann::json;

constexpr std::string_view kSuffix = ".left";
constexpr std::size_t kMaxBytes = std::size_t{4} << 20U;
// Bounds the wait for the processes of a sandbox whose daemon was killed, which mostly end in milliseconds.
constexpr int kMaxWaitMs = 10000;

Cbor Bytes(const std::string& text) { return Cbor::binary({text.begin(), text.end()}); }

std::string Text(const Cbor& bytes) {
  const auto& binary = bytes.get_binary();
  return {binary.begin(), binary.end()};
}

// The start time of a process in ticks since boot: with the pid it identifies one process.
std::uint64_t BornAt(pid_t process) {
  const std::string text = ProcessText(process, "stat");
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(text.substr(name_end + 1));
  std::string field;
  for (int i = 0; i < 20; ++i) fields >> field;  // starttime, the 22nd of all
  return fields ? std::strtoull(field.c_str(), nullptr, 10) : 0;
}

Cbor Packed(const HostChanges& changes, pid_t init) {
  Cbor files = Cbor::array();
  for (const Placeholder& file : changes.placeholders) {
    Cbor entry{{"path", Bytes(file.path)}};
    if (file.placeholder_kind) {
      entry["directory"] = file.placeholder_kind->type == FileType::kDirectory;
      entry["text"] = Bytes(file.placeholder_kind->text);
    }
    files.push_back(std::move(entry));
  }
  Cbor groups = Cbor::array();
  for (const RunGroup& group : changes.groups)
    groups.push_back({{"directory", Bytes(group.directory)}, {"unified", group.plan.unified}});
  return {{"files", std::move(files)}, {"groups", std::move(groups)}, {"init", init}, {"born", BornAt(init)}};
}

HostChanges Unpacked(const Cbor& record) {
  HostChanges changes;
  for (const Cbor& entry : record.at("files")) {
    Placeholder file{.path = Text(entry.at("path"))};
    if (entry.contains("text")) {
      const bool directory = entry.at("directory").get<bool>();
      file.placeholder_kind = PlaceholderKind{.type = directory ? FileType::kDirectory : FileType::kRegular,
                                              .text = Text(entry.at("text"))};
    }
    changes.placeholders.push_back(std::move(file));
  }
  for (const Cbor& entry : record.at("groups")) {
    RunGroup group{.directory = Text(entry.at("directory"))};
    group.plan.unified = entry.at("unified").get<bool>();
    changes.groups.push_back(std::move(group));
  }
  return changes;
}

void AwaitEnd(const Cbor& record) {
  const pid_t init = record.at("init").get<pid_t>();
  const UniqueFd handle = init > 1 ? HandleOf(init) : UniqueFd{};
  if (!handle || BornAt(init) != record.at("born").get<std::uint64_t>()) return;
  pollfd ended{.fd = handle.Get(), .events = POLLIN, .revents = 0};
  while (::poll(&ended, 1, kMaxWaitMs) < 0 && errno == EINTR) {
  }
}

// Empty: it cannot be read.
std::string Read(const UniqueFd& file) {
  struct stat status {};
  const bool regular = file && ::fstat(file.Get(), &status) == 0 && S_ISREG(status.st_mode);
  if (!regular || static_cast<std::size_t>(status.st_size) > kMaxBytes) return {};
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  const ssize_t count = ::read(file.Get(), text.data(), text.size());
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return text;
}

void RemoveRecoveryRecord(const StateDirectory& directory, const std::string& name) {
  ::unlinkat(directory.Descriptor(), (name + std::string(kSuffix)).c_str(), 0);
  ::unlinkat(directory.Descriptor(), ("." + name + std::string(kSuffix)).c_str(), 0);
}

// False: it cannot be read, or is no record of ours.
bool ClearAwayBy(const UniqueFd& file) {
  const std::string text = Read(file);
  if (!IsRecordCbor(text)) return false;
  const Cbor record = Cbor::from_cbor(text, true, false);
  if (!record.is_object()) return false;
  try {
    const HostChanges changes = Unpacked(record);
    AwaitEnd(record);
    ClearAway(changes);
  } catch (const Cbor::exception&) {
    return false;
  }
  return true;
}

// Under a name that no later call takes for a record.
void MoveAside(const StateDirectory& directory, const std::string& record) {
  const std::string aside = record + ".unreadable";
  const bool moved =
      ::renameat(directory.Descriptor(), record.c_str(), directory.Descriptor(), aside.c_str()) == 0;
  PrintWarning(
      "the record of what a killed sandbox left on this machine cannot be read; it is " +
      Quoted(directory.Path() + "/" + (moved ? aside : record)) +
      ". Placeholders may stand at names that the policy of the sandbox denies or protects, and control "
      "groups named mxc-… may be left: start and deprovision a sandbox with that policy, which removes "
      "the placeholders, remove the control groups (rmdir), and then remove the record");
}

}  // namespace

Status WriteRecoveryRecord(const StateDirectory& directory, const std::string& name,
                           const HostChanges& changes, pid_t init) {
  if (changes.placeholders.empty() && changes.groups.empty()) {
    RemoveRecoveryRecord(directory, name);
    return Done{};
  }
  const std::vector<std::uint8_t> bytes = Cbor::to_cbor(Packed(changes, init));
  const std::string target = name + std::string(kSuffix);
  const std::string fresh = "." + target;  // no name of a sandbox
  ::unlinkat(directory.Descriptor(), fresh.c_str(), 0);
  const UniqueFd file{::openat(directory.Descriptor(), fresh.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
  const bool written =
      file && ::write(file.Get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  if (written &&
      ::renameat(directory.Descriptor(), fresh.c_str(), directory.Descriptor(), target.c_str()) == 0)
    return Done{};
  const int number = errno;
  ::unlinkat(directory.Descriptor(), fresh.c_str(), 0);
  return SystemError(ErrorCode::kSetupFailed, "write to '" + directory.Path() + "'", number);
}

void CleanUpByRecord(const StateDirectory& directory, const std::string& name) {
  const std::string record = name + std::string(kSuffix);
  const UniqueFd file = OpenKept(directory.Descriptor(), record);
  const bool none = !file && errno == ENOENT;
  if (!none && !ClearAwayBy(file)) MoveAside(directory, record);
  RemoveRecoveryRecord(directory, name);
}

void CleanUpByAllRecords(const StateDirectory& directory) {
  for (const std::string& file : directory.Names()) {
    if (!file.ends_with(kSuffix)) continue;
    const std::string name = file.substr(0, file.size() - kSuffix.size());
    const bool held = directory.Connect(name) || (errno != ECONNREFUSED && errno != ENOENT);
    if (!held) CleanUpByRecord(directory, name);
  }
}

}  // namespace mxc::session
