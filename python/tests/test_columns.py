"""Columns that are more than numbers: dates, many texts, codes; files as other programs write them. As `irn train` takes them."""

import decimal
import io

import numpy as np
import pandas as pd
import pytest

import irn


@pytest.fixture(scope="module")
def sales():
    """A frame with dates, codes that look like numbers, and a shop of very many."""
    random = np.random.default_rng(3)
    rows = 300
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(random.integers(0, 700, rows), unit="D")
    frame = pd.DataFrame({"day": day, "zip": random.choice([8001, 8002, 10115], rows), "shop": [f"shop {k}" for k in random.integers(0, 200, rows)]})
    frame["price"] = (np.sin(frame["day"].dt.month) + (frame["zip"] == 8002) + random.normal(0, 0.1, rows)).round(4)
    return frame


OPTIONS = dict(dates=["days", "month", "weekday"], categories="frequent:20", text=["zip"], epochs=3)


@pytest.fixture(scope="module")
def by_program(sales, program, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sales")
    sales.to_csv(folder / "sales.csv", index=False)
    words = ("--dates", "days,month,weekday", "--categories", "frequent:20", "--text", "zip", "--epochs", "3", "--quiet")
    program("train", "sales.csv", "--target", "price", *words, cwd=folder)
    return irn.load(folder / "sales-model"), folder


def test_a_frame_with_dates_is_the_file_that_the_program_reads(sales, by_program):
    wanted, folder = by_program
    assert wanted.network.inputs == 3 + 3 + 21
    for training in (irn.train(sales, target="price", **OPTIONS), irn.train(folder / "sales.csv", target="price", **OPTIONS)):
        assert training.model.network == wanted.network
        assert (training.model.predict(sales) == wanted.predict(sales)).all()
        assert 'dates = ["days", "month", "weekday"]' in training.model.configuration


def test_the_settings_of_a_model_repeat_it_in_the_program(sales, by_program, program):
    _, folder = by_program
    model = irn.train(folder / "sales.csv", target="price", date_order="day", thousands="none", **OPTIONS).model
    (folder / "again.toml").write_text(model.configuration)
    program("train", "sales.csv", "--config", "again.toml", "--out", "again", "--quiet", cwd=folder)
    assert irn.load(folder / "again").network == model.network


def test_dates_with_gaps_and_zones(sales):
    frame = sales.drop(columns=["zip", "shop"])
    frame["day"] = frame["day"].dt.tz_localize("Europe/Berlin") + pd.Timedelta("14h30min")
    frame.loc[5, "day"] = pd.NaT
    with pytest.raises(irn.DataError, match="'day'.*missing"):
        irn.train(frame, target="price", epochs=1)
    model = irn.train(frame, target="price", missing="mean", epochs=1).model
    assert np.isfinite(model.predict(frame)).all()
    same = model.predict(pd.DataFrame({"day": pd.Series([str(frame["day"][0]), frame["day"][0]], dtype=object)}))
    assert same[0] == same[1]


def test_a_gap_among_texts_is_no_text(sales, program, tmp_path):
    frame = sales[["shop", "price"]].assign(colour=np.resize(["red", None, "blue"], len(sales)))
    frame.to_csv(tmp_path / "gaps.csv", index=False)
    program("train", "gaps.csv", "--target", "price", "--missing", "mean", "--epochs", "2", "--quiet", cwd=tmp_path)
    model = irn.train(frame, target="price", missing="mean", epochs=2).model
    assert model.network == irn.load(tmp_path / "gaps-model").network
    assert dict((c.name, c.categories) for c in model.inputs)["colour"] == ("blue", "red")


def test_rows_of_texts_are_asked_as_they_are(by_program):
    model, _ = by_program
    row = ["2024-03-05", "8002", "shop 3"]
    assert model.predict([row]) == model.predict(pd.DataFrame([row], columns=["day", "zip", "shop"]))


def test_files_as_other_programs_write_them(sales, tmp_path):
    plain = irn.train(sales[["zip", "price"]], target="price", epochs=2).model.network
    with open(tmp_path / "european.csv", "w") as file:
        file.write("zip;price\n")
        for code, price in zip(sales["zip"], sales["price"]):
            file.write(f"{code:_};{price}\n".replace("_", "'").replace(".", ","))
    assert irn.train(tmp_path / "european.csv", target="price", thousands="'", decimal=",", delimiter=";", epochs=2).model.network == plain
    for k, part in enumerate((sales[:100], sales[100:])):
        part[["zip", "price"]].to_csv(tmp_path / f"part{k}.tsv", index=False, header=False, sep="\t")
    parts = [tmp_path / "part0.tsv", tmp_path / "part1.tsv"]
    assert irn.train(parts, target="column2", header="no", delimiter="tab", epochs=2).model.network == plain


def test_arrays_by_other_names(tmp_path):
    x = np.random.default_rng(1).normal(size=(60, 2))
    np.savez(tmp_path / "a.npz", inputs=x, outputs=x[:, :1] * x[:, 1:])
    model = irn.train(tmp_path / "a.npz", target="y", arrays=["x=inputs", "y=outputs"], epochs=2).model
    assert model.network == irn.train(x, x[:, 0] * x[:, 1], epochs=2).model.network


def test_classes_that_no_double_holds(tmp_path):
    ids = 2**53 + np.arange(1, 5, dtype=np.int64)
    y = np.tile(ids, 20)
    x = np.column_stack([np.repeat(np.arange(20.0), 4), np.tile(np.arange(4.0), 20)])
    assert irn.train(x, y, epochs=1).model.classes == tuple(map(str, ids))
    frame = pd.DataFrame({"a": x[:, 1], "y": y})
    frame.to_csv(tmp_path / "ids.csv", index=False)
    for table in (tmp_path / "ids.csv", frame, frame.astype({"y": "Int64"})):
        assert irn.train(table, target="y", epochs=1).model.classes == tuple(map(str, ids))
    for labels in (frame["y"], y.tolist(), y.astype(object)):
        assert irn.train(frame[["a"]], labels, epochs=1).model.classes == tuple(map(str, ids))


def test_estimators_take_them_too(sales):
    from irn.sklearn import ImplicitRegressor

    x, y = sales.drop(columns="price"), sales["price"]
    estimator = ImplicitRegressor(epochs=2, dates=["month"], categories="hashed:8", text=["zip"]).fit(x, y)
    assert estimator.model_.network.inputs == 1 + 3 + 8
    assert np.isfinite(estimator.predict(x)).all()
    codes = ImplicitRegressor(epochs=2, text="zip").fit(x[["zip"]], y)  # numbers alone
    assert codes.model_.network.inputs == 3 and np.isfinite(codes.predict(x[["zip"]])).all()
    codes.partial_fit(x[["zip"]], y)


def test_dates_that_training_did_not_tell_are_refused_unless_somebody_does():
    frame = pd.DataFrame({"day": [f"2021-0{1 + k % 9}-1{k % 8}" for k in range(72)], "y": np.arange(72.0)})
    model = irn.train(frame, target="y", epochs=1).model

    def asked(day, **how):
        return float(model.predict(pd.DataFrame({"day": [day]}), **how)[0])

    with pytest.raises(irn.DataError, match="'05/06/2021' may have the day or the month first, .* 2021-06-05 or 2021-05-06"):
        asked("05/06/2021")
    assert asked("05/06/2021", date_order="month") == asked("2021-05-06") == asked("06.05.2021")
    assert asked("05/06/2021", date_order="day") == asked("2021-06-05")
    with pytest.raises(irn.Error, match="date_order: .*day, month"):
        asked("2021-05-06", date_order="year")
    with pytest.raises(irn.Error, match="date_order: .*day, month"):
        irn.Model.of_network(irn.Network("1-1")).predict([[0.5]], date_order="year")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"dates": ["moth"]}, "dates: .*did you mean \"month\""),
        ({"dates": []}, "dates: name what dates become"),
        ({"dates": [3]}, "dates: 3 is not a name"),
        ({"date_order": "year"}, "date_order: .*day, month"),
        ({"categories": "frequent"}, "categories: .*frequent:100"),
        ({"text": ["zap"]}, "'zap'.*'zip'|\"zap\".*\"zip\""),
        ({"decimal": ","}, "decimal: is for files"),
        ({"labels": "a.idx"}, "labels: is for files"),
    ],
)
def test_nonsense(sales, options, words):
    with pytest.raises(irn.Error, match=words):
        irn.train(sales, target="price", epochs=1, **options)


def test_nonsense_about_files(by_program):
    _, folder = by_program
    for options, words in (({"decimal": "comma"}, "decimal: "), ({"header": "maybe"}, "header: "), ({"delimiter": "::"}, "delimiter: ")):
        with pytest.raises(irn.Error, match=words):
            irn.train(folder / "sales.csv", target="price", **options)


AGE = np.random.default_rng(4).normal(size=60)
MEMBER = AGE > 0.3


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"age": AGE, "member": MEMBER}),
        pd.DataFrame({"age": np.arange(60), "member": MEMBER}),
        pd.DataFrame({"age": pd.array(range(60), dtype="Int64"), "member": pd.array(AGE, dtype="Float32")}),
    ],
    ids=["float and bool", "int and bool", "nullable"],
)
def test_a_frame_of_several_kinds_of_numbers_is_numbers(frame):
    model = irn.train(frame, AGE, epochs=1).model
    assert all(not column.categories and column.scale > 0 for column in model.inputs)
    plain = np.column_stack([frame[name].astype(float) for name in frame])
    assert np.array_equal(model.predict(frame), model.predict(plain))
    network = irn.Network("2-3", seed=1)
    assert np.array_equal(network.settle(frame).states, network.settle(plain).states)


def test_gaps_among_nullable_numbers_take_the_mean():
    frame = pd.DataFrame({"a": pd.array([1, None, 3] * 20, dtype="Int64"), "b": pd.array([1.5, 2, None] * 20, dtype="Float32")})
    model = irn.train(frame, AGE, missing="mean", validation=None, epochs=1).model
    assert [column.mean for column in model.inputs] == [2, 1.75] and np.isfinite(model.predict(frame)).all()
    with pytest.raises(irn.DataError, match="row 1 .*'a': missing value"):
        irn.train(frame, AGE, epochs=1)


@pytest.mark.parametrize(
    "values",
    [np.arange(60.0).astype(object), [decimal.Decimal(k) for k in range(60)], pd.arrays.SparseArray(np.arange(60.0))],
    ids=["objects", "decimals", "sparse"],
)
def test_numbers_of_any_type_are_numbers(values):
    plain, frame = (pd.DataFrame({"a": column, "b": ["u", "v"] * 30}) for column in (np.arange(60.0), values))
    wanted = irn.train(plain, AGE, epochs=1).model
    model = irn.train(frame, AGE, epochs=1).model
    assert model.network == wanted.network and np.array_equal(model.predict(frame), wanted.predict(plain))


@pytest.mark.parametrize("labels", [("01", "1", "2"), ("1.10", "1.2", "1.3"), ("10", "1_0", "2")])
def test_texts_that_look_like_numbers_are_names(labels):
    k = np.digitize(AGE, [-0.5, 0.5])
    for y in (np.array(labels)[k], np.array(labels, dtype=object)[k], pd.Series(labels)[k]):
        model = irn.train(AGE[:, None], y, epochs=1).model
        assert model.task == "classification" and model.classes == labels
    codes = pd.DataFrame({"code": np.array(labels, dtype=object)[k]})
    for x in (codes, np.column_stack([AGE.astype(object), codes["code"]])):
        assert irn.train(x, AGE, epochs=1).model.inputs[-1].categories == labels


def test_truth_values_are_those_of_a_file(program, tmp_path):
    frame = pd.DataFrame({"member": MEMBER, "colour": ["red", "blue"] * 30, "y": AGE.round(3)})
    frame.to_csv(tmp_path / "frame.csv", index=False)
    program("train", "frame.csv", "--target", "y", "--epochs", "2", "--quiet", cwd=tmp_path)
    model = irn.train(frame, target="y", epochs=2).model
    assert model.network == irn.load(tmp_path / "frame-model").network
    model.save(tmp_path / "model.irn")
    answers = pd.read_csv(io.StringIO(program("predict", "model.irn", "frame.csv", cwd=tmp_path)))["y"]
    given = [frame.astype({"member": kind}) for kind in (bool, int, float, str, "boolean")]
    for x in (*given, frame[["member", "colour"]].to_numpy()):
        assert np.allclose(model.predict(x), answers, rtol=1e-6)


def test_truth_values_alone_are_numbers_in_an_array():
    frame = pd.DataFrame({"member": MEMBER, "old": AGE > 1})
    model = irn.train(frame, AGE, epochs=2).model
    rows = frame.to_numpy()
    for x in (rows, rows.astype(float), rows.astype(object), rows.astype(str)):
        assert np.array_equal(model.predict(x), model.predict(frame))
    of_numbers = irn.train(rows.astype(float), AGE, names=["member", "old"], epochs=2).model
    assert np.array_equal(of_numbers.predict(frame), model.predict(frame))


def test_classes_of_truth_values_are_false_and_true():
    frame = pd.DataFrame({"a": AGE, "b": MEMBER})
    assert irn.train(frame, target="b", epochs=1).model.classes == ("False", "True")
    for y in (frame["b"], frame[["b"]], MEMBER, MEMBER.tolist()):
        assert irn.train(frame[["a"]], y, epochs=1).model.classes == ("False", "True")


def test_one_column_may_be_named_by_a_plain_text():
    frame = pd.DataFrame({"ab": AGE, "c": -AGE})
    for options, inputs in (({"exclude": "ab"}, ["c"]), ({"inputs": "ab"}, ["ab"])):
        assert [column.name for column in irn.train(frame, AGE, epochs=1, **options).model.inputs] == inputs
    assert irn.train(AGE[:, None], AGE, names="ab", epochs=1).model.inputs[0].name == "ab"


def test_a_column_of_lists_is_refused_by_its_name():
    from irn.sklearn import ImplicitRegressor

    lists = pd.Series([1.0] * 7 + [[1, 2]] + [3.0] * 52, dtype=object)
    frame = pd.DataFrame({"a": AGE, "many": lists})
    model = irn.train(pd.DataFrame({"a": AGE, "many": AGE}), AGE, epochs=1).model
    for call in (lambda: irn.train(frame, AGE), lambda: model.predict(frame), lambda: ImplicitRegressor().fit(frame, AGE)):
        with pytest.raises(irn.DataError, match="column 'many' holds more than one value a row: in row 7 .* a list"):
            call()
