#include "policy/without_shell.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/lists.h"
#include "base/plain_command.h"
#include "policy/process.h"
#include "policy/program_file.h"

namespace mxc {
namespace {

constexpr const char* kShell = "/bin/sh";
constexpr std::uint32_t kChangesIdentity = 06000;  // set-user-ID, set-group-ID
constexpr std::uint32_t kOwnerExecutes = 0100;
// execve accepts at least twice as much, pointers included (ARG_MAX).
constexpr std::size_t kSmallBytes = 65536;

// What is at a path of the sandbox.
struct Sight {
  enum class Kind {
    kAbsent,   // shell and execvp both try the next directory of PATH
    kUnknown,  // the launcher cannot determine it
    kHostFile,
  };
  Kind kind = Kind::kUnknown;
  std::string path = {};  // of kHostFile: canonical, on the host
  FileStatus status = {};
};

class Judge {
 public:
  explicit Judge(const Inside& inside) : inside_(inside), root_(inside.host.Caller().IsRoot()) {}

  // Whether the shell would only execute the line, and would itself start.
  [[nodiscard]] bool KnowsShell() {
    const Sight shell = Look(kShell);
    const std::optional<std::string> head = HeadOf(shell);
    return head && shell.path.ends_with("/dash") && IsElf(*head);
  }

  [[nodiscard]] bool Starts(const Process& process, const std::string& program) {
    if (program.front() == '/') return StartsAt(Look(program));
    if (program.find('/') != std::string::npos) return StartsAt(Look(JoinPath(process.cwd, program)));
    for (std::string_view rest = SearchPath(process.environment); !rest.empty();) {
      const std::string_view directory = TakePiece(rest, ':');
      const Sight sight = Look(JoinPath(directory, program));
      if (sight.kind != Sight::Kind::kAbsent) return StartsAt(sight);
    }
    return false;
  }

 private:
  [[nodiscard]] Sight Look(std::string_view path) {
    const Result<Walked> walked = inside_.walker.Walk(path);
    if (!walked || IsNeverFromHost(walked->path)) return {};
    const bool shown = std::all_of(walked->links.begin(), walked->links.end(), [this](const LinkMet& met) {
      return Shows(met.link) && WayIsOwn(met.link.path);
    });
    if (!shown) return {};
    if (!walked->status || walked->folded_missing || !inside_.rules.Visible(walked->path))
      return {.kind = Sight::Kind::kAbsent};
    if (!WayIsOwn(walked->path)) return {};
    return {.kind = Sight::Kind::kHostFile, .path = walked->path, .status = *walked->status};
  }

  // Whether the link is visible as on the host, or recreated. False for links in the sandbox's own nodes.
  [[nodiscard]] bool Shows(const PathLink& link) const {
    if (inside_.rules.Visible(link.path)) return true;
    return PrivateNodeOf(link.path).empty() &&
           std::any_of(inside_.links.begin(), inside_.links.end(), [&link](const PathLink& made) {
             return made.path == link.path && made.target == link.target;
           });
  }

  // Root has capabilities outside and none inside, so only its own files are certainly accessible to it.
  [[nodiscard]] bool IsOwn(const FileStatus& status) const {
    return !root_ || (status.uid == 0 && (status.mode & kOwnerExecutes) != 0);
  }

  [[nodiscard]] bool WayIsOwn(std::string_view path) {
    while (root_ && path != "/") {
      path = ParentOf(path);
      const Lookup& lookup = inside_.walker.LookAt(std::string(path));
      if (!lookup.status || !IsOwn(*lookup.status)) return false;
    }
    return true;
  }

  // The first bytes of a file that the caller may execute.
  [[nodiscard]] std::optional<std::string> HeadOf(const Sight& sight) {
    if (sight.kind != Sight::Kind::kHostFile || sight.status.object.type != FileType::kRegular ||
        (sight.status.mode & kChangesIdentity) != 0 || !IsOwn(sight.status) ||
        !inside_.host.MayExecute(sight.path)) {
      return std::nullopt;
    }
    Result<std::string> head = inside_.host.ReadFile(sight.path, kProgramHeadBytes);
    return head ? std::optional(std::move(*head)) : std::nullopt;
  }

  // Whether it is for the shell's machine, and its loader starts as well.
  [[nodiscard]] bool IsElf(std::string_view head) {
    const std::optional<ElfHead> elf = ReadElfHead(head);
    if (!elf) return false;
    if (!machine_) machine_ = elf->machine;
    if (elf->machine != *machine_) return false;
    if (elf->loader.empty() || elf->loader == loader_) return true;
    const std::optional<std::string> loader = HeadOf(Look(elf->loader));
    const std::optional<ElfHead> inner = loader ? ReadElfHead(*loader) : std::nullopt;
    if (!inner || inner->machine != *machine_) return false;
    loader_ = elf->loader;
    return true;
  }

  [[nodiscard]] bool IsElfAt(std::string_view path) {
    const std::optional<std::string> head = HeadOf(Look(path));
    return head && IsElf(*head);
  }

  [[nodiscard]] bool StartsAt(const Sight& sight) {
    const std::optional<std::string> head = HeadOf(sight);
    if (!head) return false;
    const std::string interpreter = InterpreterOf(*head);
    return interpreter.empty() ? IsElf(*head) : IsElfAt(interpreter);
  }

  const Inside& inside_;
  bool root_;
  std::optional<std::uint16_t> machine_ = {};  // the shell's
  std::string loader_ = {};                    // that starts; nearly every program has the same
};

bool IsSmall(const std::vector<std::string>& words, const std::vector<Variable>& environment) {
  std::size_t bytes = 0;
  for (const std::string& word : words) bytes += word.size() + 1 + sizeof(char*);
  for (const Variable& variable : environment)
    bytes += variable.name.size() + variable.value.size() + 2 + sizeof(char*);
  return bytes <= kSmallBytes;
}

}  // namespace

std::vector<std::string> WithoutShell(const Inside& inside, const Process& process) {
  if (process.command_line.empty()) return {};
  std::vector<std::string> words = PlainCommand(process.command_line, process.environment);
  if (words.empty() || !IsSmall(words, process.environment)) return {};
  Judge judge(inside);
  if (!judge.KnowsShell() || !judge.Starts(process, words.front())) return {};
  return words;
}

}  // namespace mxc
