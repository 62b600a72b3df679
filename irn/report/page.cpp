#include "irn/report/page.h"

#include <algorithm>

#include "irn/report/page_style-inl.h"
#include "irn/report/xml-inl.h"

namespace irn::report {
namespace {

struct BadgeLook {
  std::string_view style, sign;
};

BadgeLook look_of(Badge badge) {
  switch (badge) {
    case Badge::good:
      return {"good", "✓ "};
    case Badge::mixed:
      return {"mixed", "≈ "};
    case Badge::bad:
      return {"bad", "✗ "};
    case Badge::neutral:
      return {"neutral", ""};
    case Badge::none:
      break;
  }
  return {"", ""};
}

std::string_view style_of(Align align) {
  return align == Align::right ? " class=\"right\"" : align == Align::centre ? " class=\"centre\"" : "";
}

std::string cell_body(const Cell& cell) {
  std::string text = cell.code ? "<code>" + escape(cell.text) + "</code>" : escape(cell.text);
  if (!cell.address.empty()) text = fill_in("<a href=\"{}\">{}</a>", {escape(cell.address), text});
  if (cell.badge == Badge::none || cell.text.empty()) return text;
  const BadgeLook look = look_of(cell.badge);
  return fill_in("<span class=\"badge {}\">{}{}</span>", {look.style, look.sign, text});
}

std::string head_row(const Table& table) {
  std::string out = "<thead><tr>";
  for (const Column& column : table.columns) {
    out += fill_in("<th scope=\"col\"{}>{}</th>", {style_of(column.align), escape(column.title)});
  }
  return out + "</tr></thead>\n";
}

std::string body_row(const Table& table, const std::vector<Cell>& row) {
  std::string out = "<tr>";
  for (std::size_t i = 0; i < std::max(row.size(), table.columns.size()); ++i) {
    const Align align = i < table.columns.size() ? table.columns[i].align : Align::left;
    out += fill_in("<td{}>{}</td>", {style_of(align), i < row.size() ? cell_body(row[i]) : ""});
  }
  return out + "</tr>\n";
}

std::string link_row(const std::vector<Link>& links) {
  std::string out;
  for (const Link& link : links) {
    out += fill_in("{}<a href=\"{}\">{}</a>",
                   {out.empty() ? "" : " · ", escape(link.address), escape(link.text)});
  }
  return out;
}

std::string contents_list(const std::vector<Link>& contents) {
  if (contents.size() < 2) return "";
  std::string out = "<nav aria-label=\"Contents\">\n<ol>\n";
  for (const Link& link : contents) out += fill_in("<li>{}</li>\n", {link_row({link})});
  return out + "</ol>\n</nav>\n";
}

}  // namespace

std::string address_of(std::string_view heading) { return "#" + slug(heading); }

Page::Page(std::string title, std::string subtitle)
    : title_(std::move(title)), subtitle_(std::move(subtitle)) {}

std::string Page::unique_id(std::string_view text) {
  const std::string base = slug(text);
  std::string id = base;
  for (int n = 2; std::ranges::count(ids_, id) > 0; ++n) id = fill_in("{}-{}", {base, std::to_string(n)});
  ids_.push_back(id);
  return id;
}

Page& Page::section(std::string_view title) {
  const std::string id = unique_id(title);
  contents_.push_back({std::string(title), "#" + id});
  body_ += fill_in("<h2 id=\"{}\">{}</h2>\n", {id, escape(title)});
  return *this;
}

Page& Page::subsection(std::string_view title) {
  body_ += fill_in("<h3 id=\"{}\">{}</h3>\n", {unique_id(title), escape(title)});
  return *this;
}

Page& Page::paragraph(std::string_view text) {
  body_ += fill_in("<p>{}</p>\n", {escape(text)});
  return *this;
}

Page& Page::note(std::string_view text, Badge badge) {
  const BadgeLook look = look_of(badge == Badge::none ? Badge::neutral : badge);
  body_ += fill_in("<p class=\"note {}\">{}{}</p>\n", {look.style, look.sign, escape(text)});
  return *this;
}

Page& Page::list(const std::vector<std::string>& items) {
  if (items.empty()) return *this;
  body_ += "<ul>\n";
  for (const std::string& item : items) body_ += fill_in("<li>{}</li>\n", {escape(item)});
  body_ += "</ul>\n";
  return *this;
}

Page& Page::facts(const std::vector<std::pair<std::string, std::string>>& facts) {
  if (facts.empty()) return *this;
  body_ += "<dl class=\"facts\">\n";
  for (const auto& [name, value] : facts) {
    body_ += fill_in("<div><dt>{}</dt><dd>{}</dd></div>\n", {escape(name), escape(value)});
  }
  body_ += "</dl>\n";
  return *this;
}

Page& Page::command(std::string_view text) {
  body_ += fill_in("<pre><code>{}</code></pre>\n", {escape(text)});
  return *this;
}

Page& Page::table(const Table& table) {
  body_ += "<div class=\"scroll\"><table>\n";
  if (!table.caption.empty()) {
    body_ += fill_in("<caption><b>Table {}.</b> {}</caption>\n",
                     {std::to_string(++tables_), escape(table.caption)});
  }
  body_ += head_row(table) + "<tbody>\n";
  for (const std::vector<Cell>& row : table.rows) body_ += body_row(table, row);
  body_ += "</tbody></table></div>\n";
  return *this;
}

Page& Page::figure(const Figure& figure, const std::vector<Link>& links) {
  // Two figures with one name must not share the identifiers inside their SVG.
  Figure named = figure;
  named.name = unique_id("fig-" + figure.name);
  body_ += fill_in("<figure id=\"{}\">\n{}", {named.name, svg(named)});
  body_ += fill_in("<figcaption><b>Figure {}.</b> {}", {std::to_string(++figures_), escape(figure.caption)});
  if (!links.empty()) body_ += fill_in(" ({})", {link_row(links)});
  body_ += "</figcaption>\n</figure>\n";
  return *this;
}

Page& Page::links(const std::vector<Link>& links) {
  if (!links.empty()) body_ += fill_in("<p>{}</p>\n", {link_row(links)});
  return *this;
}

Page& Page::details(std::string_view summary, const std::function<void(Page&)>& body) {
  body_ += fill_in("<details>\n<summary>{}</summary>\n", {escape(summary)});
  body(*this);
  body_ += "</details>\n";
  return *this;
}

std::string Page::html() const {
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n";
  out +=
      "<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\"/>\n";
  out += fill_in("<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n", {escape(title_), kPageStyle});
  out += fill_in("<header>\n<h1>{}</h1>\n", {escape(title_)});
  if (!subtitle_.empty()) out += fill_in("<p class=\"subtitle\">{}</p>\n", {escape(subtitle_)});
  out += "</header>\n" + contents_list(contents_) + "<main>\n" + body_ + "</main>\n</body>\n</html>\n";
  return out;
}

}  // namespace irn::report
