#include "irn/data/npy_header-inl.h"

#include <charconv>
#include <map>
#include <optional>
#include <string_view>

#include "irn/data/header_numbers-inl.h"

namespace irn {
namespace {

[[noreturn]] void fail(const ByteSource& source, const std::string& what) {
  throw DataError(source.name() + ": " + what + "; save it again with numpy.save");
}

// Python's literals, as far as the header needs them.
class Literals {
 public:
  Literals(const ByteSource& source, std::string_view text) : source_(source), rest_(text) {}

  bool take(char c) {
    skip_blanks();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(source_, std::string("the NPY header lacks a '") + c + "'");
  }
  std::string_view string() {
    skip_blanks();
    const char quote = rest_.starts_with('"') ? '"' : '\'';
    if (rest_.starts_with('['))
      fail(source_, "records (structured arrays) cannot be read; save one array a field");
    expect(quote);
    const std::size_t end = rest_.find(quote);
    if (end == rest_.npos) fail(source_, "a text in the NPY header does not end");
    return front(end, 1);
  }
  bool boolean() {
    skip_blanks();
    const bool value = rest_.starts_with("True");
    if (!value && !rest_.starts_with("False")) fail(source_, "the NPY header lacks True or False");
    front(value ? 4 : 5, 0);
    return value;
  }
  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> values;
    expect('(');
    while (!take(')')) {
      values.push_back(integer());
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return values;
  }

 private:
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n\t\r"), rest_.size())); }
  std::string_view front(std::size_t size, std::size_t behind) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size + behind);
    return taken;
  }
  std::uint64_t integer() {
    skip_blanks();
    std::uint64_t value = 0;
    const auto [end, code] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (code != std::errc()) fail(source_, "the shape in the NPY header is no list of sizes");
    front(static_cast<std::size_t>(end - rest_.data()), 0);
    return value;
  }

  const ByteSource& source_;
  std::string_view rest_;
};

void set_type(const ByteSource& source, std::string_view descr, ArrayLayout& layout) {
  static const std::map<std::string_view, ArrayItem> items = {
      {"i1", ArrayItem::i1}, {"i2", ArrayItem::i2}, {"i4", ArrayItem::i4}, {"i8", ArrayItem::i8},
      {"u1", ArrayItem::u1}, {"u2", ArrayItem::u2}, {"u4", ArrayItem::u4}, {"u8", ArrayItem::u8},
      {"f2", ArrayItem::f2}, {"f4", ArrayItem::f4}, {"f8", ArrayItem::f8}, {"b1", ArrayItem::u1}};
  const std::size_t order = descr.find_first_of("<>|=");
  const auto found = items.find(descr.substr(order == 0 ? 1 : 0));
  if (found == items.end())
    throw DataError(source.name() + ": the type '" + std::string(descr.substr(0, 40)) +
                    "' cannot be read; convert the array with .astype('f4')");
  layout.item = found->second;
  layout.big_endian = descr.starts_with('>');
}

ArrayLayout parse(const ByteSource& source, std::string_view text) {
  ArrayLayout layout;
  Literals literals(source, text);
  std::optional<std::string_view> descr;
  bool order = false, shape = false;
  literals.expect('{');
  while (!literals.take('}')) {
    const std::string_view key = literals.string();
    literals.expect(':');
    if (key == "descr") {
      descr = literals.string();
    } else if (key == "fortran_order") {
      layout.column_major = literals.boolean();
      order = true;
    } else if (key == "shape") {
      layout.shape = literals.tuple();
      shape = true;
    } else {
      fail(source, "the NPY header has an unknown key '" + std::string(key.substr(0, 40)) + "'");
    }
    literals.take(',');
  }
  if (!descr || !order || !shape) fail(source, "the NPY header lacks descr, fortran_order or shape");
  set_type(source, *descr, layout);
  return layout;
}

}  // namespace

ArrayLayout read_npy_header(ByteSource& source) {
  std::string start(8, '\0');
  read_exactly(source, start.data(), start.size());
  if (!start.starts_with("\x93NUMPY"))
    throw DataError(source.name() + ": not an NPY file, so the archive is no NPZ; unpack it first");
  const int version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3) fail(source, "version " + std::to_string(version) + " of NPY is not known");
  std::string length(version == 1 ? 2 : 4, '\0');
  read_exactly(source, length.data(), length.size());
  const std::uint64_t size = little_endian(length, 0, length.size());
  constexpr std::uint64_t longest = 1 << 16;  // the limit of version 1; arrays of numbers need no more
  if (size > longest) fail(source, "an NPY header of " + std::to_string(size) + " bytes");
  std::string text(static_cast<std::size_t>(size), '\0');
  read_exactly(source, text.data(), text.size());
  ArrayLayout layout = parse(source, text);
  layout.header_bytes = start.size() + length.size() + text.size();
  check_array(source, layout);
  return layout;
}

}  // namespace irn
