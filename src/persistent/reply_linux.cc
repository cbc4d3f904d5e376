#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/archive.h"
#include "mxc/git_snapshot.h"
#include "persistent/reply.h"
#include "report/hidden_values.h"
#include "report/redact.h"

namespace mxc {

void Visit(ArchiveWriter& archive, const Variable& variable) {
  archive(variable.name);
  archive(variable.value.Reveal());
}

void Visit(ArchiveReader& archive, Variable& variable) {
  std::string value;
  archive(variable.name, value);
  variable.value = Secret{std::move(value)};
}

template <class Archive, class AnyEnforcement>
void VisitEnforcement(Archive& archive, AnyEnforcement& enforcement) {
  archive(enforcement.pointer, enforcement.strength, enforcement.mechanism);
}

void Visit(ArchiveWriter& archive, const Enforcement& enforcement) { VisitEnforcement(archive, enforcement); }
void Visit(ArchiveReader& archive, Enforcement& enforcement) { VisitEnforcement(archive, enforcement); }

// The daemon knows the sandbox's variables, and whoever asks it need not.
void Visit(ArchiveWriter& archive, const Warning& warning) {
  archive(warning.category, WithoutHiddenValues(warning.message), warning.pointer);
}

void Visit(ArchiveReader& archive, Warning& warning) {
  archive(warning.category, warning.message, warning.pointer);
}

void Visit(ArchiveWriter& archive, const GitSnapshot::Held& held) { archive(held.path, held.inode); }
void Visit(ArchiveReader& archive, GitSnapshot::Held& held) { archive(held.path, held.inode); }

void Visit(ArchiveWriter& archive, const ResourceLimit& limit) {
  archive(limit.resource, limit.amount, limit.pointer);
}
void Visit(ArchiveReader& archive, ResourceLimit& limit) {
  archive(limit.resource, limit.amount, limit.pointer);
}

// Only what a launcher needs: the limits of a group and the files in which they are counted.
void Visit(ArchiveWriter& archive, const CgroupSetting& setting) { archive(setting.file, setting.value); }
void Visit(ArchiveReader& archive, CgroupSetting& setting) { archive(setting.file, setting.value); }

void Visit(ArchiveWriter& archive, const RunGroup& group) {
  archive(group.plan.unified, group.plan.settings, group.directory);
}
void Visit(ArchiveReader& archive, RunGroup& group) {
  archive(group.plan.unified, group.plan.settings, group.directory);
}

namespace session {
namespace {

// The first byte of an answer.
enum class Kind : char { kOk = 'o', kError = 'e', kEntry = 'x', kBasis = 'b', kSecrets = 's', kListed = 'l' };

template <class Archive, class AnyError>
void VisitError(Archive& archive, AnyError& error) {
  archive(error.code, error.message, error.pointer, error.hint);
}

// Only what a launcher needs to know where the command can write.
struct Mounted {
  std::string path = {};
  Access access = Access::kReadOnly;
  std::optional<FileObject> object = {};
};

template <class Archive, class AnyMounted>
void VisitMounted(Archive& archive, AnyMounted& mounted) {
  archive(mounted.path, mounted.access, mounted.object);
}

void Visit(ArchiveWriter& archive, const Mounted& mounted) { VisitMounted(archive, mounted); }
void Visit(ArchiveReader& archive, Mounted& mounted) { VisitMounted(archive, mounted); }

std::optional<Mounted> MountedBy(const MountNode& node, const Workspace& workspace) {
  if (const auto* bind = std::get_if<BindMount>(&node); bind != nullptr && !bind->pin)
    return Mounted{.path = bind->source, .access = bind->access, .object = bind->object};
  if (const auto* mask = std::get_if<TmpfsMount>(&node); mask != nullptr && mask->object)
    return Mounted{.path = workspace.OnHost(mask->target), .access = Access::kDenied, .object = mask->object};
  if (const auto* mask = std::get_if<FileMask>(&node); mask != nullptr && mask->object)
    return Mounted{.path = workspace.OnHost(mask->target), .access = Access::kDenied, .object = mask->object};
  return std::nullopt;
}

void VisitMounts(ArchiveWriter& archive, const LinuxSandbox& sandbox) {
  std::vector<Mounted> list;
  for (const MountNode& node : sandbox.mounts) {
    if (std::optional<Mounted> mounted = MountedBy(node, sandbox.workspace))
      list.push_back(std::move(*mounted));
  }
  archive(list);
}

void VisitMounts(ArchiveReader& archive, LinuxSandbox& sandbox) {
  std::vector<Mounted> list;
  archive(list);
  for (const Mounted& mounted : list) {
    if (mounted.access == Access::kDenied) {
      sandbox.mounts.emplace_back(FileMask{.target = mounted.path, .object = mounted.object});
    } else {
      sandbox.mounts.emplace_back(BindMount{.source = mounted.path,
                                            .target = mounted.path,
                                            .access = mounted.access,
                                            .object = mounted.object});
    }
  }
}

// The configurations of git's that are held: the launcher warns when its command tried to write one.
void VisitConfigs(ArchiveWriter& archive, const Plan& plan) {
  constexpr std::size_t kMost = 1000;
  std::vector<GitSnapshot::Held> configs;
  for (const GitSnapshot::Held& held : plan.git.held) {
    if (held.path.ends_with("/config") && configs.size() < kMost) configs.push_back(held);
  }
  archive(configs);
}

void VisitConfigs(ArchiveReader& archive, Plan& plan) { archive(plan.git.held); }

template <class Archive, class AnyPlan, class AnySandbox>
void VisitEntry(Archive& archive, AnyPlan& plan, AnySandbox& sandbox) {
  archive(plan.containment, plan.tier, plan.isolation_level, plan.cwd_written, sandbox.cwd,
          sandbox.workspace.host, sandbox.workspace.guest, sandbox.environment, sandbox.gateway,
          plan.output.max_bytes, plan.output.redact_secrets, plan.output.redact_pii, plan.audit.path,
          plan.audit.on_failure, plan.audit.syslog, plan.policy_hash, plan.relaxations, plan.not_covered,
          plan.ledger, plan.resources);
  VisitMounts(archive, sandbox);
  VisitConfigs(archive, plan);
}

template <class Archive, class AnyListed>
void VisitListed(Archive& archive, AnyListed& listed) {
  archive(listed.id, listed.state, listed.commands, listed.age_ms, listed.idle_ms, listed.daemon);
}

template <class Fill>
std::string Text(Kind kind, Fill fill) {
  ArchiveWriter archive;
  archive(kind);
  fill(archive);
  return archive.Take();
}

// The value of an answer, read by `read`, or the error that the daemon sent instead.
template <class Read>
Status Parse(const std::string& text, Kind wanted, Read read) {
  ArchiveReader archive(text);
  Kind kind = Kind::kOk;
  Error error{.code = ErrorCode::kInternal};
  archive(kind);
  if (kind == Kind::kError) {
    VisitError(archive, error);
  } else if (kind == wanted) {
    read(archive);
  }
  if (archive.Ended() && kind == wanted) return Done{};
  if (archive.Ended() && kind == Kind::kError) return error;
  return Error{.code = ErrorCode::kInternal,
               .message = "the sandbox's daemon answered in another form",
               .hint = "it may be of another version of mxc-exec: deprovision the sandbox with that one"};
}

}  // namespace

std::string OkText(const std::vector<Warning>& left) {
  return Text(Kind::kOk, [&](ArchiveWriter& archive) { archive(left); });
}

std::string ErrorText(const Error& error) {
  Error told = error;
  told.message = WithoutHiddenValues(told.message);
  told.hint = WithoutHiddenValues(told.hint);
  return Text(Kind::kError, [&](ArchiveWriter& archive) { VisitError(archive, told); });
}

std::string EntryText(const Plan& plan, const std::vector<RunGroup>& groups) {
  return Text(Kind::kEntry, [&](ArchiveWriter& archive) {
    VisitEntry(archive, plan, *LinuxSandboxOf(plan.launch));
    archive(groups);
  });
}

std::string SecretsText(const std::vector<Variable>& environment) {
  std::vector<Variable> secrets;
  std::copy_if(environment.begin(), environment.end(), std::back_inserter(secrets),
               [](const Variable& variable) { return LooksSecret(variable.name); });
  return Text(Kind::kSecrets, [&](ArchiveWriter& archive) { archive(secrets); });
}

std::string BasisText(const std::string& basis) {
  return Text(Kind::kBasis, [&](ArchiveWriter& archive) { archive(basis); });
}

std::string ListedText(const Listed& listed) {
  return Text(Kind::kListed, [&](ArchiveWriter& archive) { VisitListed(archive, listed); });
}

Result<std::vector<Warning>> ParseOk(const std::string& text) {
  std::vector<Warning> left;
  const Status read = Parse(text, Kind::kOk, [&](ArchiveReader& archive) { archive(left); });
  if (!read) return read.error();
  return left;
}

Result<SandboxEntry> ParseEntry(const std::string& text) {
  SandboxEntry entry;
  LinuxSandbox& sandbox = entry.plan.launch.emplace<PersistentLaunch>().sandbox;
  const Status read = Parse(text, Kind::kEntry, [&](ArchiveReader& archive) {
    VisitEntry(archive, entry.plan, sandbox);
    archive(entry.groups);
  });
  if (!read) return read.error();
  return entry;
}

Result<std::vector<Variable>> ParseSecrets(const std::string& text) {
  std::vector<Variable> secrets;
  const Status read = Parse(text, Kind::kSecrets, [&](ArchiveReader& archive) { archive(secrets); });
  if (!read) return read.error();
  return secrets;
}

Result<std::string> ParseBasis(const std::string& text) {
  std::string basis;
  const Status read = Parse(text, Kind::kBasis, [&](ArchiveReader& archive) { archive(basis); });
  if (!read) return read.error();
  return basis;
}

Result<Listed> ParseListed(const std::string& text) {
  Listed listed;
  const Status read =
      Parse(text, Kind::kListed, [&](ArchiveReader& archive) { VisitListed(archive, listed); });
  if (!read) return read.error();
  return listed;
}

}  // namespace session
}  // namespace mxc
