"""What ImplicitClassifier and ImplicitRegressor share: their parameters, training on rows, answers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Optional, Union

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from irn import _core
from irn._arrays import is_frame, text
from irn._going_on import OF_MODEL
from irn._model import Model, Predictions, warn_unsettled
from irn._network import Network
from irn._outcome import TrainingWarning
from irn._rows import Rows, in_own_order, prepared
from irn._trainer import Trainer
from irn._training import Training
from irn._training_options import Layers, layers_of, names_of

PARAMETERS = """
    Parameters
    ----------
    layers : 'auto', int or tuple of ints, or text
        Neurons of the hidden layers; 'auto': 64.
    activation : 'auto' or text
        Of the hidden layers: sigmoid ('auto'), tanh, relu, softplus, identity.
    recurrence : text
        Among the hidden layers: 'lateral', 'none', 'feedback', 'full'.
    architecture : text or None
        The whole network instead, as in '4-16tanh-3identity/full'.
    certify : 'auto' or float
        Bound, below 1, of the certificate that training keeps, so that every input has one equilibrium; 0: none.
    pull : float
        Without a certificate: the bound of one towards which rows that do not settle pull; 0: they only take no part.
    loss, optimiser, schedule, gradient : text
        As `irn train` has them; rate : float, 0 leaves it to the optimiser.
    batch, epochs : 'auto' or int
        Samples a step; times over the data, at most.
    validation : 'auto', float or None
        Share of the rows held out to judge by; 'auto': 0.1, of less than 100 rows 0.2, of less than 50 none.
    patience : int
        Epochs without improvement before training ends; 0: never before the last. The best weights are kept in any case.
    metric : text
        By which the best epoch is chosen: 'loss', or one of irn.metrics ('accuracy', 'roc_auc', 'R2', ...).
    images, augment, average :
        Shape of rows that are images ('28x28'), how they change while training ('shift=2,rotate=10'), running mean of the weights (0.999).
    clip, noise, dropout, normalise, least_settled, scaling, missing, unknown, precision :
        As `irn train` has them.
    dates, date_order, categories, text :
        What becomes of dates and of columns with many texts, and which columns are texts, as in irn.Training.
    solver, tolerance :
        How equilibria are looked for.
    device : {'cpu', 'cuda', 'cuda:N'}
        Where fit and predict compute; one that this machine cannot use (irn.devices) is refused. set_params(device='cpu') takes a fitted
        estimator elsewhere.
    unsettled : {'fallback', 'last', 'empty', 'refuse'}
        What predict gives for a row that did not settle: the means of the targets or the shares of the classes in training, where its
        search ended, NaN (of classes there is none: refused), or an irn.Error. All but the last warn.
    random_state : int, RandomState or None
        Of the weights, the batches and the rows held out.
    warm_start : bool
        fit goes on with the weights it has, and with the encoding.
    verbose : bool
        Shows progress on standard error.
"""


class Implicit(BaseEstimator):  # type: ignore[misc]
    """What both estimators share."""

    def __init__(
        self,
        layers: Layers = "auto",
        *,
        activation: str = "auto",
        recurrence: str = "lateral",
        architecture: Optional[str] = None,
        certify: Union[str, float] = "auto",
        pull: float = 0,
        loss: str = "auto",
        optimiser: str = "auto",
        rate: float = 0,
        schedule: str = "cosine",
        gradient: str = "exact",
        batch: Union[str, int] = "auto",
        epochs: Union[str, int] = "auto",
        validation: Any = "auto",
        patience: int = 0,
        metric: str = "loss",
        clip: float = 1,
        noise: Union[str, float] = "auto",
        images: str = "auto",
        augment: str = "auto",
        average: Union[str, float] = "auto",
        dropout: float = 0,
        normalise: bool = False,
        least_settled: float = 0.5,
        scaling: str = "auto",
        missing: str = "refuse",
        unknown: str = "refuse",
        dates: Union[str, Sequence[str]] = "days",
        date_order: str = "auto",
        categories: str = "all",
        text: Union[str, Sequence[str]] = (),
        precision: str = "float32",
        solver: str = "auto",
        tolerance: float = 0,
        device: str = "cpu",
        unsettled: str = "fallback",
        random_state: Any = 0,
        warm_start: bool = False,
        verbose: bool = False,
    ) -> None:
        self.layers = layers
        self.activation = activation
        self.recurrence = recurrence
        self.architecture = architecture
        self.certify = certify
        self.pull = pull
        self.loss = loss
        self.optimiser = optimiser
        self.rate = rate
        self.schedule = schedule
        self.gradient = gradient
        self.batch = batch
        self.epochs = epochs
        self.validation = validation
        self.patience = patience
        self.metric = metric
        self.clip = clip
        self.noise = noise
        self.images = images
        self.augment = augment
        self.average = average
        self.dropout = dropout
        self.normalise = normalise
        self.least_settled = least_settled
        self.scaling = scaling
        self.missing = missing
        self.unknown = unknown
        self.dates = dates
        self.date_order = date_order
        self.categories = categories
        self.text = text
        self.precision = precision
        self.solver = solver
        self.tolerance = tolerance
        self.device = device
        self.unsettled = unsettled
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose

    # Options that irn.Training takes under the same name.
    _SAME = (
        "layers activation recurrence architecture certify pull loss optimiser rate schedule gradient batch epochs validation patience metric clip"
        " noise images augment average dropout normalise least_settled scaling missing unknown dates date_order categories text precision solver tolerance"
    ).split()

    _trainer: Trainer  # of partial_fit

    def _options(self) -> dict[str, Any]:
        if self.unsettled not in ("fallback", "last", "empty", "refuse"):
            raise _core.Error(f"unsettled: {self.unsettled!r} is none of fallback, last, empty, refuse")
        return {**{name: getattr(self, name) for name in self._SAME}, "device": self._device()}

    def _device(self) -> str:
        """Refused where it cannot be used: an estimator may have come from a machine that has another."""
        name = text(self.device, "device")
        try:
            return _core.check_device(name)
        except _core.Error as refusal:
            raise _core.Error(f"{refusal}; set_params(device='cpu') computes on the processor") from None

    def _seed(self) -> int:
        if isinstance(self.random_state, (int, np.integer)) and not isinstance(self.random_state, bool):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _names(self, x: Any) -> list[str]:
        """Of the columns, where X came with them and is an array by now."""
        return [] if is_frame(x) else [str(name) for name in getattr(self, "feature_names_in_", ())]

    def _table(self, rows: Rows) -> _core.Table:
        """As the model names its columns."""
        return rows.table([c.name for c in self.model_.inputs], [c.name for c in self.model_.targets], names_of(self.text, "text"))

    @contextmanager
    def _whole_or_not_at_all(self) -> Iterator[None]:
        """A fit that fails leaves the estimator as it was."""
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _fit(self, rows: Rows, task: str, classes: Optional[list[str]]) -> None:
        options = self._options()
        start: Union[str, Model] = "scaled"
        if self.warm_start and hasattr(self, "model_"):
            start = self.model_
            options = self._as_begun(options)
        ordered = in_own_order(rows)
        with ordered.named():
            training = Training(
                ordered.x,
                ordered.y,
                sample_weight=ordered.weights,
                names=self._names(ordered.x),
                task=task,
                seed=self._seed(),
                start=start,
                classes=classes or (),
                **options,
            )
        try:
            training.run(progress=self.verbose)
        except KeyboardInterrupt:
            if not training.best_epoch:
                raise
            warnings.warn("training was interrupted; the best weights so far are kept", TrainingWarning, stacklevel=3)
        self._keep(training)
        self._begun_with = self._of_model()

    def _of_model(self) -> dict[str, Any]:
        """The parameters that a model has decided."""
        return {name: getattr(self, name) for name in OF_MODEL if hasattr(self, name)}

    def _as_begun(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The options of a training that goes on: without those that its model determines, which are what it began with."""
        begun_with = getattr(self, "_begun_with", {})  # an estimator of an earlier irn has none: then the model's file says it
        for name, value in begun_with.items():
            if _plain(name, getattr(self, name)) != _plain(name, value):
                raise _core.Error(f"{name}: the model of warm_start began with {value!r}; set that, or warm_start=False to begin anew")
        return {name: value for name, value in options.items() if name not in begun_with}

    def _keep(self, training: Training) -> None:
        best = training.records[training.best_epoch - 1] if training.best_epoch else None
        self.model_ = training.model
        self.n_iter_ = len(training.records)
        self.loss_curve_ = training.curve("loss").tolist()
        self.validation_curve_ = training.curve("validation_loss").tolist()
        self.validation_scores_ = training.curve("score").tolist()
        self.best_epoch_ = training.best_epoch
        self.settled_ = float(best["validation_settled"]) if best else 0.0
        self._settings = training.settings
        self.__dict__.pop("_trainer", None)

    def _partial_fit(self, rows: Rows, task: str, classes: Optional[list[str]]) -> None:
        if self.missing == "drop":
            raise _core.Error("missing='drop' goes with fit; for partial_fit take 'mean' or 'refuse'")
        device = self._device()
        if not hasattr(self, "_trainer"):
            self._begin(rows, task, classes)
            self._begun_on = device
        elif device != self._begun_on:  # where its moments and its weights are
            raise _core.Error(
                f"device: partial_fit began on {self._begun_on} and does not move to {device};"
                f" set_params(device='{self._begun_on}') goes on, fit begins anew"
            )
        with rows.named():
            inputs, targets = self.model_._core.encode(self._table(rows), True)
        batch = int(self._settings["batch"])
        order = np.random.default_rng([self._seed(), self.n_iter_]).permutation(len(inputs))
        losses, settled = [], 0
        for first in range(0, len(order), batch):
            chosen = order[first : first + batch]
            step = self._trainer.step(inputs[chosen], targets[chosen], None if rows.weights is None else rows.weights[chosen])
            losses.append(step.loss)
            settled += step.settled
        self._trainer.certify()
        self.n_iter_ += 1
        self.loss_curve_ = [*self.loss_curve_, float(np.mean(losses))]
        self.settled_ = settled / len(inputs)
        facts = self.model_._facts
        network = self._trainer.network
        self.model_ = Model(_core.Model.of_network(network._core, facts["encoding"], facts["loss"]))

    def _begin(self, rows: Rows, task: str, classes: Optional[list[str]]) -> None:
        """A network for the first rows, whose means and deviations stay; or the one that fit left."""
        if not hasattr(self, "model_"):
            options: dict[str, Any] = {**self._options(), "validation": 0, "epochs": 1}
            with rows.named():
                first = Training(rows.x, rows.y, names=self._names(rows.x), task=task, seed=self._seed(), classes=classes or (), **options)
            facts = first._facts
            network = Network(facts["architecture"], precision=self.precision, seed=self._seed())
            self.model_ = Model(_core.Model.of_network(network._core, facts["encoding"], facts["loss"]))
            self._settings = first.settings
            self._begun_with = self._of_model()
            self.n_iter_, self.loss_curve_ = 0, []
        self._trainer = Trainer(
            self.model_.network,
            optimiser=self._settings["optimiser"],
            loss=self._settings["loss"],
            gradient=self.gradient,
            solver=self.solver,
            tolerance=self.tolerance,
            clip=self.clip,
            certify=self._settings["certify"],
            pull=self.pull,
            device=self._device(),
        )

    def _answers(self, x: Any) -> Predictions:
        check_is_fitted(self, "model_")
        given = prepared(self, x, reset=False)
        instead = "empty" if self.unsettled == "refuse" else self.unsettled
        found = self.model_.answers(given, unsettled=instead, device=self._device())
        if self.unsettled == "refuse" and found.unanswered:
            raise _core.Error(f"{found.unanswered} of {len(found)} rows did not settle (unsettled='fallback' answers with what is known of any row)")
        warn_unsettled(found, instead, stacklevel=4)
        return found

    def __getstate__(self) -> dict[str, Any]:
        """Without the moments of partial_fit's optimiser, which begin anew."""
        state = dict(super().__getstate__())
        state.pop("_trainer", None)
        return state


def _plain(name: str, value: Any) -> Any:
    """The same for all ways to write a parameter."""
    if name == "layers":
        return layers_of(value)
    return names_of(value, name) if name == "dates" else value
