"""Arrays of images: their shape, changed while training, answered by several views."""

import numpy as np
import pytest

import irn


def bars(rows=120, height=6, width=7, seed=1):
    """A line of light, upright (class 1) or lying (class 0), somewhere."""
    draw = np.random.default_rng(seed)
    x, y = draw.uniform(0, 0.1, (rows, height, width)), draw.integers(0, 2, rows)
    for image, upright in zip(x, y):
        if upright:
            image[:, draw.integers(width)] += 1
        else:
            image[draw.integers(height), :] += 1
    return x, y


X, Y = bars()
QUICK = {"task": "classification", "epochs": 3, "layers": 8, "batch": 16}


def test_an_array_of_three_axes_holds_images():
    training = irn.train(X, Y, **QUICK, augment="shift=1,rotate=10", average=0.9)
    assert training.model.images == "6x7"
    assert training.model.augmentation == "shift=1,rotate=10"
    assert training.settings["average"] == 0.9
    flat = training.model.predict_proba(X.reshape(len(X), -1))
    np.testing.assert_array_equal(training.model.predict_proba(X), flat)
    assert irn.train(X, Y, **QUICK, images="none").model.images is None
    with pytest.raises(irn.Error, match="images of 7x6, but those of x are 6x7"):
        irn.train(X, Y, **QUICK, images="7x6")
    with pytest.raises(irn.Error, match="architecture: .* takes images of 7x6; those of the data are 6x7"):
        irn.train(X, Y, epochs=1, architecture=f"1x7x6-4k3-{len(set(Y))}identity/none")


def test_channels_may_stand_first_or_last():
    first = np.stack([X, X / 2, 1 - X], axis=1)
    last = np.moveaxis(first, 1, -1)
    model = irn.train(last, Y, **QUICK, validation=(first, Y)).model
    assert model.images == "3x6x7"
    np.testing.assert_array_equal(model.predict_proba(first), model.predict_proba(last))


def test_rows_are_told_their_shape():
    rows = X.reshape(len(X), -1)
    model = irn.train(rows, Y, **QUICK, images="6x7", augment="cutout=2").model
    assert model.images == "6x7"
    with pytest.raises(irn.Error, match="images: .*784 pixels.*42 inputs"):
        irn.train(rows, Y, **QUICK, images="28x28")
    with pytest.raises(irn.Error, match="augment: is for images"):
        irn.train(rows, Y, **QUICK, augment="shift=1")


def test_the_same_seed_gives_the_same_weights():
    one, other = (irn.train(X, Y, **QUICK, augment="elastic=1", average=0.9).model for _ in range(2))
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))


def test_views_are_averaged():
    model = irn.train(X, Y, **QUICK, augment="shift=1").model
    one, many = model.answers(X), model.answers(X, views=4)
    assert not np.array_equal(one.probabilities, many.probabilities)
    np.testing.assert_allclose(many.probabilities.sum(axis=1), 1, rtol=1e-6)
    np.testing.assert_array_equal(model.answers(X[::-1], views=4).probabilities[::-1], many.probabilities)
    assert (many.evaluations > one.evaluations).all()
    np.testing.assert_array_equal(model.predict(X, views=4), many.labels)


def test_what_makes_no_sense_is_refused():
    model = irn.train(X, Y, **QUICK).model
    for views in (0, 1001, -1, 2.5, "many", True):
        with pytest.raises(irn.Error, match="views"):
            model.predict(X, views=views)
    with pytest.raises(irn.Error, match="how they differ"):
        model.predict(X, views=2)
    with pytest.raises(irn.Error, match="images of 7x6.*images of 6x7"):
        model.predict(np.moveaxis(X, 1, 2))
    for options in ({"augment": "shift"}, {"augment": 3}, {"average": 1}, {"average": "often"}, {"images": 28},
                    {"images": "big"}, {"augment": "shift=7"}, {"loss": "cross-entropy:smoothing=2"}):
        with pytest.raises(irn.Error):
            irn.train(X, Y, **QUICK, **options)


def test_estimators_take_the_options():
    sklearn = pytest.importorskip("irn.sklearn")
    rows = X.reshape(len(X), -1)
    model = sklearn.ImplicitClassifier(8, epochs=3, images="6x7", augment="shift=1", average=0.9)
    model.fit(rows, Y)
    assert model.model_.images == "6x7"
    assert model.get_params()["augment"] == "shift=1"
