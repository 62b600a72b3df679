#include "irn/data/npy.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <utility>
#include <vector>

#include "irn/base/text.h"
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

// x and y if there is an x, else everything.
std::vector<const ZipMember*> usual_members(std::span<const ZipMember> archive) {
  std::vector<const ZipMember*> chosen;
  for (const char* pair : {"xX", "yY"})
    for (const char letter : std::string_view(pair))
      if (const ZipMember* member = find(archive, {&letter, 1})) chosen.push_back(member);
  if (!chosen.empty() && std::tolower(chosen.front()->name.front()) == 'x') return chosen;
  chosen.clear();
  for (const ZipMember& member : archive) chosen.push_back(&member);
  return chosen;
}

std::vector<const ZipMember*> choose(const ByteSource& source, std::span<const ZipMember> archive,
                                     std::span<const std::string> names) {
  if (archive.empty()) throw DataError(source.name() + ": an archive without arrays");
  if (names.empty()) return usual_members(archive);
  std::vector<std::string> known;
  for (const ZipMember& member : archive) known.push_back(array_name(member));
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  std::vector<const ZipMember*> chosen;
  for (const std::string& name : names) {
    chosen.push_back(find(archive, name));
    if (chosen.back() == nullptr)
      throw DataError(source.name() + ": " + unknown_name("array", name, candidates));
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
  throw DataError(source.name() + ": arrays of different numbers of rows: " + list + "; name those to read");
}

}  // namespace

Frame read_npy(ByteSource& source) {
  const ArrayLayout layout = read_npy_header(source);
  Frame frame(source.name(), array_columns("x", layout));
  read_array(source, layout, frame, 0);
  return frame;
}

Frame read_npz(ByteSource& source, std::span<const std::string> names) {
  const std::vector<ZipMember> archive = list_zip(source);
  std::vector<Member> members;
  std::vector<FrameColumn> columns;
  for (const ZipMember* member : choose(source, archive, names)) {
    std::unique_ptr<ByteSource> bytes = open_member(source, *member);
    const ArrayLayout layout = read_npy_header(*bytes);
    for (FrameColumn& column : array_columns(array_name(*member), layout))
      columns.push_back(std::move(column));
    members.push_back({array_name(*member), std::move(bytes), layout});
    if (columns.size() > max_frame_columns) break;  // the frame will refuse them
  }
  check_rows(source, members);
  Frame frame(source.name(), std::move(columns));
  std::size_t first = 0;
  for (const Member& member : members) {
    read_array(*member.source, member.layout, frame, first);
    first += member.layout.columns();
  }
  return frame;
}

}  // namespace irn
