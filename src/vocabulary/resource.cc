#include "mxc/resource.h"

namespace mxc {
namespace {

std::string Megabytes(std::uint64_t bytes) { return std::to_string(bytes >> 20U) + " MiB"; }

// Thousandths as people write them: 1500 is "1.5".
std::string Decimal(std::uint64_t thousandths) {
  std::string text = std::to_string(thousandths / 1000);
  std::string fraction = std::to_string(1000 + thousandths % 1000).substr(1);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return fraction.empty() ? text : text + "." + fraction;
}

}  // namespace

std::string AmountText(const ResourceLimit& limit) {
  std::string number = std::to_string(limit.amount);
  switch (limit.resource) {
    case Resource::kMemory:
      return Megabytes(limit.amount) + " of memory";
    case Resource::kCpus:
      return Decimal(limit.amount) + " processors";
    case Resource::kProcesses:
      return number + " processes and threads";
    case Resource::kOpenFiles:
      return number + " open files in each process";
    case Resource::kTmp:
      return Megabytes(limit.amount) + " in /tmp";
    case Resource::kFileSize:
      return Megabytes(limit.amount) + " in each file";
    case Resource::kCpuTime:
      return number + " ms of processor time";
  }
  return number;
}

}  // namespace mxc
