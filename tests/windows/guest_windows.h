// What a command of the tests does: this same program, started with --guest.
#pragma once

#include <string>
#include <vector>

namespace mxc::test {

// "args A B": prints each on a line. "exit N". "copy": standard input to output. "sleep MS". "env NAME".
// "cwd". "late FILE MS": a grandchild makes the file after so many milliseconds, and this ends at once.
// "twice FILE1 FILE2 MS": writes one, and the other after so many milliseconds. "set NUMBER": the event of
// this handle. "pause MS": a mail address, with a silence before its @. "both": a word on each stream.
// "leak PROCESS MS": that process gets its standard output as well, as the handle that is printed, and it
// stays. "fill BYTES": so many bytes. "give FILE": gives a container access as the launcher would, makes the
// file and stays.
int RunGuest(const std::vector<std::string>& arguments);

// The command line of a guest, to be put behind `--`.
[[nodiscard]] std::vector<std::string> Guest(const std::vector<std::string>& arguments);

}  // namespace mxc::test
