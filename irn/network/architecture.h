// The neurons of a network, and which blocks of A and B exist in  z = f(A z + B x + b).
//
// Node 0 is the input x, node l is layer l (1 is the first, the last is the output). A connection from -> to
// is one block of weights, size(to) x size(from). It is a *forward* block if from < to (skips included), else
// *recurrent*: lateral if from == to, feedback if from > to.
//
// The text form, shared by the command line and the model file:
//
//   inputs-layer-...-layer[/recurrence[=operator]][+from:to[=operator] ...][-from:to ...]
//
//   100-5-2                          the paper's network: recurrence is full by default
//   100-5-2/none                     feed-forward
//   784-512relu-10identity/lateral   an activation may follow a layer's size (default: sigmoid)
//   100-20-8-2/feedback+0:3-2:1      plus a skip from the input to layer 3, without the feedback 2 -> 1
//   100-20-2/lateral=diagonal        recurrent blocks that are not dense (operator.h): each neuron to itself
//   100-500-2/none+1:1=lowrank8      one recurrent block, of rank 8
//   100-5-2-2:2                      a '-' begins a layer, but before from:to it removes a connection
//
// Inputs and layers may be images, channels x height x width (irn/data/image.h, image_operators.h):
//
//   1x28x28-32k5s2relu-64k3s2relu-10identity/none+2:2=conv3
//                                    32 filters of 5 x 5 with stride 2, then 64 of 3 x 3, with neighbouring
//                                    places of layer 2 connected; after k the same as after conv; the layer's
//                                    height and width follow from it
//   3x32x32-16k3relu-pool2-10        a layer of means of squares (up2: of copies), with the same number of
//                                    channels; default: identity
//   49-8x14x14relu-1x28x28/none+1:2=tconv4s2p1
//                                    layers of explicit shapes; connected densely by default
//
// Recurrence: lateral = every layer to itself; feedback = every layer to the one before it; full = both.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "irn/base/text_form.h"
#include "irn/network/activation.h"
#include "irn/network/operator.h"

namespace irn {

enum class Recurrence : unsigned char { none, lateral, feedback, full };
inline constexpr std::array<std::string_view, 4> recurrence_names = {"none", "lateral", "feedback", "full"};
template <>
Recurrence from_text<Recurrence>(std::string_view name);
inline std::string to_text(Recurrence recurrence) {
  return std::string(recurrence_names[static_cast<std::size_t>(recurrence)]);
}

struct Layer {
  std::size_t size = 0;
  Activation activation = Activation::sigmoid;
  ImageShape shape = {};  // of an image; none() otherwise
  // Each neuron has its own bias; neurons of an image share one bias for each channel.
  std::size_t biases() const { return shape.none() ? size : shape.channels; }
  bool operator==(const Layer&) const = default;
};

// One linear operator. Its numbers begin at `weights` in the parameter vector, factor after factor. `row` and
// `col` are its place in A, or in B if from == 0.
struct Block {
  std::size_t from = 0, to = 0;
  Operator op = Dense{};
  std::size_t rows = 0, cols = 0;
  std::size_t row = 0, col = 0;
  std::size_t weights = 0, parameters = 0;
  bool dense() const { return is_dense(op); }
  std::vector<Factor> factors() const { return factors_of(op, rows, cols); }
  bool forward() const { return from < to; }
  bool from_input() const { return from == 0; }
  bool operator==(const Block&) const = default;
};

class Architecture;
template <>
Architecture from_text<Architecture>(std::string_view text);

class Architecture {
 public:
  Architecture(std::size_t inputs, std::vector<Layer> layers, Recurrence recurrence = Recurrence::full);
  // With images as inputs. Layers are connected densely; connect() changes that.
  Architecture(const ImageShape& inputs, std::vector<Layer> layers, Recurrence recurrence = Recurrence::full);

  // Add or remove one block. They throw irn::Error if there is nothing to add or remove. With an operator,
  // connect() also changes the operator of an existing block.
  Architecture& connect(std::size_t from, std::size_t to);
  Architecture& connect(std::size_t from, std::size_t to, const Operator& op);
  Architecture& disconnect(std::size_t from, std::size_t to);

  std::size_t inputs() const { return inputs_; }
  const ImageShape& input_shape() const { return input_shape_; }  // none() unless inputs are images
  std::size_t neurons() const { return neurons_; }
  std::size_t outputs() const { return layers_.back().size; }
  std::size_t first_output() const { return neurons_ - outputs(); }
  const std::vector<Layer>& layers() const { return layers_; }
  std::size_t first_neuron(std::size_t layer) const {
    return first_neuron_[layer - 1];
  }  // layer counts from 1

  // Blocks ordered by (to, from). In the parameter vector the biases follow, layer by layer: one for each
  // neuron or, for images, for each channel.
  const std::vector<Block>& blocks() const { return blocks_; }
  std::size_t biases() const { return biases_; }
  std::size_t first_bias(std::size_t layer) const { return biases_ + first_bias_[layer - 1]; }
  std::size_t parameters() const { return biases_ + bias_count_; }
  // "layer1.input", "layer1.layer2", ..., "bias": names of the parts of the parameter vector.
  static std::string block_name(const Block& block);

  bool recurrent() const;  // whether any block is; otherwise one sweep through the layers is exact
  bool dense() const;      // whether all blocks are
  bool connected(std::size_t from, std::size_t to) const;
  bool operator==(const Architecture& other) const {
    return inputs_ == other.inputs_ && input_shape_ == other.input_shape_ && layers_ == other.layers_ &&
           blocks_ == other.blocks_;
  }

 private:
  friend std::string to_text(const Architecture& architecture);
  friend Architecture from_text<Architecture>(std::string_view text);
  static Architecture parse(std::string_view text);
  std::string text() const;
  std::size_t size_of(std::size_t node) const { return node == 0 ? inputs_ : layers_[node - 1].size; }
  const ImageShape& shape_of(std::size_t node) const {
    return node == 0 ? input_shape_ : layers_[node - 1].shape;
  }
  std::string layer_text(std::size_t layer, const Block* forward) const;
  void check_nodes(std::size_t from, std::size_t to) const;
  Block& add(std::size_t from, std::size_t to);
  void set_operator(std::size_t from, std::size_t to, const Operator& op);
  Block* find(std::size_t from, std::size_t to);
  void place_blocks();

  std::size_t inputs_;
  ImageShape input_shape_ = {};
  std::vector<Layer> layers_;
  std::vector<std::size_t> first_neuron_, first_bias_;
  std::size_t neurons_ = 0, bias_count_ = 0;
  std::vector<Block> blocks_;
  std::size_t biases_ = 0;
};

std::string to_text(const Architecture& architecture);

// The biases b of z = f(A z + B x + b), one for each neuron, from the parameters.
template <class T, class Out>
void write_biases(const Architecture& architecture, const T* parameters, Out* out) {
  for (std::size_t l = 1; l <= architecture.layers().size(); ++l) {
    const Layer& layer = architecture.layers()[l - 1];
    const T* biases = parameters + architecture.first_bias(l);
    const std::size_t shared_by = layer.size / layer.biases();
    for (std::size_t i = 0; i < layer.size; ++i) *out++ = static_cast<Out>(biases[i / shared_by]);
  }
}

}  // namespace irn
