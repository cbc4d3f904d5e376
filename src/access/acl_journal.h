// What a run changes in access control lists and beside them, written down before it is changed, so that a
// later start can take it back when the run could not.
//
//   AclJournal journal{store, header, write, undoing};  // one file for each run
//   journal.Apply(change);                              // on disk, then in the list
//   journal.Undo();                                     // in reverse; what could not be undone stays written
//
// The file is text: a line for the run, then one for each list before its first change, one before the first
// grant by bfscfg.exe, and one before the exemption for the loopback. A line that was cut off belongs to a
// change that was not made.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "access/acl.h"
#include "mxc/error.h"

namespace mxc {

// Whose run it is. A process is told apart from a later one of the same number by when it was created.
struct AclRun {
  std::int64_t process = 0;
  std::uint64_t created = 0;  // as the system counts
  std::string sid = {};       // as bytes
  std::string profile = {};   // to be deleted; empty: it stays

  bool operator==(const AclRun& other) const = default;
};

struct AclRecord {
  std::string path = {};
  Acl before = {};  // own entries of the identity before the run; mostly none

  bool operator==(const AclRecord& other) const = default;
};

struct WrittenRun {
  AclRun run = {};
  std::vector<AclRecord> records = {};
  std::string bfs = {};    // the container that bfscfg.exe was to grant files; empty: none
  bool exemption = false;  // the container was to reach the loopback
};

// How that is taken away which stands in no list.
struct Undoing {
  std::function<Status(const std::string& container)> clear_bfs = nullptr;
  std::function<Status(std::string_view sid)> end_exemption = nullptr;
};

[[nodiscard]] std::string LineOf(const AclRun& run);
[[nodiscard]] std::string LineOf(const AclRecord& record);
[[nodiscard]] std::string LineOfBfs(const std::string& container);
[[nodiscard]] std::string LineOfExemption();
// None: not such a file.
[[nodiscard]] std::optional<WrittenRun> ReadJournal(std::string_view text);

// Ends the exemption, takes the grants of bfscfg.exe away, then puts every list of `records` back, the last
// first; an object that has gone needs nothing. Returns the lists that could not be put back, and the reason
// of whatever failed last.
struct Unrestored {
  std::vector<AclRecord> records = {};
  std::optional<Error> reason = {};
};
[[nodiscard]] Unrestored PutBack(const WrittenRun& run, AclStore& store, const Undoing& undoing = {});

class AclJournal {
 public:
  // Writes a line and returns when it is on disk.
  using Write = std::function<Status(const std::string& line)>;

  AclJournal(AclStore& store, AclRun run, Write write, Undoing undoing = {})
      : store_(store),
        written_{.run = std::move(run)},
        write_(std::move(write)),
        undoing_(std::move(undoing)) {}

  [[nodiscard]] Status Begin() { return write_(LineOf(written_.run)); }
  // Errors: kSetupFailed, also for an object that is not there. What was done before stands until Undo.
  [[nodiscard]] Status Apply(const AclChange& change);
  // What follows lets bfscfg.exe grant files to a container.
  [[nodiscard]] Status BeginBfs(const std::string& container);
  // What follows lets the container reach the loopback.
  [[nodiscard]] Status BeginExemption();
  void KeepBfs() { written_.bfs.clear(); }
  [[nodiscard]] Unrestored Undo();

 private:
  AclStore& store_;
  WrittenRun written_;
  Write write_;
  Undoing undoing_;
};

}  // namespace mxc
