// The machine as the comparison at the end of a run reads it: a file that the command could write is read
// when nobody can write it any more by what was opened during the run.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "mxc/git_snapshot.h"
#include "mxc/host.h"
#include "policy/paths/paths.h"

namespace mxc {

class ReviewHost final : public Host {
 public:
  // cleanup/detach_writers.h
  using DetachWriters = std::function<Result<bool>(const std::string& path)>;

  // Borrows both.
  ReviewHost(const Host& host, const GitSnapshot& before, DetachWriters detach);

  // Errors: also those of DetachWriters.
  [[nodiscard]] Result<std::string> ReadFile(const std::string& path, std::size_t limit) const override;
  // Those that were open for writing, and are copies now.
  [[nodiscard]] const std::vector<std::string>& Copied() const { return copied_; }

  [[nodiscard]] OperatingSystem System() const override { return host_.System(); }
  [[nodiscard]] Identity Caller() const override { return host_.Caller(); }
  [[nodiscard]] std::string WorkingDirectory() const override { return host_.WorkingDirectory(); }
  [[nodiscard]] bool Interactive() const override { return host_.Interactive(); }
  [[nodiscard]] std::optional<std::string> Environment(std::string_view name) const override {
    return host_.Environment(name);
  }
  [[nodiscard]] int LandlockAbi() const override { return host_.LandlockAbi(); }
  [[nodiscard]] Lookup LookAt(const std::string& path) const override { return host_.LookAt(path); }
  [[nodiscard]] Result<std::string> ReadLink(const std::string& path) const override {
    return host_.ReadLink(path);
  }
  [[nodiscard]] bool MayAccess(const std::string& path, Access access) const override {
    return host_.MayAccess(path, access);
  }
  [[nodiscard]] bool MayExecute(const std::string& path) const override { return host_.MayExecute(path); }
  [[nodiscard]] Result<std::vector<std::string>> ListDirectory(const std::string& path) const override {
    return host_.ListDirectory(path);
  }
  [[nodiscard]] Result<std::vector<DirectoryEntry>> ListEntries(const std::string& path,
                                                                const NameFilter& wanted) const override {
    return host_.ListEntries(path, wanted);
  }
  [[nodiscard]] std::uint64_t Clock() const override { return host_.Clock(); }
  [[nodiscard]] std::optional<std::uint64_t> Time() const override { return host_.Time(); }
  [[nodiscard]] std::optional<std::string> FindTool(std::string_view name) const override {
    return host_.FindTool(name);
  }
  [[nodiscard]] ToolRun Try(const std::vector<std::string>& argv, std::uint32_t limit_ms) const override {
    return host_.Try(argv, limit_ms);
  }

 private:
  [[nodiscard]] bool WasWritable(std::string_view path) const;
  [[nodiscard]] Status Detach(const std::string& path) const;

  const Host& host_;
  DetachWriters detach_;
  std::unordered_set<std::string> roots_ = {};
  std::unordered_set<std::string> closed_ = {};  // to the command
  mutable PathWalker walker_;
  mutable std::unordered_map<std::string, Status> detached_ = {};
  mutable std::vector<std::string> copied_ = {};
};

}  // namespace mxc
