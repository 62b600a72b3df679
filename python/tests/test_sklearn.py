"""scikit-learn's own checks, and the places where people put an estimator."""

import functools
import pickle
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_classification
from sklearn.exceptions import SkipTestWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import irn
from irn.sklearn import ImplicitClassifier, ImplicitRegressor

IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)


@pytest.mark.parametrize("estimator", [ImplicitClassifier(), ImplicitRegressor()], ids=repr)
def test_check_estimator_passes_in_full(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("error", SkipTestWarning)  # a check that is skipped has not passed
        check_estimator(estimator)


def test_a_classifier_learns():
    x, y = IRIS
    model = ImplicitClassifier().fit(x, y)
    assert model.score(x, y) > 0.95 and model.settled_ == 1.0
    assert len(model.loss_curve_) == model.n_iter_ == 300 and model.loss_curve_[-1] < model.loss_curve_[0]
    assert np.allclose(model.predict_proba(x).sum(axis=1), 1)
    assert np.array_equal(model.classes_[model.predict_proba(x).argmax(axis=1)], model.predict(x))


def test_labels_are_the_users_own():
    x, y = IRIS
    for labels in (np.array(["c", "a", "b"])[y], y * 10 - 5, y == 1, y.astype(float)):
        model = ImplicitClassifier(epochs=30).fit(x, labels)
        assert model.predict(x).dtype == labels.dtype and (model.predict(x) == labels).mean() > 0.8
    assert ImplicitClassifier(epochs=1).fit(x, np.array(["c", "a", "b"])[y]).model_.classes == ("a", "b", "c")


@pytest.mark.parametrize("labels", [np.array(["01", "1", "2"]), 2**53 + np.arange(3), np.array(["10", "1_0", "2"], dtype=object)], ids=str)
def test_labels_that_no_number_tells_apart_are_different(labels):
    x, y = IRIS
    model = ImplicitClassifier(epochs=60).fit(x, labels[y])
    assert model.score(x, labels[y]) > 0.9 and set(model.predict(x)) == set(labels)
    assert model.model_.classes == tuple(map(str, labels))


def test_a_regressor_learns_one_target_and_several():
    x, y = DIABETES
    model = ImplicitRegressor().fit(x, y)
    assert model.score(x, y) > 0.4 and model.predict(x).shape == y.shape
    both = ImplicitRegressor(epochs=30).fit(x, np.column_stack([y, -2 * y]))
    assert both.predict(x).shape == (len(y), 2) and both.n_outputs_ == 2
    assert np.corrcoef(both.predict(x).T)[0, 1] < -0.9


def test_the_order_of_rows_does_not_matter():
    x, y = IRIS
    order = np.random.default_rng(0).permutation(len(x))
    a = ImplicitClassifier(epochs=5).fit(x, y)
    b = ImplicitClassifier(epochs=5).fit(x[order], y[order])
    assert np.array_equal(a.predict_proba(x), b.predict_proba(x))


def test_the_places_of_an_estimator():
    x, y = IRIS
    small = ImplicitClassifier(layers=8, epochs=15, rate=0.05)
    assert cross_val_score(make_pipeline(StandardScaler(), small), x, y, cv=3).mean() > 0.8
    search = GridSearchCV(small, {"layers": [4, (6, 4)], "recurrence": ["none", "lateral"]}, cv=2, n_jobs=2).fit(x, y)
    assert search.best_score_ > 0.7 and set(search.best_params_) == {"layers", "recurrence"}
    calibrated = CalibratedClassifierCV(small, cv=2).fit(x, y)
    assert calibrated.score(x, y) > 0.8
    several = MultiOutputClassifier(small).fit(x, np.column_stack([y, y == 1]))
    assert several.predict(x).shape == (150, 2)


def table(n=150):
    random = np.random.default_rng(1)
    colour = random.choice(["red", "blue", "green"], n)
    size = random.normal(size=n)
    frame = pd.DataFrame({"size": size, "colour": pd.Categorical(colour), "on": random.random(n) < 0.5, "count": random.integers(0, 9, n)})
    return frame, np.where((colour == "red") == (size > 0), "yes", "no")


def test_data_frames_keep_names_and_encode_texts():
    frame, y = table()
    model = ImplicitClassifier(epochs=100).fit(frame, y)
    assert list(model.feature_names_in_) == list(frame.columns) and model.n_features_in_ == 4
    assert model.score(frame, y) > 0.9
    assert [c.name for c in model.model_.inputs] == list(frame.columns)
    assert model.model_.inputs[1].categories == ("blue", "green", "red")
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["colour", "size", "on", "count"]])
    with pytest.raises(ValueError, match="purple"):
        model.predict(frame.assign(colour="purple"))
    tolerant = ImplicitClassifier(epochs=2, unknown="zeros").fit(frame, y)
    assert len(tolerant.predict(frame.assign(colour="purple"))) == len(frame)
    with pytest.raises(ValueError):
        model.predict(frame.assign(size=np.nan))
    filled = ImplicitClassifier(epochs=2, missing="mean").fit(frame.assign(size=frame["size"].where(frame["size"] > -1)), y)
    assert len(filled.predict(frame.assign(size=np.nan))) == len(frame)


def test_column_transformers_stand_before_it():
    frame, y = table()
    columns = ColumnTransformer([("texts", OneHotEncoder(), ["colour"]), ("numbers", StandardScaler(), ["size", "count"])], sparse_threshold=0)
    assert make_pipeline(columns, ImplicitClassifier(epochs=60)).fit(frame, y).score(frame, y) > 0.8


def test_weights_count():
    x, y = make_classification(300, weights=[0.9], flip_y=0.2, random_state=0)
    plain = ImplicitClassifier(epochs=20).fit(x, y)
    balanced = ImplicitClassifier(epochs=20, class_weight="balanced").fit(x, y)
    by_hand = ImplicitClassifier(epochs=20).fit(x, y, sample_weight=np.where(y == 1, 5.0, 0.5))
    share = [(m.predict(x) == 1).mean() for m in (plain, balanced, by_hand)]
    assert share[1] > share[0] and share[2] > share[0]
    x, y = DIABETES
    half = np.arange(len(y)) % 2
    kept = ImplicitRegressor(epochs=5).fit(x[half == 1], y[half == 1])
    assert np.array_equal(ImplicitRegressor(epochs=5).fit(x, y, sample_weight=half).predict(x), kept.predict(x))


def test_early_stopping_keeps_the_best_epoch():
    x, y = load_breast_cancer(return_X_y=True)
    model = ImplicitClassifier(patience=5, validation=0.3).fit(x, y)
    assert model.n_iter_ < 300 and model.best_epoch_ == model.n_iter_ - 5
    losses = np.array(model.validation_curve_)
    assert losses.argmin() + 1 == model.best_epoch_


def test_warm_start_goes_on():
    x, y = IRIS
    model = ImplicitClassifier(epochs=20, warm_start=True, validation=None).fit(x, y)
    first = model.loss_curve_[0]
    assert model.fit(x, y).loss_curve_[0] < 0.5 * first
    assert model.set_params(warm_start=False).fit(x, y).loss_curve_[0] == first


def test_warm_starts_keep_what_their_model_has():
    x, y = IRIS
    model = ImplicitClassifier(layers=8, scaling="none", epochs=1, warm_start=True).partial_fit(x, y, classes=[0, 1, 2])
    model.fit(x, y).fit(x, y).set_params(layers=(8,), epochs=2, rate=0.01).fit(x, y)
    others = {"layers": 9, "activation": "tanh", "architecture": "4-3", "recurrence": "full", "scaling": "auto", "categories": "hashed:9"}
    for name, other in others.items():
        changed = clone(model).fit(x, y).set_params(**{name: other})
        with pytest.raises(irn.Error, match=f"{name}: the model of warm_start began with"):
            changed.fit(x, y)
    assert clone(model).fit(x, y).set_params(layers=9, warm_start=False).fit(x, y).model_.architecture.startswith("4-9-")


def test_a_fit_that_fails_changes_nothing():
    x, y = IRIS
    model = ImplicitClassifier(epochs=30).fit(pd.DataFrame(x, columns=list("abcd")), y)
    before = {name: value for name, value in vars(model).items() if name.endswith("_")}
    frame = pd.DataFrame(x[:, :2], columns=list("pq"))
    for refused in (
        lambda: model.set_params(certify=2).fit(frame, np.array(["u", "v", "w"])[y]),
        lambda: model.set_params(certify="auto", missing="drop").partial_fit(pd.DataFrame(x, columns=list("abcd")), y),
    ):
        with pytest.raises(irn.Error):
            refused()
        assert {name: value for name, value in vars(model).items() if name.endswith("_")} == before
    regressor = ImplicitRegressor(epochs=2).fit(*DIABETES)
    with pytest.raises(irn.Error):
        regressor.set_params(rate=-1).fit(DIABETES[0], np.column_stack([DIABETES[1]] * 2))
    assert regressor.predict(DIABETES[0]).ndim == 1 and regressor.n_outputs_ == 1
    fresh = ImplicitClassifier(certify=2)
    with pytest.raises(irn.Error):
        fresh.fit(x, y)
    assert not any(name.endswith("_") for name in vars(fresh))


@pytest.mark.parametrize(
    "fit", [ImplicitClassifier.fit, functools.partial(ImplicitClassifier.partial_fit, classes=["no", "yes"])], ids=["fit", "partial_fit"]
)
@pytest.mark.parametrize("weights", [None, np.r_[np.zeros(5), np.ones(145)]], ids=["all", "weighted"])
def test_errors_name_the_callers_rows(fit, weights):
    frame, y = table()
    frame.loc[7, "size"] = np.nan
    with pytest.raises(irn.DataError, match=r"row 7 \(counted from 0\), column 'size'"):
        fit(ImplicitClassifier(epochs=1), frame, y, sample_weight=weights)
    others = table()[0]
    with pytest.raises(irn.DataError, match=r"validation, row 7 \(counted from 0\)"):
        ImplicitClassifier(epochs=1, validation=(frame, y)).fit(others, y)


def test_partial_fit_learns_batch_by_batch():
    x, y = IRIS
    model = ImplicitClassifier(batch=16)
    for epoch in range(30):
        for part in np.array_split(np.random.default_rng(epoch).permutation(150), 3):
            model.partial_fit(x[part], y[part], classes=[0, 1, 2])
    assert model.score(x, y) > 0.9 and len(model.loss_curve_) == 90
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict_proba(x), model.predict_proba(x))
    again.partial_fit(x, y)
    with pytest.raises(ValueError, match="classes"):
        ImplicitClassifier().partial_fit(x, y)
    regressor = ImplicitRegressor()
    for _ in range(40):
        regressor.partial_fit(*DIABETES)
    assert regressor.score(*DIABETES) > 0.3


def test_pickle_clone_and_joblib(tmp_path):
    x, y = IRIS
    model = ImplicitClassifier(epochs=3).fit(x, y)
    joblib.dump(model, tmp_path / "model.joblib")
    for other in (pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "model.joblib"), clone(model).fit(x, y)):
        assert np.array_equal(other.predict_proba(x), model.predict_proba(x))


def test_the_model_is_the_programs(tmp_path, program):
    x, y = IRIS
    model = ImplicitClassifier(epochs=20).fit(pd.DataFrame(x, columns=["a", "b", "c", "d"]), np.array(["s", "v", "w"])[y])
    model.model_.save(tmp_path / "model.irn")
    np.savetxt(tmp_path / "new.csv", x, delimiter=",", header="a,b,c,d", comments="")
    answers = pd.read_csv(__import__("io").StringIO(program("predict", "model.irn", "new.csv", cwd=tmp_path)))
    assert np.array_equal(answers["y"], model.predict(pd.DataFrame(x, columns=["a", "b", "c", "d"])))



def test_samples_that_do_not_settle_are_never_silent():
    x, y = IRIS
    trained = ImplicitClassifier(epochs=30, recurrence="full", certify=0).fit(x, y)
    network = trained.model_.network
    # Two neurons that excite themselves and turn around each other, 32 times: the dynamics cycle.
    network.parameters["layer1.layer1"] = np.kron(np.eye(32), [[20, 40], [-40, 20]])
    network.parameters["layer1.bias"] = np.tile([-30, 10], 32)
    facts = trained.model_._facts
    trained.model_ = irn.Model(irn._core.Model.of_network(network._core, facts["encoding"], facts["loss"]))
    assert not trained.model_.answers(x).answered.all(), "the test needs rows that do not settle"
    for unsettled in ("fallback", "last"):
        with pytest.warns(irn.UnsettledWarning, match="did not settle"):
            answers = trained.set_params(unsettled=unsettled).predict_proba(x)
        assert np.isfinite(answers).all()
    with pytest.warns(irn.UnsettledWarning):
        assert np.isnan(trained.set_params(unsettled="empty").predict_proba(x)).any()
    with pytest.raises(irn.Error, match="have no class"), pytest.warns(irn.UnsettledWarning):
        trained.predict(x)
    with pytest.raises(irn.Error, match="did not settle"):
        trained.set_params(unsettled="refuse").predict(x)


@pytest.mark.parametrize(
    "parameters, words",
    [
        ({"layers": "x"}, "layers"),
        ({"layers": -3}, "layers"),
        ({"activation": "cosine"}, "activation"),
        ({"recurrence": "sideways"}, "recurrence"),
        ({"epochs": 0}, "epoch"),
        ({"epochs": "many"}, "epochs"),
        ({"batch": 0}, "batch"),
        ({"rate": -1}, "rate"),
        ({"certify": 2}, "certify"),
        ({"loss": "squared"}, "loss"),
        ({"optimiser": "adum"}, "adam"),
        ({"unsettled": "hide"}, "unsettled"),
        ({"validation": 1.5}, "validation"),
        ({"precision": "float16"}, "precision"),
        ({"solver": "andersen"}, "anderson"),
        ({"clip": "a"}, "clip"),
        ({"metric": "acuracy"}, "accuracy"),
        ({"metric": "R2"}, "R2"),
        ({"architecture": "3-2"}, "architecture"),
    ],
)
def test_wrong_parameters_are_refused_when_fitting(parameters, words):
    with pytest.raises(irn.Error, match=words) as refused:
        ImplicitClassifier(**parameters).fit(*IRIS)
    assert "\n" not in str(refused.value)
