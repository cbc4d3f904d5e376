// What the templates of the standard library ask its runtime for. With these the library needs libc alone:
// none of a newer glibc, and no thread-local state, whose destructor would run after the library is unloaded.
#include <cstdlib>
#include <new>

void* operator new(std::size_t size) {
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) std::abort();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

#ifdef _LIBCPP_VERSION
template class std::basic_string<char>;
#endif
#ifdef __GLIBCXX__
namespace std {
[[noreturn]] void __throw_length_error(const char* /*what*/) { std::abort(); }
[[noreturn]] void __throw_logic_error(const char* /*what*/) { std::abort(); }
[[noreturn]] void __throw_bad_alloc() { std::abort(); }
[[noreturn]] void __throw_bad_array_new_length() { std::abort(); }
[[noreturn]] void __throw_system_error(int /*number*/) { std::abort(); }
[[noreturn]] void __throw_out_of_range_fmt(const char* /*what*/, ...) { std::abort(); }
}  // namespace std
#endif
