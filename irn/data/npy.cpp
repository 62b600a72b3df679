#include "irn/data/npy.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <utility>
#include <vector>

#include "irn/base/text.h"
#include "irn/data/foreign-inl.h"
#include "irn/data/npy_header-inl.h"
#include "irn/data/zip.h"

namespace irn {
namespace {

struct Member {
  std::string name;
  std::unique_ptr<ByteSource> source;
  ArrayLayout layout;
};

std::string array_name(const ZipMember& member) {
  const std::string& name = member.name;
  return name.ends_with(".npy") ? name.substr(0, name.size() - 4) : name;
}

const ZipMember* find(std::span<const ZipMember> archive, std::string_view name) {
  const auto found =
      std::find_if(archive.begin(), archive.end(), [&](const auto& m) { return array_name(m) == name; });
  return found == archive.end() ? nullptr : &*found;
}

struct Chosen {
  const ZipMember* member;
  std::string name;  // for its columns
};

// x and y if there is an x, else everything.
std::vector<Chosen> usual_members(std::span<const ZipMember> archive) {
  std::vector<Chosen> chosen;
  for (const char* pair : {"xX", "yY"})
    for (const char letter : std::string_view(pair))
      if (const ZipMember* member = find(archive, {&letter, 1})) chosen.push_back({member, {letter}});
  if (!chosen.empty() && std::tolower(chosen.front().name.front()) == 'x') return chosen;
  chosen.clear();
  for (const ZipMember& member : archive) chosen.push_back({&member, array_name(member)});
  return chosen;
}

void refuse_documents(const ByteSource& source, std::span<const ZipMember> archive) {
  for (const ZipMember& member : archive) {
    if (member.name == "[Content_Types].xml")
      fail_foreign(source.name(), "an Excel workbook or another office document", save_the_sheet);
    if (member.name == "mimetype")
      fail_foreign(source.name(), "an OpenDocument spreadsheet or another document", save_the_sheet);
  }
}

std::vector<Chosen> choose(const ByteSource& source, std::span<const ZipMember> archive,
                           std::span<const std::string> names) {
  if (archive.empty()) throw DataError(source.name() + ": an archive without arrays");
  refuse_documents(source, archive);
  if (names.empty()) return usual_members(archive);
  std::vector<std::string> known;
  for (const ZipMember& member : archive) known.push_back(array_name(member));
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  std::vector<Chosen> chosen;
  for (const std::string& name : names) {
    // An array's name may contain '='.
    const std::size_t equals = find(archive, name) ? name.npos : name.find('=');
    const std::string wanted = equals == name.npos ? name : name.substr(equals + 1);
    chosen.push_back({find(archive, wanted), name.substr(0, equals)});
    if (chosen.back().member == nullptr)
      throw DataError(source.name() + ": " + unknown_name("array", wanted, candidates), "arrays");
    if (chosen.back().name.empty())
      throw DataError(source.name() + ": \"" + name + "\" gives the array no name", "arrays");
  }
  return chosen;
}

void check_rows(const ByteSource& source, std::span<const Member> members) {
  const auto other = std::find_if(members.begin(), members.end(), [&](const Member& member) {
    return member.layout.rows() != members.front().layout.rows();
  });
  if (other == members.end()) return;
  std::string list;
  for (const Member& member : members)
    list += (list.empty() ? "" : ", ") + member.name + " (" + std::to_string(member.layout.rows()) + ")";
  throw DataError(source.name() + ": arrays of different numbers of rows: " + list + "; name those to read",
                  "arrays");
}

std::vector<FrameColumn> marked(std::vector<FrameColumn> columns, std::span<const std::string> exact) {
  for (FrameColumn& column : columns)
    column.exact = std::find(exact.begin(), exact.end(), column.name) != exact.end();
  return columns;
}

}  // namespace

Frame read_npy(ByteSource& source, std::span<const std::string> exact) {
  const ArrayLayout layout = read_npy_header(source);
  Frame frame(source.name(), marked(array_columns("x", layout), exact));
  note_images(frame, layout, 0);
  read_array(source, layout, frame, 0);
  return frame;
}

Frame read_npz(ByteSource& source, std::span<const std::string> names, std::span<const std::string> exact) {
  const std::vector<ZipMember> archive = list_zip(source);
  std::vector<Member> members;
  std::vector<FrameColumn> columns;
  for (const Chosen& each : choose(source, archive, names)) {
    std::unique_ptr<ByteSource> bytes = open_member(source, *each.member);
    const ArrayLayout layout = read_npy_header(*bytes);
    for (FrameColumn& column : array_columns(each.name, layout)) columns.push_back(std::move(column));
    members.push_back({each.name, std::move(bytes), layout});
    if (columns.size() > max_frame_columns) break;  // the frame will refuse them
  }
  check_rows(source, members);
  Frame frame(source.name(), marked(std::move(columns), exact));
  std::size_t first = 0;
  const bool one_of_images = std::count_if(members.begin(), members.end(), [](const Member& member) {
                               return member.layout.images().has_value();
                             }) == 1;  // with two arrays of images a row is neither
  for (const Member& member : members) {
    if (one_of_images) note_images(frame, member.layout, first);
    read_array(*member.source, member.layout, frame, first);
    first += member.layout.columns();
  }
  return frame;
}

}  // namespace irn
