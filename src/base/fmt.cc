// The functions of fmt, compiled once: Debian's own library of them is for its own compiler's standard
// library alone.
#include <fmt/format-inl.h>

namespace fmt::detail {

// The header declares these as compiled elsewhere.
template FMT_API thousands_sep_result<char> thousands_sep_impl<char>(locale_ref);
template FMT_API char decimal_point_impl<char>(locale_ref);
template FMT_API std::locale locale_ref::get<std::locale>() const;
template FMT_API locale_ref::locale_ref(const std::locale&);

}  // namespace fmt::detail
