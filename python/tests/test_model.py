"""Models and trainings: the program's files, the program's weights."""

import io
import pickle

import numpy as np
import pandas as pd
import pytest

import irn


@pytest.fixture(scope="module")
def folder(tmp_path_factory, flowers):
    """A table as a file, and as a frame."""
    where = tmp_path_factory.mktemp("flowers")
    frame = pd.DataFrame(dict(zip(["length", "width", "colour", "species"], flowers)))
    frame.to_csv(where / "flowers.csv", index=False)
    return where


@pytest.fixture(scope="module")
def frame(folder):
    return pd.read_csv(folder / "flowers.csv", float_precision="round_trip")


@pytest.fixture(scope="module")
def trained(folder, program):
    program("train", "flowers.csv", "--target", "species", "--epochs", "30", "--quiet", cwd=folder)
    return folder / "flowers-model"


def test_the_programs_model_is_written_again_byte_for_byte(trained, tmp_path):
    model = irn.load(trained)
    model.save(tmp_path / "again.irn")
    assert (tmp_path / "again.irn").read_bytes() == (trained / "model.safetensors").read_bytes()
    assert irn.load(tmp_path / "again.irn") == model == pickle.loads(pickle.dumps(model))
    assert model.classes == ("aster", "bellis", "crocus") and model.task == "classification" and model.certified
    assert "colour" in model._repr_html_() and "species" in repr(model)


def test_training_gives_the_programs_weights(trained, frame, folder):
    """From the file, from a frame and from arrays: the same table, the same bits."""
    wanted = irn.load(trained)
    from_file = irn.train(folder / "flowers.csv", target="species", epochs=30)
    from_frame = irn.train(frame, target="species", epochs=30)
    from_parts = irn.train(frame.drop(columns="species"), frame["species"], epochs=30)
    for training in (from_file, from_frame, from_parts):
        assert training.model.network == wanted.network
        assert training.model.inputs == wanted.inputs and training.model.targets == wanted.targets
    assert from_file.model.metrics == wanted.metrics


def test_regressions_have_the_programs_weights(program, tmp_path):
    random = np.random.default_rng(2)
    x = random.normal(size=(130, 3))
    y = np.column_stack([np.sin(x[:, 0]), x[:, 1] * x[:, 2]])
    np.savez(tmp_path / "data.npz", x=x, y=y)
    program("train", "data.npz", "--target", "y0,y1", "--epochs", "10", "--precision", "double", "--seed", "4", "--quiet", cwd=tmp_path)
    training = irn.train(x, y, epochs=10, precision="float64", seed=4)
    assert training.model.network == irn.load(tmp_path / "data-model").network


def test_the_program_trains_with_a_models_configuration(folder, program, tmp_path):
    """The options in the model file are the program's."""
    training = irn.train(folder / "flowers.csv", target="species", epochs=4, layers=(6, 5), precision="float64", certify=0, seed=3)
    (tmp_path / "config.toml").write_text(training.model.configuration)
    program("train", folder / "flowers.csv", "--config", "config.toml", "--quiet", "--out", "again", cwd=tmp_path)
    assert irn.load(tmp_path / "again").network == training.model.network


def test_answers_far_from_zero_are_doubles():
    """Times and ids, of rows as of frames: a float would make two answers of sixty."""
    i = np.arange(1, 61)
    x, y = 1700000000000.0 + i[:, None] ** 2, 1000000000.5 + i
    training = irn.train(x, y, epochs=60, layers=8, batch=16)
    by_rows, by_frame = training.model.predict(x), training.model.predict(pd.DataFrame(x, columns=["x0"]))
    assert by_rows.dtype == np.float64 and len(set(by_rows)) == 60 and np.array_equal(by_rows, by_frame)


def test_answers_are_the_programs(trained, frame, folder, program):
    model = irn.load(trained)
    text = program("predict", trained, "flowers.csv", "--probabilities", cwd=folder)
    answers = pd.read_csv(io.StringIO(text))
    found = model.answers(frame)
    assert np.array_equal(found.labels, answers["species"]) and found.settled.all()
    assert np.allclose(found.probabilities, answers[[f"species={c}" for c in model.classes]], rtol=1e-6)
    rows = frame[["length", "width", "colour"]].to_numpy(dtype=object)
    assert np.array_equal(model.predict(rows), found.labels)
    assert model.predict(rows[3])[0] == found.labels[3]
    assert set(found.basis) == {"settled"} and (found.evaluations > 0).all()


def test_columns_are_found_by_name(trained, frame):
    model = irn.load(trained)
    wanted = model.predict(frame)
    assert np.array_equal(model.predict(frame[["colour", "species", "width", "length"]]), wanted)
    with pytest.raises(irn.Error, match="'width'"):
        model.predict(frame.drop(columns="width"))
    with pytest.raises(irn.Error, match="purple"):
        model.predict(frame.assign(colour="purple"))
    with pytest.raises(irn.Error, match="length"):
        model.predict(frame.assign(length=frame["length"].where(frame.index != 3)))


def test_many_rows_are_the_same_as_few():
    x = np.random.default_rng(0).normal(size=(20000, 2))
    model = irn.train(x[:200], x[:200].sum(axis=1), epochs=3).model
    assert np.array_equal(model.predict(x)[15000:15003], model.predict(x[15000:15003]))
    assert model.predict(x[5]).shape == (1,)


def test_a_training_says_what_it_chose_and_reached():
    x = np.linspace(-3, 3, 400)[:, None]
    seen = []
    training = irn.train(x, np.sin(x), epochs=12, callback=seen.append)
    chosen = training.settings
    assert chosen["architecture"] == "1-64-1identity/none+1:1" and chosen["training_rows"] == 360
    assert chosen["judging_rows"] == 40 and chosen["batch"] == 32 and chosen["certify"] == 0.95
    assert seen == training.records and len(training.curve("loss")) == 12
    assert training.best_epoch >= 1 and training.ended == "all_epochs"
    assert "validation R2" in repr(training) and "<svg" in training._repr_html_()
    few = irn.train(x, np.sin(x), epochs=12, callback=lambda record: record["epoch"] == 3)
    assert len(few.records) == 3 and few.ended is None


def test_rows_to_judge_by_can_be_given():
    random = np.random.default_rng(0)
    x, y = random.normal(size=(100, 2)), random.normal(size=100)
    other = random.normal(size=(30, 2)), random.normal(size=30)
    training = irn.train(x, y, validation=other, epochs=2)
    assert training.settings["judging_rows"] == 30 and training.settings["training_rows"] == 100
    assert irn.train(x, y, validation=None, epochs=2).settings["judging_rows"] == 0
    assert irn.train(x, y, validation=0.5, epochs=2).settings["judging_rows"] == 50


def test_the_best_epoch_is_that_of_the_metric():
    random = np.random.default_rng(1)
    x = random.normal(size=(200, 2))
    y = np.where(x[:, 0] * x[:, 1] + random.normal(0, 0.5, 200) > 0, "a", "b")
    training = irn.train(x, y, metric="accuracy", epochs=30)
    assert training.curve("score").max() == training.curve("score")[training.best_epoch - 1]
    assert training.settings["score"] == "accuracy"


def test_progress_is_drawn(capsys):
    x = np.linspace(-1, 1, 50)[:, None]
    irn.train(x, x, epochs=5, progress=True)
    line = capsys.readouterr().err
    assert "training: 100%|" in line and "5/5" in line and "R2=" in line
    made = []

    class Like:  # tqdm's conventions
        def __init__(self, total, desc):
            self.total, self.count = total, 0
            made.append(self)

        def update(self, n):
            self.count += n

        def set_postfix(self, **values):
            assert "loss" in values

        def close(self):
            self.closed = True

    irn.train(x, x, epochs=5, progress=Like)
    assert made[0].total == made[0].count == 5 and made[0].closed


def test_a_training_that_goes_wrong_says_so():
    x = np.random.default_rng(0).normal(size=(60, 2))
    with pytest.warns(irn.TrainingWarning, match="diverged"):
        irn.train(x, x[:, 0], solver="fixed-point:steps=1", tolerance=1e-5, recurrence="full", certify=0, epochs=50, rate=0.5)


def test_texts_of_any_kind_are_columns():
    n = 60
    frame = pd.DataFrame(
        {
            "a": pd.Series(["u", "v", None] * 20, dtype="string"),
            "b": pd.Categorical(["x", "y"] * 30),
            "c": pd.Series([1, 2, None] * 20, dtype="Int64"),
            "d": np.arange(n) % 2 == 0,
        }
    )
    training = irn.train(frame, np.arange(n) % 2, missing="mean", epochs=2)
    assert [len(c.categories) for c in training.model.inputs] == [2, 2, 0, 0]
    assert len(training.model.predict(frame)) == n
    with pytest.raises(irn.Error, match="'e' holds durations"):
        irn.train(frame.assign(e=pd.Timedelta("1h")), np.arange(n))


@pytest.fixture(scope="module")
def begun():
    x = np.random.default_rng(6).normal(size=(80, 2))
    frame = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "other": x[:, 0], "y": x[:, 0] * x[:, 1]})
    return frame, irn.train(frame, target="y", exclude=["other"], layers=8, scaling="common", epochs=2).model


@pytest.mark.parametrize(
    "options",
    [
        {"layers": 9},
        {"activation": "tanh"},
        {"recurrence": "full"},
        {"architecture": "2-8-1identity/full"},
        {"convolutions": "3k3"},
        {"scaling": "none"},
        {"images": "1x2"},
        {"dates": ["month"]},
        {"date_order": "day"},
        {"categories": "hashed:8"},
        {"inputs": ["a"]},
        {"task": "classification"},
        {"classes": ["1", "2"]},
        {"target": "other"},
    ],
    ids=repr,
)
def test_options_that_contradict_the_model_to_go_on_with_are_refused(begun, options):
    frame, model = begun
    (name,) = options
    with pytest.raises(irn.Error, match=f"^{name}: is that of the model that start names; leave it out"):
        irn.train(frame, start=model, epochs=1, **options)


def test_what_the_model_to_go_on_with_has_may_be_said_again(begun):
    frame, model = begun
    plain = irn.train(frame, start=model, epochs=2)
    options = {"target": "y", "layers": (8,), "activation": "auto", "scaling": "common", "inputs": ["a", "b"], "exclude": ["other"], "task": "regression"}
    said = irn.train(frame, start=model, epochs=2, **options)
    by_text = irn.train(frame, start=model, epochs=2, architecture=model.architecture)
    assert plain.model.network == said.model.network == by_text.model.network != model.network
    again = irn.train(frame, start=plain.model, layers=8, scaling="common", epochs=1)
    assert again.settings["architecture"] == model.architecture
    with pytest.raises(irn.Error, match="start: give 'scaled', 'paper' or an irn.Model, not a Network"):
        irn.train(frame, target="y", start=model.network)


def test_inputs_of_the_model_to_go_on_with_cannot_be_left_out(begun):
    frame, model = begun
    for name in ("exclude", "weights"):
        with pytest.raises(irn.Error, match=f"{name}: 'b' is an input of the model"):
            irn.train(frame, start=model, epochs=1, **{name: "b"})


def test_going_on_may_take_gaps_otherwise(begun):
    frame, model = begun
    gap = frame.assign(a=frame["a"].where(frame.index != 5))
    with pytest.raises(irn.DataError, match="row 5 .*missing"):
        irn.train(gap, start=model, epochs=1)
    further = irn.train(gap, start=model, missing="mean", epochs=1).model
    assert np.isfinite(further.predict(gap)).all() and further.inputs == model.inputs
