// CSV: the first byte chooses options, the rest is the file. Read whole and in tiny pieces, the table is the same; it can
// be encoded (texts as dates, as yes and no, by their hash), and the encoding stored. How a number was written, with a decimal comma or marks
// between thousands, changes nothing else.
#include <algorithm>
#include <cstring>

#include "irn/data/csv.h"
#include "irn/data/encoded_samples.h"
#include "tests/fuzz/fuzz.h"

namespace irn::fuzz {
namespace {

bool same(const Frame& a, const Frame& b) {
  if (a.rows() != b.rows() || a.width() != b.width()) return false;
  for (std::size_t c = 0; c < a.width(); ++c)
    if (a.columns()[c].text != b.columns()[c].text || a.columns()[c].categories != b.columns()[c].categories)
      return false;
  for (std::size_t r = 0; r < a.rows(); ++r)
    if (a.place(r) != b.place(r) || std::memcmp(a.row(r).data(), b.row(r).data(), a.row(r).size_bytes()) != 0)
      return false;
  return true;
}

std::optional<Frame> read(std::string_view file, const CsvOptions& options, std::string& refusal) {
  static ThreadPool pool(1);
  MemorySource source("f", file);
  return attempt([&] { return read_csv(source, options, pool); }, refusal);
}

// Blocks may show in three ways only: a number beyond range is refused before its column turns out to hold text, the
// second row may be too far away to tell a header, and what is refused is called binary by its first block.
void require_same(const std::optional<Frame>& whole, const std::optional<Frame>& pieces,
                  const std::string& why_whole, const std::string& why_pieces, const CsvOptions& options) {
  if (options.header == HeaderLine::detect) return;
  if (why_pieces.find("is infinite") != why_pieces.npos || why_whole.find("is infinite") != why_whole.npos)
    return;
  require(whole.has_value() == pieces.has_value(), "pieces are refused if the whole is");
  if (whole) require(same(*whole, *pieces), "pieces give the table that the whole gives");
  const auto binary = [](const std::string& why) { return why.find("binary data") != why.npos; };
  if (!whole && !binary(why_whole) && !binary(why_pieces))
    require(why_whole == why_pieces, "pieces are refused for the reason the whole is");
}

// As the table's size has it, so that each comes up.
ManyTexts many_texts(const Frame& frame) {
  return {static_cast<ManyTexts::Kind>(frame.rows() % 3), 1 + frame.width() % 4};
}
std::vector<DatePart> date_parts(const Frame& frame) {
  if (frame.rows() % 2 == 0) return {};
  return {DatePart::days, DatePart::year, DatePart::month, DatePart::day, DatePart::weekday, DatePart::hour};
}

void encode(const Frame& frame, Missing missing) {
  std::string refusal;
  attempt(
      [&] {
        const Encoding encoding = fit_encoding(frame, {.targets = {frame.columns().back().name},
                                                       .missing = missing,
                                                       .unknown = Unknown::zeros,
                                                       .many_texts = many_texts(frame),
                                                       .date_parts = date_parts(frame),
                                                       .date_order = DateOrder::month_first});
        require(encoding_from_json_text(to_json_text(encoding)) == encoding, "an encoding can be stored");
        const EncodedSamples<float> samples(frame, encoding);
        std::vector<float> values(samples.inputs() + samples.targets());
        const std::uint64_t last = samples.size() - 1;
        samples.inputs_as_rows({&last, 1}, values.data());
        samples.targets_as_rows({&last, 1}, values.data() + samples.inputs());
        for (const float value : values) require(std::isfinite(value), "encoded values are finite");
        return 0;
      },
      refusal);
}

}  // namespace
}  // namespace irn::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace irn;
  if (size == 0) return 0;
  CsvOptions options{.header = static_cast<HeaderLine>(data[0] % 3), .delimiter = "\0,;\t|"[data[0] / 3 % 5]};
  options.decimal = ".,"[data[0] / 15 % 2];  // found out, it depends on how far the first block goes
  options.thousands = "\0' "[data[0] / 30 % 3];
  const std::string_view file = fuzz::text(data + 1, size - 1);
  std::string why_whole, why_pieces;
  const auto whole = fuzz::read(file, options, why_whole);
  options.block_bytes = std::max<std::size_t>(64, file.size() / 4 + 1);  // no row is longer than four blocks
  options.piece_bytes = 1 + data[0] / 15;
  const auto pieces = fuzz::read(file, options, why_pieces);
  fuzz::require_same(whole, pieces, why_whole, why_pieces, options);
  if (whole) {
    fuzz::require_sound(*whole);
    fuzz::encode(*whole, static_cast<Missing>(data[0] % 3));
  }
  return 0;
}
