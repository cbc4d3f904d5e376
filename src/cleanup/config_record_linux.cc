#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/own_files.h"
#include "base/runtime_directory.h"
#include "cleanup/config_record.h"
#include "cleanup/guarded_configs.h"

namespace mxc {
namespace {

using Packed = nlohmann::json;

constexpr std::string_view kPrefix = ".git-";  // no name of a sandbox
constexpr std::size_t kMaxRecordBytes = std::size_t{256} << 20U;

Packed BytesOf(const std::string& text) { return Packed::binary({text.begin(), text.end()}); }

std::string StringIn(const Packed& bytes) {
  const auto& binary = bytes.get_binary();
  return {binary.begin(), binary.end()};
}

std::vector<std::uint8_t> Pack(const std::vector<GuardedConfig>& configs) {
  Packed record = Packed::array();
  for (const GuardedConfig& config : configs)
    record.push_back({{"path", BytesOf(config.path)}, {"text", BytesOf(config.text)}, {"mode", config.mode}});
  return Packed::to_cbor(record);
}

std::vector<GuardedConfig> Unpack(const std::string& text) {
  std::vector<GuardedConfig> configs;
  const Packed record = Packed::from_cbor(text, true, false);
  if (!record.is_array()) return configs;
  try {
    for (const Packed& entry : record)
      configs.push_back({.path = StringIn(entry.at("path")),
                         .text = StringIn(entry.at("text")),
                         .mode = entry.at("mode").get<unsigned>()});
  } catch (const Packed::exception&) {  // a record of none of ours
  }
  return configs;
}

bool LockAlone(const UniqueFd& file) { return ::flock(file.Get(), LOCK_EX | LOCK_NB) == 0; }

bool WriteAll(int file, const std::vector<std::uint8_t>& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::write(file, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

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

}  // namespace

// Locked before it has its name: who finds a record that nobody has locked finds all of it.
Result<ConfigRecord> ConfigRecord::Write(const std::vector<GuardedConfig>& configs) {
  const Result<RuntimeDirectory> directory = RuntimeDirectory::Open();
  if (!directory) return directory.error();
  const std::string name = std::string(kPrefix) + RandomName();
  const std::string fresh = "." + name;
  const int place = directory->descriptor.Get();
  ConfigRecord record;
  constexpr int kNew = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  record.file_ = UniqueFd{::openat(place, fresh.c_str(), kNew, 0600)};
  const bool written = record.file_ && LockAlone(record.file_) &&
                       WriteAll(record.file_.Get(), Pack(configs)) &&
                       ::renameat(place, fresh.c_str(), place, name.c_str()) == 0;
  if (!written) {
    const int number = errno;
    ::unlinkat(place, fresh.c_str(), 0);
    return SystemError(ErrorCode::kSetupFailed, "write to '" + directory->path + "'", number);
  }
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

std::size_t RestoreByRecords() {
  std::size_t restored = 0;
  for (const RuntimeDirectory& directory : RuntimeDirectory::Existing()) {
    for (const std::string& name : RecordsIn(directory)) {
      const int place = directory.descriptor.Get();
      const UniqueFd file{::openat(place, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
      if (!file || !LockAlone(file)) continue;
      restored += RestoreConfigs(Unpack(ReadRecord(file.Get())));
      ::unlinkat(place, name.c_str(), 0);
    }
  }
  return restored;
}

}  // namespace mxc
