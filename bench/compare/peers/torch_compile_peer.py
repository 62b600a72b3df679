"""PyTorch with torch.compile: the steps of the solvers are compiled, one graph for each shape; chunks keep their shape,
so settled samples wait for their chunk."""
from peer import serve
from torch_peer import make


def make_compiled():
    import torch

    if not hasattr(torch, "compile"):
        raise ImportError(f"PyTorch {torch.__version__} has no torch.compile; it came with 2.0")
    for name in ("recompile_limit", "cache_size_limit"):  # one graph for each shape and number of Anderson's vectors
        if hasattr(torch._dynamo.config, name):
            setattr(torch._dynamo.config, name, 64)
    return make("torch-compile", compiled=True)


if __name__ == "__main__":
    serve(make_compiled)
