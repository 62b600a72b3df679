"""A training that goes on with a model has its network, its columns and what they mean. What contradicts them is refused, as by `irn train
--from`; a value that is the model's own may be said again."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from irn import _core
from irn._model import Model
from irn._training_options import layers_of

#: Options that a model has decided, and what they are where nobody says.
OF_MODEL: dict[str, Any] = {
    "inputs": [],
    "dates": ["days"],
    "date_order": "auto",
    "categories": "all",
    "images": "auto",
    "scaling": "auto",
    "convolutions": "auto",
    "layers": None,
    "activation": "auto",
    "recurrence": "lateral",
    "architecture": "",
}
_OF_NETWORK = ("convolutions", "layers", "activation", "recurrence")


def as_begun(options: dict[str, Any], model: Model) -> dict[str, Any]:
    """The options, with those that are left open as the model's own training had them."""
    _check_columns(options, model)
    if options["task"] not in ("auto", model.task):
        _refuse("task")
    if options["classes"] not in ([], list(model.classes)):
        _refuse("classes")
    asked = {**OF_MODEL, **_asked(model)}
    own = {"architecture": model.architecture, "images": model.images, "inputs": [column.name for column in model.inputs]}
    chosen = dict(options, task=model.task)
    for name, standard in OF_MODEL.items():
        if options[name] == standard:
            chosen[name] = asked[name]
        elif options[name] not in (asked[name], own.get(name)):
            _refuse(name)
    if options["architecture"]:  # which says all of these
        chosen.update({name: OF_MODEL[name] for name in _OF_NETWORK})
    return chosen


def begin_of(model: Model, missing: str, unknown: str) -> _core.Model:
    """The model, which takes gaps and unknown texts as it is asked to, if it is."""
    asked = {}
    if missing in ("mean", "drop"):
        asked["missing"] = missing
    if unknown == "zeros":
        asked["unknown"] = unknown
    encoding = json.loads(model._facts["encoding"])
    if asked.items() <= encoding.items():
        return model._core
    return _core.Model.of_network(model.network._core, json.dumps({**encoding, **asked}), "")


def _check_columns(options: dict[str, Any], model: Model) -> None:
    if options["targets"] != [column.name for column in model.targets]:
        _refuse("target")
    inputs = {column.name for column in model.inputs}
    for name, columns in (("exclude", options["exclude"]), ("weights", [options["weights"]])):
        for column in inputs.intersection(columns):
            raise _core.Error(f"{name}: {column!r} is an input of the model that start names; leave it out")


def _asked(model: Model) -> dict[str, Any]:
    """What the model's own training was asked for, as far as its file says."""
    found: dict[str, Any] = {}
    for line in model.configuration.splitlines():
        key, _, value = line.partition(" = ")
        name = key.replace("-", "_")
        try:
            if name in OF_MODEL:
                found[name] = layers_of(json.loads(value)) if name == "layers" else json.loads(value)
        except ValueError:  # written by hand, in words of TOML that JSON does not have
            pass
    return found


def _refuse(name: str) -> NoReturn:
    raise _core.Error(f"{name}: is that of the model that start names; leave it out")
