#include "policy/program_file.h"

#include <gtest/gtest.h>

#include <string>

#include "host/host.h"
#include "tests/unit/elf_text.h"

namespace mxc::program_file_test {
namespace {

std::string LoaderOf(const std::string& head) {
  const std::optional<ElfHead> elf = ReadElfHead(head);
  return elf ? "loader '" + elf->loader + "' machine " + std::to_string(elf->machine) : "no program";
}

TEST(ProgramFile, Elf) {
  EXPECT_EQ(LoaderOf(ElfText({.loader = "/lib64/ld.so"})), "loader '/lib64/ld.so' machine 62");
  EXPECT_EQ(LoaderOf(ElfText({.machine = 183, .type = 2})), "loader '' machine 183");
  EXPECT_EQ(LoaderOf(ElfText({.loader = "/ld", .loads = 4}) + std::string(9999, 'x')),
            "loader '/ld' machine 62");
}

TEST(ProgramFile, NoElfThatIsCertainToStart) {
  EXPECT_EQ(LoaderOf(""), "no program");
  EXPECT_EQ(LoaderOf("\177ELF\2\1\1"), "no program");
  EXPECT_EQ(LoaderOf(ElfText({.bits = 1})), "no program");
  EXPECT_EQ(LoaderOf(ElfText({.order = 2})), "no program");
  EXPECT_EQ(LoaderOf(ElfText({.type = 1})), "no program") << "an object file";
  EXPECT_EQ(LoaderOf(ElfText({.type = 4})), "no program") << "a core";
  EXPECT_EQ(LoaderOf(ElfText({.entry_bytes = 32})), "no program");
  EXPECT_EQ(LoaderOf(ElfText({.loads = 0})), "no program");
  EXPECT_EQ(LoaderOf(ElfText({.loader = "ld.so"})), "no program") << "not absolute";
}

// Whatever the numbers say, nothing is read that is not there.
TEST(ProgramFile, ElfWhoseNumbersLeadOutside) {
  const std::string good = ElfText({.loader = "/lib64/ld.so"});
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_EQ(LoaderOf(good.substr(0, size)), "no program") << size;
  const auto with = [&good](std::size_t at, std::size_t size, std::uint64_t number) {
    std::string bytes = good;
    SetNumber(bytes, at, size, number);
    return LoaderOf(bytes);
  };
  const std::size_t interpreter = kElfTable + 56;
  for (const std::uint64_t number :
       {~std::uint64_t{0}, ~std::uint64_t{0} - 7, std::uint64_t{1} << 63U, std::uint64_t{9999}}) {
    EXPECT_EQ(with(32, 8, number), "no program") << "table of segments";
    EXPECT_EQ(with(interpreter + 8, 8, number), "no program") << "loader";
    EXPECT_EQ(with(interpreter + 32, 8, number), "no program") << "its length";
  }
  EXPECT_EQ(with(56, 2, 0xffff), "no program") << "number of segments";
  EXPECT_EQ(with(interpreter + 32, 8, 1), "no program") << "nothing but the end";
  EXPECT_EQ(with(interpreter + 32, 8, 12), "no program") << "without its end";
  EXPECT_EQ(with(good.size() - 3, 1, 0), "no program") << "an end in the middle";
  EXPECT_EQ(with(kElfTable, 4, 3), "no program") << "two loaders, and nothing to load";
}

TEST(ProgramFile, Interpreters) {
  EXPECT_EQ(InterpreterOf("#!/bin/sh\n"), "/bin/sh");
  EXPECT_EQ(InterpreterOf("#! \t/usr/bin/env\tnode\nrest"), "/usr/bin/env");
  EXPECT_EQ(InterpreterOf("#!/bin/sh\r\n"), "/bin/sh\r") << "as the kernel reads it";
  EXPECT_EQ(InterpreterOf("#!/" + std::string(252, 'a') + "\n").size(), 253U);
  for (const std::string& text :
       {std::string(), std::string("#!"), std::string("#!\n"), std::string("#!  \n"), std::string("#!sh\n"),
        std::string("#!/bin/sh"), std::string(" #!/bin/sh\n"), std::string("echo\n"),
        std::string("#!/bin/s\0h\n", 11), "#!/" + std::string(253, 'a') + "\n"}) {
    EXPECT_EQ(InterpreterOf(text), "") << text;
  }
}

// The program that runs this test started.
TEST(ProgramFile, TheSystemsOwn) {
  const auto host = ThisHost();
  const Result<std::string> self = host->ReadFile("/proc/self/exe", kProgramHeadBytes);
  ASSERT_TRUE(self.ok());
  EXPECT_NE(LoaderOf(*self), "no program");
  const Result<std::string> shell = host->ReadFile("/bin/sh", kProgramHeadBytes);
  ASSERT_TRUE(shell.ok());
  EXPECT_EQ(LoaderOf(*self), LoaderOf(*shell));
}

}  // namespace
}  // namespace mxc::program_file_test
