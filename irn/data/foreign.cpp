#include "irn/data/foreign-inl.h"

#include <cctype>

#include "irn/data/frame.h"
#include "irn/data/read_table.h"

namespace irn {
namespace {

// The beginning of a source, without a UTF-8 byte order mark. It asks for no more than is looked at. Zeros
// behind the end.
class Beginning {
 public:
  explicit Beginning(ByteSource& source) : source_(source) {
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    if (is(mark)) first_ = mark.size();
  }

  char operator[](std::size_t i) { return ends_before(i) ? '\0' : text_[first_ + i]; }
  bool ends_before(std::size_t i) {
    // Then always twice as many, so that long comments take little time.
    constexpr std::size_t one_by_one = 64;
    const std::size_t at = first_ + i;
    if (at >= text_.size() && !ended_) {
      const std::size_t size = at < one_by_one ? at + 1 : 2 * at;
      text_ = peek(source_, size);
      ended_ = text_.size() < size;
    }
    return at >= text_.size();
  }
  bool is(std::string_view bytes, std::size_t from = 0) {
    for (std::size_t i = 0; i < bytes.size(); ++i)
      if (ends_before(from + i) || (*this)[from + i] != bytes[i]) return false;
    return true;
  }
  bool blank(std::size_t i) { return std::isspace(static_cast<unsigned char>((*this)[i])) != 0; }
  std::size_t behind_blanks(std::size_t i) {
    while (i < limit && blank(i)) ++i;
    return i;
  }

  static constexpr std::size_t limit = 1 << 16;

 private:
  ByteSource& source_;
  std::size_t first_ = 0;
  std::string text_;
  bool ended_ = false;
};

// ARFF may begin with comments, lines that begin with %.
bool is_arff(Beginning& text) {
  std::size_t i = text.behind_blanks(0);
  while (text[i] == '%' && i < Beginning::limit) {
    while (text[i] != '\n' && text[i] != '\0' && i < Beginning::limit) ++i;
    i = text.behind_blanks(i);
  }
  for (const char c : std::string_view("@relation"))
    if (std::tolower(static_cast<unsigned char>(text[i++])) != c) return false;
  return text.blank(i);
}

// {} is an object if nothing or another { follows: otherwise it may be the name of a CSV column.
bool is_json_object(Beginning& text, std::size_t first) {
  std::size_t next = text.behind_blanks(first + 1);
  if (text[next] != '}') return text[next] == '"' || text.is("{\n", first);
  next = text.behind_blanks(next + 1);
  return text.ends_before(next) || text[next] == '{';
}

// A CSV column may be called "[name]", so what follows the first bracket decides.
bool is_json(Beginning& text) {
  const std::size_t first = text.behind_blanks(0);
  if (text[first] == '{') return is_json_object(text, first);
  if (text[first] != '[') return false;
  const std::size_t next = text.behind_blanks(first + 1);
  return text[next] == '{' || text[next] == '[' || text.is("[\n", first) || text.is("[\r\n", first);
}

// The digit is one of nine levels of compression.
bool is_bzip2(Beginning& text) {
  return text.is("BZh") && text[3] >= '1' && text[3] <= '9' && text.is("1AY&SY", 4);
}

// The length of its header in eight bytes, the last five of which are zero below 16 MB, and then the header, which is
// JSON. Behind the end of a line nothing is asked for: a pipe may have no more yet.
bool is_safetensors(Beginning& text) {
  for (std::size_t i = 0; i < 3; ++i)
    if (text[i] == '\n') return false;
  return text.is({"\0\0\0\0\0{\"", 7}, 3);
}

struct Foreign {
  std::string_view begins, what;
  std::string_view pandas = {};  // the function of pandas that reads it; empty: see `advice`
  std::string_view advice = {};
};

constexpr std::string_view with_h5py =
                               "Convert it in Python: numpy.save(\"x.npy\", h5py.File(FILE)[NAME][:])",
                           with_scipy =
                               "Convert it in Python: numpy.save(\"x.npy\", scipy.io.loadmat(FILE)[NAME]); "
                               "or in MATLAB: writematrix(x, \"x.csv\")",
                           with_r = "Convert it in R: write.csv(x, \"x.csv\", row.names = FALSE)",
                           as_array = "Put the pictures into one array, n x height x width, with numpy.save",
                           save_its_table = "Save its table as CSV";

constexpr Foreign foreign[] = {
    {"PAR1\x15", "a Parquet file", "read_parquet"},
    {{"ARROW1\0\0", 8}, "an Arrow (Feather) file", "read_feather"},
    {{"FEA1\0", 5}, "a Feather file", "read_feather"},
    {{"\xFF\xFF\xFF\xFF", 4},
     "an Arrow stream, or other binary data",
     {},
     "Convert it in Python: pyarrow.ipc.open_stream(FILE).read_pandas().to_csv(\"table.csv\", index=False)"},
    {"\x89HDF\r\n", "an HDF5 file", {}, with_h5py},
    {"MATLAB 7.3 MAT-file", "a MATLAB file (HDF5)", {}, with_h5py},
    {"MATLAB 5.0 MAT-file", "a MATLAB file", {}, with_scipy},
    {"$FL2@(#)", "an SPSS file", "read_spss"},
    {"$FL3@(#)", "an SPSS file", "read_spss"},
    {"<stata_dta>", "a Stata file", "read_stata"},
    {"HEADER RECORD*******LIB", "a SAS file", "read_sas"},
    {{"\0\0\0\0\0\0\0\0\0\0\0\0\xC2\xEA\x81\x60", 16}, "a SAS file", "read_sas"},
    {"RDX2\n", "a file of R", {}, with_r},
    {"RDX3\n", "a file of R", {}, with_r},
    {{"X\n\0\0\0", 5}, "a file of R", {}, with_r},
    {"\x80\x02", "a pickle of Python", "read_pickle"},
    {"\x80\x03", "a pickle of Python", "read_pickle"},
    {"\x80\x04\x95", "a pickle of Python", "read_pickle"},
    {"\x80\x05\x95", "a pickle of Python", "read_pickle"},
    {{"SQLite format 3\0", 16},
     "a SQLite database",
     {},
     "Write the table wanted as CSV: sqlite3 -header -csv FILE 'select ...'"},
    {"\xD0\xCF\x11\xE0", "an Excel workbook", {}, save_the_sheet},
    {"%PDF-", "a PDF document", {}, save_its_table},
    {"\x89PNG\r\n", "a picture (PNG)", {}, as_array},
    {"\xFF\xD8\xFF", "a picture (JPEG)", {}, as_array},
    {{"(\xB5/\xFD", 4}, "packed with zstd", {}, "Unpack it first: zstd -d"},
    {{"\xFD"
      "7zXZ\0",
      6},
     "packed with xz",
     {},
     "Unpack it first: xz -d"},
    {"<!DOCTYPE ", "a page of HTML", {}, save_its_table},
    {"<!doctype ", "a page of HTML", {}, save_its_table},
    {"<html>\n", "a page of HTML", {}, save_its_table},
    {"<html>\r\n", "a page of HTML", {}, save_its_table},
    {"<html ", "a page of HTML", {}, save_its_table},
    {"<?xml", "XML", "read_xml"},
};

std::string advice_with_pandas(std::string_view function) {
  return "Convert it in Python: pandas." + std::string(function) +
         "(FILE).to_csv(\"table.csv\", index=False)";
}

}  // namespace

void refuse_foreign(ByteSource& source) {
  Beginning text(source);
  for (const Foreign& each : foreign)
    if (text.is(each.begins))
      fail_foreign(source.name(), each.what,
                   each.pandas.empty() ? std::string(each.advice) : advice_with_pandas(each.pandas));
  if (is_safetensors(text))
    throw DataError(source.name() + ": a model (a safetensors file), and no table; name the table here");
  if (is_bzip2(text)) fail_foreign(source.name(), "packed with bzip2", "Unpack it first: bzip2 -d");
  if (is_json(text))
    fail_foreign(source.name(), "JSON",
                 advice_with_pandas("read_json") + "; with lines=True if each line is a row");
  if (is_arff(text))
    fail_foreign(
        source.name(), "an ARFF file",
        "Replace all of it down to the line @data by one line with the names of the columns: then it "
        "is CSV");
}

void fail_foreign(const std::string& source, std::string_view what, std::string_view advice) {
  throw DataError(source + ": " + std::string(what) + ", which irn does not read; it reads " +
                  table_formats() + ". " + std::string(advice));
}

}  // namespace irn
