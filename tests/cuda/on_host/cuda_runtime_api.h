#include "tests/cuda/on_host/cuda_on_host.h"
