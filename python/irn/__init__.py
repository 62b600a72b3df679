"""Implicit recurrent networks: networks whose answer is the state in which their own connections come to rest, z = f(A z + B x + b).

    network = irn.Network("100-5-2", seed=1)      a network: settle, gradient, parameters by name
    training = irn.train(x, y)                    from a table to a model, with the program's defaults
    model = irn.load("flowers-model")             a model: predict
    irn.check(network, x)                         what its equilibria are worth: stability, folds, other equilibria
    irn.settle(f, z0)                             a fixed-point problem of your own
    irn.devices()                                 what `device=` of all but the latter may be
    irn.sklearn, irn.torch, irn.plot              estimators, layers, pictures (imported when they are asked for)

What does not settle is never shown as if it had: every sample has an outcome.
"""

from irn._check import Certificate, Check, CloserLook, Equilibrium, check
from irn._core import DataError, Error, FileError
from irn._core import activation_names as activations
from irn._core import gradient_names as gradients
from irn._core import loss_names as losses
from irn._core import metric_names as metrics
from irn._core import optimiser_names as optimisers
from irn._core import schedule_names as schedules
from irn._core import solver_names as solvers
from irn._core import version as __version__
from irn._devices import Device, devices
from irn._model import Column, Model, Predictions, load
from irn._network import Network
from irn._network_values import Answers, Branch, Gradients, Parameters, Pass, Turning
from irn._outcome import GradientOutcome, Outcome, Stability, TrainingWarning, UnsettledWarning
from irn._settle import Equilibria, settle
from irn._trainer import Evaluation, Optimiser, Step, Trainer
from irn._training import Training, train

__all__ = [
    "Answers",
    "Branch",
    "Certificate",
    "Check",
    "CloserLook",
    "Column",
    "DataError",
    "Device",
    "Equilibria",
    "Equilibrium",
    "Error",
    "Evaluation",
    "FileError",
    "GradientOutcome",
    "Gradients",
    "Model",
    "Network",
    "Optimiser",
    "Outcome",
    "Parameters",
    "Pass",
    "Predictions",
    "Stability",
    "Step",
    "Trainer",
    "Training",
    "TrainingWarning",
    "Turning",
    "UnsettledWarning",
    "__version__",
    "activations",
    "check",
    "devices",
    "gradients",
    "load",
    "losses",
    "metrics",
    "optimisers",
    "schedules",
    "settle",
    "solvers",
    "train",
]
