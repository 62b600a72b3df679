import torch

import irn.torch


def stirred(*arguments, **options):
    """A layer whose recurrent weights are not zero, as they are where training begins."""
    layer = irn.torch.Implicit(*arguments, **options)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.4 / parameter.shape[-1] ** 0.5)
    return layer
