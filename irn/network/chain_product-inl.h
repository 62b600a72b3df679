// out += W v over lanes, for a block that is not dense: its factors one after the other (packed.h).
#if defined(IRN_NETWORK_CHAIN_PRODUCT_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_NETWORK_CHAIN_PRODUCT_INL_H_
#undef IRN_NETWORK_CHAIN_PRODUCT_INL_H_
#else
#define IRN_NETWORK_CHAIN_PRODUCT_INL_H_
#endif

#include "irn/base/aligned.h"
#include "irn/kernels/convolution_product-inl.h"
#include "irn/kernels/product-inl.h"
#include "irn/network/own_operator.h"
#include "irn/network/packed.h"

IRN_LANES_BEGIN

// out = start + F v; `start` is `out` or null.
template <class V>
IRN_NOINLINE void multiply_link(const typename PackedChain<typename V::Scalar>::Link& link, const V* v,
                                const V* start, V* out) {
  const Factor& f = link.factor;
  if (f.kind == Factor::Kind::matrix) return multiply<V>(link.panels, v, start, out);
  const std::size_t rows = link.transposed ? f.cols : f.rows;
  if (f.kind == Factor::Kind::diagonal) {
    for (std::size_t i = 0; i < rows; ++i)
      out[i] = start ? mul_add(V(link.numbers[i]), v[i], start[i]) : V(link.numbers[i]) * v[i];
    return;
  }
  if (!start) std::fill_n(out, rows, V());
  if (f.kind == Factor::Kind::convolution) return add_convolution<V>(link.convolution, v, out);
  const auto own = [&](auto product) {
    (f.own->*product)(link.numbers.data(), V::width, &v[0].lane(0), &out[0].lane(0));
  };
  using T = typename V::Scalar;
  using Product = void (OwnOperator::*)(const T*, std::size_t, const T*, T*) const;
  link.transposed ? own(static_cast<Product>(&OwnOperator::multiply_transposed))
                  : own(static_cast<Product>(&OwnOperator::multiply));
}

// Vectors between two links of a chain. A thread multiplies one chain at a time, so one memory for each
// thread is enough.
template <class V>
V* between_links(std::size_t size, std::size_t which) {
  thread_local AlignedBuffer<V> memory[2];
  if (memory[which].size() < size) memory[which] = AlignedBuffer<V>(size);
  return memory[which].data();
}

template <class V>
IRN_NOINLINE void add_chain(const PackedChain<typename V::Scalar>& chain, const V* v, V* out) {
  const V* from = v + chain.col;
  for (std::size_t k = 0; k + 1 < chain.links.size(); ++k) {
    const auto& link = chain.links[k];
    V* to = between_links<V>(link.transposed ? link.factor.cols : link.factor.rows, k % 2);
    multiply_link<V>(link, from, nullptr, to);
    from = to;
  }
  multiply_link<V>(chain.links.back(), from, out + chain.row, out + chain.row);
}

#define IRN_ADD_CHAIN(V) \
  extern template void add_chain<V>(const PackedChain<typename V::Scalar>&, const V*, V*);
IRN_FOR_LANES(IRN_ADD_CHAIN)
#undef IRN_ADD_CHAIN

IRN_LANES_END

#endif
