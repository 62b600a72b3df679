// A self-contained HTML page of headings, text, tables, figures and commands. It loads nothing and has no
// scripts.
//
//   Page page("Title", "What this is");
//   page.section("Results").paragraph("...").figure(figure).table(table);
//   write_file_atomically("report.html", page.html());
//
// Every text is escaped: a page takes plain text, not markup. Sections make up the table of contents; figures
// and tables are numbered in order of appearance.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "irn/report/figure.h"

namespace irn::report {

// A verdict is shown by colour, by a sign and by the cell's own word.
enum class Badge { none, good, mixed, bad, neutral };

struct Cell {
  std::string text;
  Badge badge = Badge::none;
  bool code = false;
  std::string address = {};  // the target of a link; empty: no link

  Cell(std::string text_, Badge badge_ = Badge::none, bool code_ = false)
      : text(std::move(text_)), badge(badge_), code(code_) {}
  Cell(const char* text_) : Cell(std::string(text_)) {}
  static Cell link(std::string text_, std::string address_) {
    Cell cell(std::move(text_));
    cell.address = std::move(address_);
    return cell;
  }
};

enum class Align { left, right, centre };

struct Column {
  std::string title;
  Align align = Align::left;
};

struct Table {
  std::string caption = {};
  std::vector<Column> columns = {};
  std::vector<std::vector<Cell>> rows = {};  // a short row is filled with empty cells
};

struct Link {
  std::string text, address;
};

// The address of the first heading with this text: "#the-worst-samples".
std::string address_of(std::string_view heading);

class Page {
 public:
  explicit Page(std::string title, std::string subtitle = "");

  Page& section(std::string_view title);
  Page& subsection(std::string_view title);
  Page& paragraph(std::string_view text);
  Page& note(std::string_view text, Badge badge = Badge::neutral);  // set off from the running text
  Page& list(const std::vector<std::string>& items);
  Page& facts(const std::vector<std::pair<std::string, std::string>>& facts);  // name and value, as tiles
  Page& command(std::string_view text);                                        // preformatted, spaces kept
  Page& table(const Table& table);
  Page& figure(const Figure& figure, const std::vector<Link>& links = {});
  Page& links(const std::vector<Link>& links);
  // Folded until the reader opens it; printed unfolded if the browser can.
  Page& details(std::string_view summary, const std::function<void(Page&)>& body);

  std::string html() const;

 private:
  std::string unique_id(std::string_view text);

  std::string title_, subtitle_, body_;
  std::vector<std::string> ids_;
  std::vector<Link> contents_;
  int figures_ = 0, tables_ = 0;
};

}  // namespace irn::report
