#include "backends/bubblewrap/arguments.h"

#include <fmt/format.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "mxc/limits.h"
#include "mxc/overloaded.h"

namespace mxc::bubblewrap {
namespace {

constexpr std::uint64_t kMaskBytes = 4096;  // nothing fits in

class Renderer {
 public:
  Renderer(const Workspace& workspace, const Support& support)
      : workspace_(workspace),
        by_descriptor_(support.Has("bind-fd")),
        sizes_(support.Has("size")),
        queues_(support.Has("mqueue")) {}

  void Namespaces(const LinuxSandbox& sandbox) {
    Say({"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"});
    if (sandbox.private_network) Say({"--unshare-net"});
    if (sandbox.gateway) AwaitGateway();
    Say({"--die-with-parent", "--cap-drop", "ALL"});
    // Without it nobody may map uid 0 into a further user namespace (user_namespaces(7)), as LockMounts does.
    if (sandbox.seccomp == SeccompProfile::kRootCaller) Say({"--cap-add", "CAP_SETFCAP"});
    Say({"--hostname", sandbox.hostname});
    // Only process 1 is safe from signals of the commands, and gets what they leave behind.
    if (sandbox.stays) Say({"--as-pid-1"});
    Say({"--json-status-fd"});
    arguments_.emplace_back(Pass(StatusPipe{}));
  }

  void Mounts(const LinuxSandbox& sandbox) {
    init_is_ours_ = sandbox.stays;
    for (const MountNode& node : sandbox.mounts) Node(node);
    // Mount points can only be made while the directory above is writable.
    for (const std::string& target : read_only_at_last_) Say({"--remount-ro", target});
    if (sandbox.root_read_only) Say({"--remount-ro", "/"});
  }

  void Command(const LinuxSandbox& sandbox) { Say({"--chdir", sandbox.cwd, "--clearenv"}); }

  // What bwrap executes at last.
  [[nodiscard]] std::vector<Piece> Program(const LinuxSandbox& sandbox) {
    const FileNumber program{.file = Pass(OwnProgram{}).file, .as_path = true};
    const FileNumber proc = Pass(HostProc{});
    const std::string profile = std::to_string(static_cast<int>(sandbox.seccomp));
    const FileNumber namespaces = Pass(SessionSocket{});
    if (sandbox.stays)  // each command brings its own environment
      return {program, std::string(kSessionInitFlag), proc, profile, namespaces, Pass(SessionSocket{})};
    std::vector<Piece> command = {program, std::string(kSandboxEntryFlag), proc,
                                  profile, Environment(sandbox),           namespaces};
    if (sandbox.gateway) {
      command.emplace_back(Pass(SessionSocket{}));
    } else {
      command.emplace_back(std::string("-1"));
    }
    command.insert(command.end(), sandbox.argv.begin(), sandbox.argv.end());
    return command;
  }

  // Not bwrap's: what the dynamic linker reads of it must not reach this program, which is not confined yet.
  [[nodiscard]] FileNumber Environment(const LinuxSandbox& sandbox) {
    ArgumentFile file;
    for (const Variable& variable : sandbox.environment) {
      if (variable.name == "PWD") continue;
      file.arguments.emplace_back(variable.name);
      file.arguments.emplace_back(variable.value);
    }
    file.arguments.insert(file.arguments.end(), {std::string("PWD"), sandbox.cwd});
    return Pass(std::move(file));
  }

  [[nodiscard]] std::size_t Count() const { return arguments_.size(); }
  // The argument file comes last: its pieces name the files before it.
  [[nodiscard]] std::vector<InheritedFile> TakeFiles() {
    files_.emplace_back(ArgumentFile{.arguments = std::move(arguments_)});
    return std::move(files_);
  }

  [[nodiscard]] std::vector<PathFile> TakeVerified() { return std::move(verified_); }
  [[nodiscard]] std::vector<std::string> TakeUnmapped() { return std::move(unmapped_); }

 private:
  void Say(std::initializer_list<std::string> words) {
    for (const std::string& word : words) arguments_.emplace_back(word);
  }

  template <class File>
  FileNumber Pass(File file) {
    files_.emplace_back(std::move(file));
    return {.file = files_.size() - 1};
  }

  // bwrap tells which process to connect, and starts the command when the launcher says so.
  void AwaitGateway() {
    Say({"--info-fd"});
    arguments_.emplace_back(Pass(InfoPipe{}));
    Say({"--block-fd"});
    arguments_.emplace_back(Pass(BlockPipe{}));
  }

  void Bind(const BindMount& bind) {
    const bool read_only = bind.access == Access::kReadOnly;
    if (bind.unmapped_owners) unmapped_.push_back(bind.source);
    // By descriptor, what was checked is what is mounted, whatever has happened to the name since.
    if (by_descriptor_ && (bind.object || bind.pin)) {
      Say({read_only ? "--ro-bind-fd" : "--bind-fd"});
      const FileObject object = bind.object.value_or(FileObject{.type = bind.type});
      arguments_.emplace_back(
          Pass(PathFile{.path = bind.source, .object = object, .any_object = !bind.object}));
      Say({bind.target});
    } else {
      Say({read_only ? "--ro-bind" : "--bind", bind.source, bind.target});
    }
  }

  void Tmpfs(const TmpfsMount& tmpfs) {
    Verify(tmpfs.target, tmpfs.object);
    Say({"--perms", fmt::format("{:04o}", tmpfs.mode)});
    if (sizes_) Say({"--size", std::to_string(tmpfs.size_bytes)});
    Say({"--tmpfs", tmpfs.target});
    if (tmpfs.read_only) read_only_at_last_.push_back(tmpfs.target);
  }

  // bwrap is process 1 and has the command's user: through /proc its memory, its environment and its
  // descriptors could be read and written. Of a persistent sandbox process 1 is ours, and guards itself.
  void Proc(const ProcMount& proc) {
    Say({"--proc", proc.target});
    if (proc.read_only) read_only_at_last_.push_back(proc.target);
    if (init_is_ours_) return;
    Tmpfs({.target = proc.target + "/1", .size_bytes = kMaskBytes, .mode = 0, .read_only = true});
  }

  // Landlock judges POSIX message queues by the file system that they are in, which needs a mount for that.
  void Dev(const DevMount& dev) {
    Say({"--dev", dev.target});
    if (queues_) Say({"--mqueue", dev.target + "/mqueue"});
    if (dev.read_only) read_only_at_last_.push_back(dev.target);
  }

  // bwrap finds the place of a mask by name.
  void Verify(const std::string& target, const std::optional<FileObject>& object) {
    if (object) verified_.push_back({.path = workspace_.OnHost(target), .object = *object});
  }

  void Node(const MountNode& node) {
    std::visit(
        Overloaded{[&](const BindMount& bind) { Bind(bind); }, [&](const TmpfsMount& tmpfs) { Tmpfs(tmpfs); },
                   // bwrap binds without device access, so that even root gets EACCES.
                   [&](const FileMask& mask) {
                     Verify(mask.target, mask.object);
                     Say({"--ro-bind", "/dev/null", mask.target});
                   },
                   [&](const ProcMount& proc) { Proc(proc); }, [&](const DevMount& dev) { Dev(dev); },
                   [&](const MakeDirectory& directory) {
                     Say({"--perms", fmt::format("{:04o}", directory.mode), "--dir", directory.target});
                   },
                   [&](const MakeSymlink& link) {
                     Say({"--symlink", link.text, link.target});
                   },
                   [&](const MakeFile& file) {
                     Say({"--perms", "0600", "--file"});
                     arguments_.emplace_back(Pass(TextFile{.text = file.text}));
                     Say({file.target});
                   }},
        node);
  }

  const Workspace& workspace_;
  bool by_descriptor_;
  bool sizes_;
  bool queues_;
  bool init_is_ours_ = false;
  std::vector<Piece> arguments_ = {};
  std::vector<InheritedFile> files_ = {};
  std::vector<PathFile> verified_ = {};
  std::vector<std::string> unmapped_ = {};
  std::vector<std::string> read_only_at_last_ = {};
};

Error TooLong(std::string what, std::string pointer) {
  return Conflict(fmt::format("{} is longer than the {} bytes the kernel passes to a program", what,
                              kMaxArgumentBytes - 1),
                  std::move(pointer), "put the text into a file that the command reads");
}

Status CheckLengths(const LinuxSandbox& sandbox) {
  for (const std::string& argument : sandbox.argv) {
    if (argument.size() >= kMaxArgumentBytes)
      return TooLong("the command, or one argument of it,", "/process");
  }
  for (const Variable& variable : sandbox.environment) {
    if (variable.name.size() + 1 + variable.value.size() >= kMaxArgumentBytes) {
      return TooLong("the environment variable '" + variable.name + "'", "/process/env");
    }
  }
  return Done{};
}

}  // namespace

Result<Rendered> RenderArguments(const LinuxSandbox& sandbox, const Support& support) {
  if (Status lengths = CheckLengths(sandbox); !lengths) return lengths.error();
  Renderer renderer{sandbox.workspace, support};
  renderer.Namespaces(sandbox);
  renderer.Mounts(sandbox);
  renderer.Command(sandbox);

  Exec exec{.program = support.program};
  exec.argv = {std::string("bwrap"), std::string("--args"), FileNumber{}, std::string("--")};
  const std::vector<Piece> command = renderer.Program(sandbox);
  const std::size_t count = renderer.Count() + exec.argv.size() + command.size();
  exec.files = renderer.TakeFiles();
  exec.verified = renderer.TakeVerified();
  exec.unmapped_owners = renderer.TakeUnmapped();
  exec.argv[2] = FileNumber{.file = exec.files.size() - 1};
  exec.argv.insert(exec.argv.end(), command.begin(), command.end());
  // bwrap stays as process 1 of the sandbox, where its environment can be read.
  exec.environment = {{.name = "PATH", .value = Secret{"/usr/bin:/bin"}}};
  exec.new_session = true;  // by the launcher, which can then end bwrap and all its children as one group
  exec.limits = sandbox.limits;
  return Rendered{.exec = std::move(exec), .arguments = count};
}

}  // namespace mxc::bubblewrap
