#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "spawn/program_pages.h"

namespace mxc {
namespace {

// Only whole pages of segments that nobody can have written to, which would lose it.
int Release(dl_phdr_info* object, std::size_t /*size*/, void* page) {
  const auto mask = ~(*static_cast<const std::uintptr_t*>(page) - 1);
  for (std::size_t i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    const std::uintptr_t begin = (object->dlpi_addr + segment.p_vaddr) & mask;
    const std::uintptr_t end = (object->dlpi_addr + segment.p_vaddr + segment.p_memsz) & mask;
    if (begin < end)
      ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);  // NOLINT(*-int-to-ptr)
  }
  return 0;
}

}  // namespace

void ReleaseProgramPages() {
  auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  ::dl_iterate_phdr(Release, &page);
}

}  // namespace mxc
