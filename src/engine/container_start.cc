// The launcher's side of a container: lxc-start creates it and runs this program as its process 1.
//
// The container inherits lxc-start's descriptors. So configuration, program and orders are passed by number:
// none has a name that could be replaced, and no secret is in an argument. The command's streams are
// connected only inside, so that LXC's own messages do not reach them.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/lists.h"
#include "base/own_files.h"
#include "base/peer.h"
#include "base/process_tree.h"
#include "base/runtime_directory.h"
#include "engine/container_init.h"
#include "engine/container_order.h"
#include "engine/report.h"
#include "engine/start.h"
#include "spawn/descriptor_limit.h"
#include "spawn/inherited_files.h"
#include "spawn/spawn.h"

namespace mxc {
namespace {

using engine::ContainerOrder;
using engine::Program;

constexpr std::size_t kOwnFiles = 13;  // of ours and the standard streams; groups come on top

// Descriptors for the container, each at the number it will have there.
class Luggage {
 public:
  explicit Luggage(int lowest) : lowest_(lowest) {}

  // A copy of a borrowed descriptor; -1 stays -1.
  [[nodiscard]] int Add(int fd) {
    if (fd < 0) return -1;
    UniqueFd copy{::fcntl(fd, F_DUPFD_CLOEXEC, lowest_)};
    failed_ = failed_ || !copy;
    files_.push_back(std::move(copy));
    return files_.back().Get();
  }
  [[nodiscard]] bool Failed() const { return failed_; }
  [[nodiscard]] const std::vector<UniqueFd>& Files() const { return files_; }

 private:
  int lowest_;
  bool failed_ = false;
  std::vector<UniqueFd> files_ = {};
};

// A private directory for LXC's locks and for its container path: LXC would read a configuration there, so
// nobody else may write to it. LXC creates its own directory of locks below.
Result<std::string> LxcDirectory() {
  Result<RuntimeDirectory> runtime = RuntimeDirectory::Open();
  if (!runtime) return runtime.error();
  const Result<UniqueFd> made = runtime->MakeBelow(kLxcBelow + 1);
  if (!made) return made.error();
  return runtime->path + kLxcBelow;
}

// ---- what LXC says ---------------------------------------------------------------------------------------

// Messages that LXC also writes for containers that it starts.
constexpr std::string_view kAlwaysSaid[] = {"Failed to drop supplimentary groups", "(proc)"};

// "lxc-start: NAME: ../src/lxc/conf.c: lxc_setup: 4419 Failed to setup" -> "Failed to setup"
std::string_view TextOf(std::string_view line) {
  const std::size_t colon = line.rfind(": ");
  if (colon != std::string_view::npos) line.remove_prefix(colon + 2);
  line.remove_prefix(std::min(line.find_first_not_of("0123456789 "), line.size()));
  return line;
}

std::string Contents(const UniqueFd& log) {
  std::string text(8192, '\0');
  const ssize_t count = ::pread(log.Get(), text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return text;
}

// LXC's child wrongly frees libcap's memory if its uid map is written between its getuid and geteuid (lxc/lxc
// issue 4670): it then aborts, before there is a container.
constexpr std::string_view kAborted = "free(): invalid pointer";
constexpr int kAttempts = 5;

// The first line; the following ones are consequences.
std::string FirstComplaint(std::string_view rest) {
  while (!rest.empty()) {
    const std::string_view line = TakePiece(rest, '\n');
    const bool usual =
        std::any_of(std::begin(kAlwaysSaid), std::end(kAlwaysSaid),
                    [line](std::string_view text) { return line.find(text) != std::string_view::npos; });
    if (!usual && !TextOf(line).empty()) return std::string(TextOf(line));
  }
  return {};
}

// Any user can be the first to take the name of a socket that LXC would listen at.
Error NameTaken(const std::string& name, const std::string& directory) {
  const std::string socket = LxcCommandSocket(directory, name);
  if (IsListenedOutsideSandboxes(socket)) {
    return Conflict("a container with the name '" + name + "' is running", "/containerId",
                    "wait for its end, or leave the name out");
  }
  const std::optional<uid_t> owner = ListenerAt(socket);
  return Conflict(
      "the name '" + name + "' is taken: a process" + (owner ? " of uid " + std::to_string(*owner) : "") +
          ", which is no container of yours, has LXC's socket '@" + socket + "'",
      "/containerId", "use another name, or none; root can find that process with `ss -xp` and end it");
}

Error NotStarted(std::string_view log, const std::string& name, const std::string& directory) {
  const std::string text = FirstComplaint(log);
  if (text.find("already running") != std::string::npos) return NameTaken(name, directory);
  return SetupFailed("LXC could not make the container: " + (text.empty() ? "it does not say why" : text),
                     "run `mxc-exec --probe`; `lxc-checkconfig` says what this kernel lacks");
}

// ---- the start -------------------------------------------------------------------------------------------

void FillOutside(ContainerOrder& order) {
  for (std::size_t i = 0; i < engine::kOwnNamespaces.size(); ++i) {
    order.outside.at(i) = engine::OwnNamespace(engine::kOwnNamespaces.at(i)).value_or(engine::NamespaceId{});
  }
}

// The container's process 1 is root of the user namespace that LXC makes, and maps itself back.
std::string MapFromRoot(unsigned id) { return std::to_string(id) + " 0 1\n"; }

// First adds every descriptor that the order names to the luggage.
Result<ContainerOrder> PrepareOrder(const SandboxRequest& inside, int report, const Discard& discard,
                                    Luggage& luggage) {
  ContainerOrder order;
  if (Status prepared = engine::Prepare(inside, order.program); !prepared) return prepared.error();
  Program& program = order.program;
  program.uid_map = MapFromRoot(::geteuid());
  program.gid_map = MapFromRoot(::getegid());
  program.report = luggage.Add(report);
  for (std::size_t i = 0; i < program.standard.size(); ++i) {
    int& stream = program.standard.at(i);
    stream = luggage.Add(stream >= 0 ? stream : static_cast<int>(i));
  }
  program.controlling_terminal = luggage.Add(program.controlling_terminal);
  program.gateway_handover = luggage.Add(program.gateway_handover);
  program.session = luggage.Add(program.session);
  program.watch_socket = luggage.Add(program.watch_socket);
  program.discard_sender = luggage.Add(discard.sender.Get());
  program.discard_queue = luggage.Add(discard.queue.Get());
  for (int& entrance : program.group_entrances) entrance = luggage.Add(entrance);
  const Result<std::vector<UniqueFd>> trees = engine::CloneAhead(program);
  if (!trees) return trees.error();
  for (engine::MountAction& action : program.mounts) action.tree = luggage.Add(action.tree);
  order.seccomp = inside.sandbox.seccomp;
  order.publishes = inside.egress != nullptr && !inside.egress->publish.empty();
  const std::span<const std::uint8_t> steering = order.program.inside.rules.Bytes();
  order.steering.assign(steering.begin(), steering.end());
  order.steering_awaited = order.program.inside.rules.Awaited();
  FillOutside(order);
  return order;
}

std::string PathOf(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

Exec CommandFor(const LxcLaunch& container, const std::string& name, const std::string& directory) {
  Exec exec{.program = container.program, .sha256 = container.sha256};
  exec.argv = {std::string("lxc-start"), std::string("-F"), std::string("-n"), name,
               std::string("-P"),        directory};
  // No set-uid newuidmap on its PATH: the kernel lets everybody write this map, and that program needs an
  // entry in /etc/passwd. The directory is for an ordinary user's locks; root's are in /run/lxc.
  exec.environment = {{.name = "PATH", .value = Secret{directory}},
                      {.name = "XDG_RUNTIME_DIR", .value = Secret{directory}}};
  exec.new_session = true;
  return exec;
}

Result<SandboxProcess> StartOnce(const ContainerRequest& request, bool& aborted) {
  const Result<std::string> directory = LxcDirectory();
  if (!directory) return directory.error();
  // LXC asks whoever listens there, and waits for an answer.
  const std::string& wanted = request.container.name;
  if (!wanted.empty() && IsNameBound(LxcCommandSocket(*directory, wanted)))
    return NameTaken(wanted, *directory);
  const Groups& groups = request.inside.groups;
  Result<DescriptorLimit> limit = DescriptorLimit::Reserve(kOwnFiles + groups.entrances.size());
  if (!limit) return limit.error();
  Luggage luggage(limit->Lowest());
  Result<engine::ReportPipe> pipe = engine::ReportPipe::Make();
  if (!pipe) return pipe.error();
  Discard discard = Discard::Make();
  Result<ContainerOrder> order = PrepareOrder(request.inside, pipe->writer.Get(), discard, luggage);
  if (!order) return order.error();
  pipe->writer.Reset();

  const Result<UniqueFd> orders = SealedFile("mxc-orders", engine::Pack(*order));
  if (!orders) return orders.error();
  const Result<UniqueFd> configuration = SealedFile("mxc-lxc", request.container.configuration);
  if (!configuration) return configuration.error();
  const UniqueFd self{::open("/proc/self/exe", O_PATH | O_CLOEXEC)};
  const UniqueFd null{::open("/dev/null", O_RDWR | O_CLOEXEC)};
  const UniqueFd log{::memfd_create("mxc-lxc-log", MFD_CLOEXEC)};
  const std::string name = wanted.empty() ? "mxc-" + RandomName() : wanted;
  Exec exec = CommandFor(request.container, name, *directory);
  for (const std::string& word : {std::string("-f"), PathOf(luggage.Add(configuration->Get())),
                                  std::string("--"), PathOf(luggage.Add(self.Get())),
                                  std::string(kContainerInit), std::to_string(luggage.Add(orders->Get()))}) {
    exec.argv.emplace_back(word);
  }
  if (luggage.Failed() || !self || !null || !log)
    return SystemError(ErrorCode::kSetupFailed, "prepare the container's descriptors", errno);

  Result<ProcessGroupGuard> guard = ProcessGroupGuard::Start(request.inside.streams.cleanup_process);
  if (!guard) return guard.error();
  Result<ChildProcess> child = Spawn({.exec = exec,
                                      .files = luggage.Files(),
                                      .open_files = limit->Original(),
                                      .standard = {null.Get(), log.Get(), log.Get()},
                                      .group = guard->Group(),
                                      .without_control_groups = true});
  if (!child) return child.error();
  SandboxProcess process{.id = child->id,
                         .handle = std::move(child->handle),
                         .report = std::move(pipe->reader),
                         .discard = std::move(discard),
                         .guard = std::move(*guard)};
  const Streams& streams = request.inside.streams;
  if (streams.on_created) streams.on_created(process.id);
  luggage = Luggage(0);  // ours would keep the pipe open
  const auto ended_early = [&](int /*status*/) {
    const std::string said = Contents(log);
    aborted = said.find(kAborted) != std::string::npos;
    return NotStarted(said, name, *directory);
  };
  Result<SandboxProcess> started =
      engine::AwaitStart(std::move(process), streams, order->program, ended_early);
  if (started) started->container = OnlyChildOf(started->id);
  if (started && streams.on_created && started->container > 0) streams.on_created(started->container);
  return started;
}

}  // namespace

// As LXC names it (src/lxc/commands_utils.c): a name that is too long is hashed (FNV-1a).
std::string LxcCommandSocket(const std::string& place, const std::string& name) {
  constexpr std::size_t kLongest = 105;
  const std::string path = place + "/" + name;
  std::string socket = path + "/command";
  if (socket.size() <= kLongest) return socket;
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : path) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return fmt::format("lxc/{:016x}/command", hash);
}

Result<SandboxProcess> StartContainer(const ContainerRequest& request) {
  for (int attempt = 1;; ++attempt) {
    bool aborted = false;
    Result<SandboxProcess> started = StartOnce(request, aborted);
    if (!aborted || attempt == kAttempts) return started;
  }
}

}  // namespace mxc
