// The Host of a Windows machine. Paths are "C:\a\b"; a component that leads elsewhere (symbolic link,
// junction) is a symlink, whose text is where it ends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mxc/host.h"

namespace mxc {

class WindowsHost final : public Host {
 public:
  [[nodiscard]] OperatingSystem System() const override { return OperatingSystem::kWindows; }
  [[nodiscard]] Identity Caller() const override;
  [[nodiscard]] std::string WorkingDirectory() const override;
  [[nodiscard]] bool Interactive() const override;
  [[nodiscard]] std::optional<std::string> Environment(std::string_view name) const override;
  [[nodiscard]] int LandlockAbi() const override { return 0; }
  [[nodiscard]] WindowsFacts Windows() const override;
  [[nodiscard]] bool MayChangeAccess(const std::string& path) const override;
  [[nodiscard]] Lookup LookAt(const std::string& path) const override;
  [[nodiscard]] Result<std::string> ReadLink(const std::string& path) const override;
  [[nodiscard]] bool MayAccess(const std::string& path, Access access) const override;
  [[nodiscard]] Result<std::vector<std::string>> ListDirectory(const std::string& path) const override;
  [[nodiscard]] Result<std::vector<DirectoryEntry>> ListEntries(const std::string& path,
                                                                const NameFilter& wanted) const override;
  [[nodiscard]] std::uint64_t Clock() const override;
  [[nodiscard]] Result<std::string> ReadFile(const std::string& path, std::size_t limit) const override;
  // Only in the system directory, "<Windows>\System32"; ".exe" is added.
  [[nodiscard]] std::optional<std::string> FindTool(std::string_view name) const override;
  [[nodiscard]] ToolRun Try(const std::vector<std::string>& argv, std::uint32_t limit_ms) const override;
};

}  // namespace mxc
