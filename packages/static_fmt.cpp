// libfmt, for the program that is linked to no library: Debian has it as a shared one only, and its source as a header.
#include <fmt/format-inl.h>

namespace fmt::detail {
template FMT_API auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;
}  // namespace fmt::detail
