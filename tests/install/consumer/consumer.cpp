// The smallest program that uses the installed library: compiles against its headers, links it, runs it.
#include <cstdio>
#include <vector>

#include "irn/base/random.h"
#include "irn/base/threads.h"
#include "irn/base/version.h"

int main() {
  irn::ThreadPool pool(2);
  const irn::Stream stream(1);
  std::vector<double> values(8);
  pool.for_each(values.size(), [&](std::size_t i, std::size_t) { values[i] = stream.uniform(i); });
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != stream.uniform(i)) return 1;
  }
  std::printf("irn %s works\n", IRN_VERSION);
}
