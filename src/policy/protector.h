// One protected path at a time: what stands there, what has to stand there, and what cannot be held.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "policy/protect.h"

namespace mxc {

class Protector {
 public:
  Protector(const Host& host, PathWalker& walker, RuleSet& rules, std::vector<Warning>& warnings)
      : host_(host), walker_(walker), rules_(rules), warnings_(warnings) {}

  // All that follows belongs to this preset.
  void Begin(const PresetEntry& preset) { preset_ = preset; }
  // Reports the names of the preset that nothing holds.
  void End();

  // `path` is canonical up to its last component. Nothing happens where the command cannot write.
  void Protect(const std::string& path, WhenMissing missing, std::string_view text = {});
  void ProtectRows(std::string_view directory, std::span<const ProtectedRow> rows);
  void Warn(std::string category, std::string message) const {
    warnings_.push_back(
        {.category = std::move(category), .message = std::move(message), .pointer = preset_.pointer});
  }

  [[nodiscard]] std::size_t Count() const { return count_; }  // of the rules so far
  [[nodiscard]] bool Writable(std::string_view path) const;
  [[nodiscard]] PathWalker& Walker() const { return walker_; }
  [[nodiscard]] const Host& TheHost() const { return host_; }
  [[nodiscard]] const RuleSet& Rules() const { return rules_; }

 private:
  void ProtectTarget(const std::string& link);
  void ProtectExisting(const std::string& path, const FileStatus& status);
  void HoldName(const std::string& path, WhenMissing missing, std::string_view text);
  // What another run holds the name with does not exist.
  [[nodiscard]] bool IsStandIn(const std::string& path, const FileStatus& status, WhenMissing missing,
                               std::string_view text) const;
  void Add(PathRule rule);

  const Host& host_;
  PathWalker& walker_;
  RuleSet& rules_;
  std::vector<Warning>& warnings_;
  PresetEntry preset_ = {};
  std::size_t count_ = 0;
  std::vector<std::string> open_ = {};  // nothing holds these names
};

}  // namespace mxc
