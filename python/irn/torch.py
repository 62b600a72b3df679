"""Implicit layers in PyTorch.

    layer = irn.torch.Implicit("100-5-2")                 a network as an nn.Module: forward by irn, backward by its gradients
    z, found = irn.torch.fixed_point(f, z0, x)            z = f(z, x) for any function of tensors

Both say of every sample what became of it; one that did not settle is never handed on as if it had.
"""

from irn._torch_fixed_point import Found, fixed_point
from irn._torch_implicit import Implicit
from irn._torch_rules import GradientWarning, UnsettledError

__all__ = ["Found", "GradientWarning", "Implicit", "UnsettledError", "fixed_point"]

for _name in __all__:  # where people find them, and where pickles look for them
    globals()[_name].__module__ = __name__
