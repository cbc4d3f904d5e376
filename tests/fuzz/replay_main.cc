// Stands in for libFuzzer where the fuzzers are built as ordinary tests: runs every file of the given
// folders, then mutations of them that are the same in every run.
//
//   fuzz_plan FOLDER...
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t kMutations = 4000;
constexpr std::size_t kMaxInput = 4096;

// xorshift64*: the same numbers on every machine.
class Dice {
 public:
  std::size_t Below(std::size_t limit) {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<std::size_t>((state_ * 0x2545f4914f6cdd1dULL) >> 33) % std::max<std::size_t>(limit, 1);
  }

 private:
  std::uint64_t state_ = 0x9e3779b97f4a7c15ULL;
};

using Input = std::string;

std::vector<Input> ReadFolders(int count, char** folders) {
  std::vector<std::filesystem::path> files;
  for (int i = 0; i < count; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(folders[i])) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Input> inputs = {""};
  for (const std::filesystem::path& file : files) {
    std::ifstream stream(file, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return inputs;
}

void MutateOnce(Input& input, const std::vector<Input>& inputs, Dice& dice) {
  const std::size_t at = dice.Below(input.size() + 1);
  switch (dice.Below(5)) {
    case 0:
      if (at < input.size()) input[at] = static_cast<char>(dice.Below(256));
      break;
    case 1:
      if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << dice.Below(8)));
      break;
    case 2:
      input.insert(at, 1 + dice.Below(8), static_cast<char>(dice.Below(256)));
      break;
    case 3:
      input.erase(at, 1 + dice.Below(8));
      break;
    default: {
      const Input& other = inputs[dice.Below(inputs.size())];
      const std::size_t from = dice.Below(other.size() + 1);
      input.insert(at, other, from, 1 + dice.Below(64));
    }
  }
}

void Run(const Input& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()),
                         std::min(input.size(), kMaxInput));
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<Input> inputs = ReadFolders(argc - 1, argv + 1);
  for (const Input& input : inputs) Run(input);
  Dice dice;
  for (std::size_t i = 0; i < kMutations; ++i) {
    Input input = inputs[dice.Below(inputs.size())];
    for (std::size_t count = 1 + dice.Below(8); count > 0; --count) MutateOnce(input, inputs, dice);
    Run(input);
  }
  std::printf("%zu files, %zu mutations\n", inputs.size() - 1, kMutations);
  return 0;
}
