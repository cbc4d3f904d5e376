#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "base/own_files.h"
#include "base/pipe.h"
#include "base/quoted.h"
#include "base/runtime_directory.h"
#include "cleanup/config_record.h"
#include "cleanup/guarded_configs.h"
#include "cleanup/named_place.h"

namespace mxc {
namespace {

using Packed = nlohmann::json;

constexpr std::string_view kPrefix = ".git-";  // no name of a sandbox
// The mode of a record says whether the user has been told of the configurations in it.
constexpr mode_t kFresh = 0600;
constexpr mode_t kTold = 0400;
constexpr std::size_t kMaxRecordBytes = std::size_t{256} << 20U;

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
  const Packed record = Packed::from_cbor(text, true, false);
  if (!record.is_array()) return std::nullopt;
  try {
    for (const Packed& entry : record)
      configs.push_back({.path = StringIn(entry.at("path")),
                         .text = StringIn(entry.at("text")),
                         .mode = entry.at("mode").get<unsigned>(),
                         .directory = entry.value("directory", std::uint64_t{0})});
  } catch (const Packed::exception&) {
    return std::nullopt;
  }
  return configs;
}

bool LockAlone(const UniqueFd& file) { return ::flock(file.Get(), LOCK_EX | LOCK_NB) == 0; }

std::string ReadRecord(int file) {
  struct stat status {};
  if (::fstat(file, &status) != 0 || static_cast<std::size_t>(status.st_size) > kMaxRecordBytes) return {};
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  const ssize_t count = ::pread(file, text.data(), text.size(), 0);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return text;
}

std::vector<std::string> RecordsIn(const RuntimeDirectory& directory) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(directory.path.c_str()), ::closedir);
  while (const dirent* entry =
             listing ? ::readdir(listing.get()) : nullptr) {  // NOLINT(concurrency-mt-unsafe): own stream
    const std::string name = entry->d_name;
    if (name.starts_with(kPrefix)) names.push_back(name);
  }
  return names;
}

// Writes and locks the record before it gets its name: one that is found unlocked is complete. Invalid:
// errno, and an earlier file of that name is unchanged.
UniqueFd WriteRecord(int place, const std::string& name, const std::vector<GuardedConfig>& configs,
                     mode_t mode) {
  const std::string fresh = "." + name;
  ::unlinkat(place, fresh.c_str(), 0);  // of a call that was killed
  constexpr int kNew = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd file{::openat(place, fresh.c_str(), kNew, mode)};
  if (file && LockAlone(file) && WriteAll(file.Get(), Pack(configs)) &&
      ::renameat(place, fresh.c_str(), place, name.c_str()) == 0)
    return file;
  const int number = errno;
  ::unlinkat(place, fresh.c_str(), 0);
  errno = number;
  return {};
}

std::vector<GuardedConfig> ConfigsOf(const std::vector<RestoredConfigs::Left>& left) {
  std::vector<GuardedConfig> configs;
  for (const RestoredConfigs::Left& each : left) configs.push_back(each.config);
  return configs;
}

std::string Sentence(const RestoredConfigs::Left& left, const std::string& record) {
  return Quoted(left.config.path) +
         " may say what the command of an earlier run wrote, or be missing, and cannot be put back: " +
         left.why +
         "; move its directory back and call `mxc-exec --recover`, or read it where it is now and then "
         "remove " +
         Quoted(record);
}

// Under a name that no later call takes for a record.
void MoveAside(const RuntimeDirectory& directory, const std::string& name, Recovery& recovery) {
  const int place = directory.descriptor.Get();
  const std::string aside = "unreadable" + name;
  const bool moved = ::renameat(place, name.c_str(), place, aside.c_str()) == 0;
  recovery.problems.push_back(
      "the record of configurations that an earlier run was to put back cannot be read; it is " +
      Quoted(directory.path + "/" + (moved ? aside : name)) +
      ". The configurations of git below the read-write grants of that run may say what its command wrote: "
      "read them before you use git there, and then remove the record");
}

// `file`: a record that this process has locked.
void RestoreByRecord(const RuntimeDirectory& directory, const std::string& name, const UniqueFd& file,
                     Recovery& recovery) {
  const int place = directory.descriptor.Get();
  struct stat open {};
  struct stat named {};
  // The process that had it locked may have replaced it.
  if (::fstat(file.Get(), &open) != 0 || ::fstatat(place, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) != 0 ||
      named.st_ino != open.st_ino)
    return;
  const bool told = (open.st_mode & 0777U) == kTold;
  const std::optional<std::vector<GuardedConfig>> configs = Unpack(ReadRecord(file.Get()));
  if (!configs) return MoveAside(directory, name, recovery);
  const RestoredConfigs restored = RestoreConfigs(*configs, told);
  recovery.restored += restored.count;
  for (const RestoredConfigs::Left& each : restored.left)
    (told ? recovery.known : recovery.problems).push_back(Sentence(each, directory.path + "/" + name));
  if (restored.left.empty()) {
    ::unlinkat(place, name.c_str(), 0);
  } else if (!told || restored.left.size() < configs->size()) {
    WriteRecord(place, name, ConfigsOf(restored.left), kTold);
  }
}

}  // namespace

Result<ConfigRecord> ConfigRecord::Write(const std::vector<GuardedConfig>& configs) {
  const Result<RuntimeDirectory> directory = RuntimeDirectory::Open();
  if (!directory) return directory.error();
  const std::string name = std::string(kPrefix) + RandomName();
  ConfigRecord record;
  record.file_ = WriteRecord(directory->descriptor.Get(), name, configs, kFresh);
  if (!record.file_) return SystemError(ErrorCode::kSetupFailed, "write to '" + directory->path + "'", errno);
  record.path_ = directory->path + "/" + name;
  return record;
}

ConfigRecord::ConfigRecord(ConfigRecord&& other) noexcept
    : path_(std::exchange(other.path_, {})), file_(std::move(other.file_)) {}

ConfigRecord& ConfigRecord::operator=(ConfigRecord&& other) noexcept {
  if (this == &other) return *this;
  Remove();
  path_ = std::exchange(other.path_, {});
  file_ = std::move(other.file_);
  return *this;
}

void ConfigRecord::Remove() {
  if (!path_.empty()) ::unlink(path_.c_str());
  path_.clear();
}

void ConfigRecord::Settle(const std::vector<RestoredConfigs::Left>& left) {
  if (left.empty() || path_.empty()) return Remove();
  const Result<NamedPlace> place = OpenPlace(path_);
  if (place) static_cast<void>(WriteRecord(place->directory.Get(), place->name, ConfigsOf(left), kFresh));
  path_.clear();
}

Recovery RestoreByRecords() {
  Recovery recovery{.what = "configurations of git's"};
  for (const RuntimeDirectory& directory : RuntimeDirectory::Existing()) {
    for (const std::string& name : RecordsIn(directory)) {
      constexpr int kReading = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
      const UniqueFd file{::openat(directory.descriptor.Get(), name.c_str(), kReading)};
      if (!file && errno != ENOENT) {  // ENOENT: its run has just ended
        MoveAside(directory, name, recovery);
      } else if (file && LockAlone(file)) {
        RestoreByRecord(directory, name, file, recovery);
      }
    }
  }
  return recovery;
}

}  // namespace mxc
