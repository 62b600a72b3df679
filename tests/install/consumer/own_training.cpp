// A training loop with a loss and a regulariser of your own: is a point inside the ring 0.5 < |x| < 0.8?
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "irn/irn.h"

int main() try {
  // The data: points in the square, +1 inside the ring and -1 outside.
  std::mt19937 random(1);
  std::vector<float> points, inside;
  for (int i = 0; i < 400; ++i) {
    const float x = 2.0f * float(random()) / float(random.max()) - 1,
                y = 2.0f * float(random()) / float(random.max()) - 1;
    const float distance = std::sqrt(x * x + y * y);
    points.insert(points.end(), {x, y});
    inside.push_back(distance > 0.5f && distance < 0.8f ? 1.0f : -1.0f);
  }
  const irn::View x(points, 2);

  irn::Network network("2-30-1identity/none+1:1=diagonal", {.seed = 7});
  irn::Optimiser optimiser("adam:rate=0.03", network);
  const float decay = 1e-4f;  // of every parameter: the regulariser is decay / 2 * |p|^2

  double loss = 0, right = 0;
  for (int step = 0; step < 800; ++step) {
    const irn::Pass pass = network.forward(x);

    // The loss log(1 + e^(-t y)) of each sample that has an answer, and its slope by the output y.
    std::vector<float> slopes(pass.size());
    loss = right = 0;
    for (std::size_t s = 0; s < pass.size(); ++s) {
      if (!pass.answered(s)) continue;  // no answer, no loss; backward() leaves it out, too
      const double y = pass.outputs()(s, 0), t = inside[s];
      loss += std::log1p(std::exp(-t * y)) / double(pass.size());
      right += t * y > 0;
      slopes[s] = float(-t / (1 + std::exp(t * y)));
    }

    std::vector<double> gradient = network.backward(pass, {slopes, 1}).parameters().values();
    for (std::size_t p = 0; p < gradient.size(); ++p) gradient[p] += decay * network.parameters()[p];
    if (optimiser.step(network, {gradient, gradient.size()}) != irn::StepOutcome::applied)
      std::printf("step %d was not taken\n", step);
  }
  const double share = right / double(inside.size());
  std::printf("loss %.3f, %.1f %% right\n", loss, 100 * share);
  network.save("ring.irn");
  return share > 0.9 ? 0 : 1;
} catch (const irn::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
