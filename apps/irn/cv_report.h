// The findings of a cross-validation, as text, JSON, CSV and a page.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "apps/irn/cross_validation.h"

namespace irn::app {

struct CrossValidation {
  const TrainingTable* table = nullptr;
  Encoding encoding = {};  // names of targets and classes
  std::string split = {};
  std::vector<FoldResult> results = {};

  // Over all rows of all repeats together; set by finish().
  Assessment pooled = {};
  std::vector<std::string> metrics = {};  // their names
  std::vector<FoldMean> means = {};       // one for each metric

  void finish();
  std::size_t diverged() const;
};

std::string cv_text(const CrossValidation& cv);
nlohmann::ordered_json cv_json(const CrossValidation& cv, const std::string& folder);
// One line for each fold.
std::string folds_csv(const CrossValidation& cv);
// One line for every tested row: its number (from 1), repeat, fold, targets, answers, probabilities, settled.
std::string predictions_csv(const CrossValidation& cv);
// `seconds`: how long the whole took.
std::string cv_page(const CrossValidation& cv, const std::string& configuration, double seconds);

}  // namespace irn::app
