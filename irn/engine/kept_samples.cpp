#include <algorithm>
#include <map>
#include <new>
#include <numeric>
#include <type_traits>

#include "irn/engine/cuda/load_module.h"
#include "irn/engine/kept_samples-inl.h"

namespace irn {
namespace {

// Enough for many folds at once, and some sets that are no longer used. Few of them are on the device.
constexpr std::size_t most_sets = 256;
// Copied at a time: 16 MB in single precision.
constexpr std::size_t numbers_at_once = 1 << 22;

}  // namespace

template <class T>
std::shared_ptr<KeptSamples<T>> KeptSamples<T>::on(Device device) {
  static std::mutex mutex;
  static std::map<unsigned, std::weak_ptr<KeptSamples>> all;
  const std::lock_guard lock(mutex);
  std::weak_ptr<KeptSamples>& known = all[device.number];
  std::shared_ptr<KeptSamples> kept = known.lock();
  if (!kept) known = kept = std::make_shared<KeptSamples>(device);
  return kept;
}

// At most a quarter of the device's memory; searches and trainings have the rest.
template <class T>
KeptSamples<T>::KeptSamples(Device device)
    : device_(device),
      most_bytes_(cuda::loaded_module().module->machine().devices[device.number].memory / 4) {}

template <class T>
void KeptSamples<T>::prepare(const Samples<T>& samples, std::size_t count) {
  if (!may_stay(samples)) return;
  const std::lock_guard lock(mutex_);
  Set& set = set_of(samples);
  const std::size_t round = set.searched_for / samples.size();
  set.searched_for += count;
  if (set.there || round <= set.tried || set.bytes > most_bytes_) return;
  set.tried = round;
  make_room(set.bytes);
  try {
    set.there = brought(samples);
  } catch (const MemoryError&) {  // on the device
  } catch (const std::bad_alloc&) {
    // The inputs are copied for each search as before; the next round tries again.
  }
}

template <class T>
std::shared_ptr<const cuda::KeptInputs<T>> KeptSamples<T>::inputs_of(const Samples<T>& samples) {
  if (!may_stay(samples)) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(sets_, samples.inputs_id(), &Set::id);
  return found == sets_.end() ? nullptr : found->there;
}

template <class T>
bool KeptSamples<T>::give_up() {
  const std::lock_guard lock(mutex_);
  bool any = false;
  for (Set& set : sets_) any |= set.there != nullptr, set.there.reset();
  given_up_ += any;
  return any;
}

template <class T>
typename KeptSamples<T>::Set& KeptSamples<T>::set_of(const Samples<T>& samples) {
  const auto found = std::ranges::find(sets_, samples.inputs_id(), &Set::id);
  if (found != sets_.end()) {
    std::rotate(found, found + 1, sets_.end());
    return sets_.back();
  }
  // A set that is not on the device goes first.
  if (sets_.size() == most_sets) {
    const auto gone = std::find_if(sets_.begin(), sets_.end(), [](const Set& set) { return !set.there; });
    sets_.erase(gone == sets_.end() ? sets_.begin() : gone);
  }
  sets_.push_back({samples.inputs_id(), samples.size() * samples.inputs() * sizeof(T)});
  return sets_.back();
}

// Drops the sets that were asked for longest ago.
template <class T>
void KeptSamples<T>::make_room(std::size_t bytes) {
  for (Set& set : sets_) bytes += set.there ? set.bytes : 0;
  for (Set& set : sets_) {
    if (bytes <= most_bytes_) return;
    if (set.there) bytes -= set.bytes, set.there.reset();
  }
}

template <class T>
std::shared_ptr<const cuda::KeptInputs<T>> KeptSamples<T>::brought(const Samples<T>& samples) const {
  const cuda::Module& module = *cuda::loaded_module().module;
  const std::size_t width = samples.inputs();
  std::shared_ptr<cuda::KeptInputs<T>> there;
  if constexpr (std::is_same_v<T, float>)
    there = module.kept_in_float(device_.number, samples.size(), width);
  else
    there = module.kept_in_double(device_.number, samples.size(), width);
  const std::size_t at_once = std::clamp(numbers_at_once / width, std::size_t{1}, samples.size());
  std::vector<std::uint64_t> index(at_once);
  std::vector<T> rows(at_once * width);
  for (std::size_t first = 0; first < samples.size(); first += at_once) {
    index.resize(std::min(at_once, samples.size() - first));
    std::iota(index.begin(), index.end(), std::uint64_t{first});
    samples.inputs_as_rows(index, rows.data());
    there->put(first, index.size(), rows.data());
  }
  return there;
}

template class KeptSamples<float>;
template class KeptSamples<double>;

}  // namespace irn
