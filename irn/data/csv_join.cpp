#include "irn/data/csv_join-inl.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace irn::csv {

bool Join::learn_text_columns(std::span<const Chunk> chunks) {
  bool learned = false;
  for (std::size_t c = 0; c < frame_.width(); ++c) {
    const bool text =
        std::any_of(chunks.begin(), chunks.end(), [&](const auto& k) { return k.turned_text(c); });
    learned = learned || text;
    if (text) frame_.mutable_column(c).text = true;
  }
  return learned;
}

void Join::refuse_mistakes(std::span<const Chunk> chunks, std::span<const std::string_view> pieces) const {
  std::size_t line = line_ + 1;  // people count from 1
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const Mistake* first = chunks[i].mistake() ? &*chunks[i].mistake() : nullptr;
    for (const auto& [column, beyond] : chunks[i].beyond_range())
      if (!frame_.columns()[column].text && (first == nullptr || beyond.line < first->line)) first = &beyond;
    if (first != nullptr) fail(*first, line + first->line);
    line += static_cast<std::size_t>(std::count(pieces[i].begin(), pieces[i].end(), '\n'));
  }
}

void Join::fail(const Mistake& mistake, std::size_t line) const {
  throw DataError(frame_.source() + ", line " + std::to_string(line) + ", column " +
                  std::to_string(mistake.column + 1) + " ('" + frame_.columns()[mistake.column].name +
                  "'): " + mistake.what);
}

Join::Codes Join::join_texts(const Chunk& chunk) {
  Codes codes(frame_.width());
  for (std::size_t c = 0; c < frame_.width(); ++c) {
    if (chunk.texts(c) == nullptr) continue;
    for (const std::string& text : chunk.texts(c)->all()) {
      const std::size_t code = texts_[c].code(text);
      codes[c].push_back(static_cast<double>(code));
    }
  }
  return codes;
}

void Join::copy(const Chunk& chunk, std::size_t first_row, const Codes& codes) {
  for (std::size_t i = 0; i < chunk.rows(); ++i) {
    const std::span<const double> from = chunk.row(i);
    const std::span<double> to = frame_.mutable_row(first_row + i);
    std::copy(from.begin(), from.end(), to.begin());
    for (std::size_t c = 0; c < codes.size(); ++c)
      if (!codes[c].empty() && !std::isnan(to[c])) to[c] = codes[c][static_cast<std::size_t>(to[c])];
  }
}

void Join::add(std::span<const Chunk> chunks, ThreadPool& threads) {
  std::vector<Codes> codes;
  std::vector<std::size_t> first_rows;
  std::size_t rows = frame_.rows();
  for (const Chunk& chunk : chunks) {
    codes.push_back(join_texts(chunk));
    first_rows.push_back(rows);
    for (const auto& mark : chunk.line_marks()) frame_.mark_line(rows + mark.row, line_ + 1 + mark.line);
    rows += chunk.rows();
    line_ += chunk.lines();
  }
  frame_.resize(rows);
  threads.for_each(chunks.size(),
                   [&](std::size_t i, std::size_t) { copy(chunks[i], first_rows[i], codes[i]); });
}

void Join::pass_over(std::span<const Chunk> chunks) {
  for (const Chunk& chunk : chunks) line_ += chunk.lines();
}

Frame Join::take() {
  for (std::size_t c = 0; c < frame_.width(); ++c) {
    const auto texts = texts_[c].all();
    frame_.mutable_column(c).categories.assign(texts.begin(), texts.end());
  }
  return std::move(frame_);
}

}  // namespace irn::csv
