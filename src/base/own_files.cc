#include "base/own_files.h"

#include <filesystem>
#include <system_error>

namespace mxc {
namespace {

namespace fs = std::filesystem;

fs::path PathOf(const std::string& text) { return {std::u8string(text.begin(), text.end())}; }

fs::path DirectoryOf(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : "."; }

}  // namespace

bool LeadToOneFile(const std::string& left, const std::string& right) {
  const fs::path one = PathOf(left);
  const fs::path other = PathOf(right);
  std::error_code problem;
  if (fs::exists(one, problem) || fs::exists(other, problem))
    return fs::is_regular_file(one, problem) && fs::equivalent(one, other, problem);
  return one.filename() == other.filename() && fs::equivalent(DirectoryOf(one), DirectoryOf(other), problem);
}

}  // namespace mxc
