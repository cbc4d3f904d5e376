#!/bin/sh
# generate_launch_order lists what a program and its children enter, in that order, and nothing else: launch_order_test.sh
set -eu
cd "$(dirname "$0")/.."
if test "$(uname -m)" != x86_64; then
  echo "SKIPPED: the release is ordered on x86-64 alone"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/program.cc" <<'PROGRAM'
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
extern "C" {
void Unused() { ::write(1, "", 0); }
void InChild() { ::_exit(7); }
void OnSignal(int /*signal*/) {}
void First() { ::signal(SIGUSR1, OnSignal); }
void Last(int status) { ::_exit(WEXITSTATUS(status) == 7 ? 0 : 1); }
}
int main(int argc, char**) {
  First();
  ::raise(SIGUSR1);
  if (argc > 2) Unused();
  int status = 0;
  if (::fork() == 0) InChild();
  ::wait(&status);
  Last(status);
}
PROGRAM
c++ -w -O0 -static -o "$work/program" "$work/program.cc"
c++ -std=c++20 -o "$work/generate" src/launch_order/generate_launch_order.cc
"$work/generate" "$work/program" "$work/script" config
found=$(sed -n 's/^ *\*(\.text\.\(First\|OnSignal\|InChild\|Last\|Unused\))$/\1/p' "$work/script" | tr '\n' ' ')
test "$found" = "First OnSignal InChild Last " || {
  echo "the script has: $found"
  exit 1
}
# It is one that the linker takes, and the program is in that order by it.
c++ -w -O0 -static -ffunction-sections -Wl,-T,"$work/script" -o "$work/ordered" "$work/program.cc"
"$work/ordered" config
test "$(nm "$work/ordered" | sed -n 's/^0*\([0-9a-f]*\) T \(First\|OnSignal\|InChild\|Last\)$/\1 \2/p' | sort | cut -d' ' -f2 | tr '\n' ' ')" = "$found"
