// For the tests: whether a document is well-formed XML, its identifiers agree, and it has no broken numbers.
// Knows elements, attributes, the five entities and numeric ones; no comments and no CDATA, since we write
// none.
#pragma once

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "irn/base/text.h"
#include "irn/report/xml-inl.h"

namespace irn::report {

class WellFormed {
 public:
  // Empty if all is well, otherwise the first fault.
  static std::string complaint(std::string_view document) { return WellFormed(document).run(); }

 private:
  explicit WellFormed(std::string_view document) : rest_(document) {}

  std::string run() {
    take("<!DOCTYPE html>\n");
    while (!rest_.empty() && error_.empty()) {
      if (rest_[0] != '<')
        text(rest_.substr(0, rest_.find('<')));
      else if (rest_.starts_with("</"))
        close();
      else
        open();
    }
    if (error_.empty() && !stack_.empty()) error_ = "not closed: " + stack_.back();
    for (const std::string& id : wanted_) {
      if (error_.empty() && !ids_.contains(id)) error_ = "reference to nothing: " + id;
    }
    return error_;
  }

  bool take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  std::string name() {
    std::size_t n = 0;
    while (n < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[n])) || rest_[n] == '-')) ++n;
    const std::string out(rest_.substr(0, n));
    rest_.remove_prefix(n);
    if (out.empty()) error_ = "a name is missing before: " + std::string(rest_.substr(0, 40));
    return out;
  }

  void characters(std::string_view text) {
    for (std::string_view left = text; !left.empty();) {
      const std::size_t n = utf8_length(left);
      if (n == 0 || left[0] == '<') error_ = "bad character in: " + std::string(text.substr(0, 60));
      if (left[0] == '&') entity(left);
      left.remove_prefix(n == 0 ? 1 : n);
    }
  }

  void entity(std::string_view text) {
    for (const std::string_view known : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"}) {
      if (text.starts_with(known)) return;
    }
    error_ = "bare ampersand: " + std::string(text.substr(0, 40));
  }

  void text(std::string_view text) {
    characters(text);
    if (stack_.empty() && text.find_first_not_of(" \n") != std::string_view::npos) error_ = "text outside";
    rest_.remove_prefix(text.size());
  }

  void open() {
    rest_.remove_prefix(1);
    const std::string tag = name();
    std::set<std::string> seen;
    while (error_.empty() && take(" ")) attribute(seen);
    if (error_.empty() && take("/>")) return;
    if (!take(">")) error_ = "tag does not end: " + tag;
    stack_.push_back(tag);
  }

  void attribute(std::set<std::string>& seen) {
    const std::string key = name();
    if (!take("=\"")) error_ = "attribute without value: " + key;
    const std::string value(rest_.substr(0, rest_.find('"')));
    characters(value);
    rest_.remove_prefix(std::min(rest_.size(), value.size() + 1));
    if (!seen.insert(key).second) error_ = "attribute twice: " + key;
    note(key, value);
  }

  void note(const std::string& key, const std::string& value) {
    if (key == "id" && !ids_.insert(value).second) error_ = "identifier twice: " + value;
    if (key == "href" && value.starts_with("#")) wanted_.insert(value.substr(1));
    if (key == "aria-labelledby") wanted_.insert(value);
    if (value.starts_with("url(#")) wanted_.insert(value.substr(5, value.size() - 6));
    static const std::set<std::string> numeric = {"x",  "y", "x1",    "y1",     "x2",
                                                  "y2", "d", "width", "height", "viewBox"};
    const bool broken = value.find("nan") != value.npos || value.find("inf") != value.npos;
    if (numeric.contains(key) && (broken || value.empty())) error_ = "broken number: " + key + "=" + value;
  }

  void close() {
    rest_.remove_prefix(2);
    const std::string tag = name();
    if (stack_.empty() || stack_.back() != tag || !take(">"))
      error_ = "closes what is not open: " + tag;
    else
      stack_.pop_back();
  }

  std::string_view rest_;
  std::string error_;
  std::vector<std::string> stack_;
  std::set<std::string> ids_, wanted_;
};

}  // namespace irn::report
