"""Tables as people have them: dates, decimal commas, yes and no, many texts, several files; from training to answers, whole and as a stream.

usage: inputs.py IRN_PROGRAM [unittest's options]
"""

import datetime
import io
import json
import pathlib
import subprocess
import zipfile

import numpy as np

import irn_program
from irn_program import ProgramTest, environment, python_of_the_page, write_csv

FEW = ["--layers", "8", "--epochs", "3", "--batch", "16", "--validation", "0.2"]


def visits(path, rows=120, form="%Y-%m-%d", seed=3, separator=",", comma=False):
    """Dates, yes and no, numbers; what is paid depends on all of them."""
    draw = np.random.default_rng(seed)
    day = draw.integers(0, 700, rows)
    member, size = draw.choice(["yes", "no"], rows), draw.normal(size=rows).round(3)
    paid = (day / 100 + 2 * (member == "yes") + size).round(3)
    text = (lambda x: str(x).replace(".", ",")) if comma else str
    lines = [separator.join(["when", "member", "size", "paid"])]
    for k in range(rows):
        when = datetime.date(2022, 1, 1) + datetime.timedelta(days=int(day[k]))
        lines.append(separator.join([when.strftime(form), member[k], text(size[k]), text(paid[k])]))
    pathlib.Path(path).write_text("\n".join(lines) + "\n")


class Columns(ProgramTest):
    def info(self, model):
        return json.loads(self.fine("info", model, "--json").stdout)

    def streamed(self, model, path, *more):
        """The answers when the table comes through a pipe in pieces that end anywhere."""
        process = subprocess.Popen([irn_program.IRN, "predict", model, "-", *more], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=environment(), bufsize=0)
        content = pathlib.Path(path).read_bytes()
        for start in range(0, len(content), 997):
            process.stdin.write(content[start:start + 997])
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        return out.decode()

    def test_dates_and_booleans_from_training_to_answers(self):
        visits("v.csv")
        said = self.fine("train", "v.csv", "--target", "paid", *FEW, "-o", "m").stderr
        self.assertIn("'when': dates, taken as days since 1970-01-01", said)
        self.assertIn("'member': yes and no (true and false), taken as 1 and 0", said)
        columns = {c["name"]: c for c in self.info("m")["input_columns"]}
        self.assertEqual((columns["when"]["reading"], columns["member"]["reading"]), ("date", "boolean"))
        self.assertEqual(self.info("m")["inputs"], 3)
        self.assertIn("when: date, mean 202", self.fine("info", "m").stdout)
        whole = self.fine("predict", "m", "v.csv", "--keep", "when").stdout
        self.assertTrue(whole.splitlines()[1].startswith("202"), "kept columns stay as they are written")
        self.assertEqual(self.streamed("m", "v.csv", "--keep", "when"), whole)
        for command in (["eval"], ["importance"], ["check"]):
            self.fine(*command, "m", "v.csv")
        self.assertIn("when", self.fine("importance", "m", "v.csv").stdout)
        # The same days in other words.
        visits("w.csv", form="%d.%m.%Y")
        self.assertEqual(self.fine("predict", "m", "w.csv").stdout, self.fine("predict", "m", "v.csv").stdout)

    def test_parts_of_dates(self):
        visits("v.csv")
        self.fine("train", "v.csv", "--target", "paid", "--dates", "year,month,day,weekday", *FEW, "-o", "m")
        self.assertEqual(self.info("m")["columns"],
                         ["when.year", "when.month", "when.day", "when.weekday", "member", "size"])
        self.assertEqual(self.streamed("m", "v.csv"), self.fine("predict", "m", "v.csv").stdout)
        self.assertIn("when", self.fine("importance", "m", "v.csv").stdout)
        self.refused(2, ["--dates", "moon"], "train", "v.csv", "--target", "paid", "--dates", "moon", "-o", "x")
        self.refused(2, ["--dates", "twice"], "train", "v.csv", "--target", "paid", "--dates", "day,day", "-o", "x")

    def test_the_model_file_tells_how_a_date_becomes_inputs(self):
        visits("v.csv")
        self.fine("train", "v.csv", "--target", "paid", "--dates", "days,month,weekday", "--precision", "double", *FEW, "-o", "m")
        page = python_of_the_page(whole=True)
        metadata, tensors = page["read"]("m/model.safetensors")
        row = dict(zip(("when", "member", "size"), pathlib.Path("v.csv").read_text().splitlines()[1].split(",")))
        row["size"] = float(row["size"])
        answer = page["decode"](metadata, page["settle"](metadata, tensors, page["encode"](metadata, row)))
        said = float(self.fine("predict", "m", "v.csv").stdout.splitlines()[1].split(",")[0])
        self.assertAlmostEqual(answer[0], said, places=5)

    def test_days_and_months_that_nobody_can_tell_apart_are_said(self):
        pathlib.Path("v.csv").write_text("when,y\n" + "".join(f"0{1 + k % 9}/0{1 + k // 9}/2024,{k}.5\n" for k in range(81)))
        said = self.fine("train", "v.csv", "--target", "y", *FEW, "-o", "m").stderr
        self.assertIn("'when' is taken for text: '02/01/2024' may be a day or a month first; --date-order says which", said)
        self.fine("train", "v.csv", "--target", "y", "--date-order", "month", *FEW, "-o", "n")
        self.assertEqual(self.info("n")["input_columns"][0]["reading"], "date-month-first")
        # A later file is read as the model has it, whatever its dates may tell.
        pathlib.Path("w.csv").write_text("when\n25/03/2024\n")
        self.refused(3, ["w.csv, line 2, column 'when': '25/03/2024' has the day first, where the month is expected first", "2024-03-25",
                         "say which comes first (--date-order)"], "predict", "n", "w.csv")
        self.fine("predict", "n", "w.csv", "--date-order", "day")

    def test_days_and_months_that_training_did_not_tell_are_not_guessed(self):
        visits("v.csv", form="%Y-%m-%d")
        self.fine("train", "v.csv", "--target", "paid", *FEW, "-o", "m")
        for day, words in (("05/06/2021", ["'05/06/2021' may have the day or the month first", "2021-06-05 or 2021-05-06"]),
                           ("12/25/2021", ["'12/25/2021' has the month first", "write it as 2021-12-25"])):
            pathlib.Path("w.csv").write_text(f"when,member,size,paid\n2021-05-06,yes,1,1.5\n{day},yes,1,2.5\n")
            for command in ("predict", "eval", "check", "importance"):
                self.refused(3, ["w.csv, line 3, column 'when'", *words, "(--date-order)"], command, "m", "w.csv")
            for command in ("eval", "check", "importance"):
                self.fine(command, "m", "w.csv", "--date-order", "month")
        pathlib.Path("w.csv").write_text("when,member,size\n2021-05-06,yes,1\n05/06/2021,yes,1\n06/05/2021,yes,1\n")
        for order, same in (("month", 1), ("day", 2)):
            answers = self.fine("predict", "m", "w.csv", "--date-order", order).stdout.splitlines()[1:]
            self.assertEqual([k for k in (1, 2) if answers[k] == answers[0]], [same])
            self.assertEqual(self.streamed("m", "w.csv", "--date-order", order).splitlines()[1:], answers)
        self.refused(2, ["--date-order", "day, month"], "predict", "m", "w.csv", "--date-order", "year")
        # Rows to judge by in a file of their own are other rows, too.
        pathlib.Path("w.csv").write_text("when,member,size,paid\n05/06/2021,yes,1,2.5\n")
        self.refused(3, ["w.csv", "(--date-order)"], "train", "v.csv", "--target", "paid", "--validation", "w.csv", "-o", "n")

    def test_classes_by_yes_and_no_keep_their_names(self):
        visits("v.csv")
        self.fine("train", "v.csv", "--target", "member", *FEW, "-o", "m")
        self.assertEqual(self.info("m")["targets"], ["member=no", "member=yes"])
        self.fine("train", "v.csv", "--target", "paid", "--text", "member,when", "--unknown", "zeros", *FEW, "-o", "n")
        self.assertIn("member=yes", self.info("n")["columns"])

    def test_one_date_that_is_none_is_named(self):
        visits("v.csv")
        lines = pathlib.Path("v.csv").read_text().splitlines()
        lines[50] = "2021-02-30" + lines[50][10:]
        pathlib.Path("v.csv").write_text("\n".join(lines) + "\n")
        said = self.fine("train", "v.csv", "--target", "paid", *FEW, "--quiet", "-o", "m").stderr
        self.assertIn("'when' is taken for text because of '2021-02-30' (v.csv, line 51)", said)
        days = [str(datetime.date(2015, 1, 1) + datetime.timedelta(days=k)) for k in range(1500)]
        write_csv("w.csv", ["when", "y"], days[:700] + ["2021-02-30"] + days[700:], range(1501))
        self.refused(3, ["'when'", "most are dates, but '2021-02-30' is none"], "train", "w.csv", "--target", "y", "-o", "n")

    def test_columns_of_no_use_are_named_and_have_no_effect(self):
        write_csv("v.csv", ["id", "line", "speed", "out"], [f"p{k}" for k in range(60)], 60 * [3], [k / 60 for k in range(60)], range(60))
        said = self.fine("train", "v.csv", "--target", "out", *FEW, "--quiet", "-o", "m").stderr
        self.assertIn("'line' has the same value in every row: nothing can be learnt from it; --exclude leaves it out", said)
        self.assertIn("'id' has another text in every row", said)
        pathlib.Path("w.csv").write_text("id,line,speed\np1,3,0.5\np1,4,0.5\np1,100,0.5\n")
        self.assertEqual(len(set(self.fine("predict", "m", "w.csv").stdout.splitlines()[1:])), 1)

    def test_nonsense_in_such_columns(self):
        visits("v.csv")
        self.fine("train", "v.csv", "--target", "paid", *FEW, "-o", "m")
        for row, words in (("soon,yes,1", ["column 'when'", "'soon' is text where dates are expected"]),
                           ("2024-02-30,yes,1", ["'2024-02-30' is text where dates are expected"]),
                           ("20240105,yes,1", ["where dates are expected"]),
                           ("2024-01-05,maybe,1", ["column 'member'", "yes or no is expected"]),
                           ("2024-01-05,yes,\"1,5\"", ["column 'size'", "'1,5' is text where numbers are expected", "decimal mark", "(--decimal)"]),
                           ("2024-01-05,,1", ["missing value"])):
            pathlib.Path("bad.csv").write_text("when,member,size\n" + row + "\n")
            self.refused(3, ["bad.csv, line 2", *words], "predict", "m", "bad.csv")

    def test_cross_validation_in_the_order_of_dates(self):
        visits("v.csv", form="%d.%m.%Y")
        self.fine("cv", "v.csv", "--target", "paid", "--order", "when", "--folds", 3, "--layers", 4, "--epochs", 1, "-o", "cv")
        rows = pathlib.Path("v.csv").read_text().splitlines()[1:]
        day = [datetime.datetime.strptime(row.split(",")[0], "%d.%m.%Y") for row in rows]
        told = [line.split(",")[:3] for line in pathlib.Path("cv/predictions.csv").read_text().splitlines()[1:]]
        last = {}
        for row, _, fold in told:
            last.setdefault(int(fold), []).append(day[int(row) - 1])
        folds = sorted(last)
        for a, b in zip(folds, folds[1:]):
            self.assertLessEqual(max(last[a]), min(last[b]))

    def test_a_date_as_target(self):
        draw = np.random.default_rng(1)
        x = draw.normal(size=100).round(3)
        due = [(datetime.date(2024, 1, 1) + datetime.timedelta(days=int(20 * v))).isoformat() for v in x]
        write_csv("d.csv", ["x", "due"], x, due)
        said = self.fine("train", "d.csv", "--target", "due", *FEW, "-o", "m").stderr
        self.assertIn("regression: 'due' holds dates", said)
        answers = [float(line.split(",")[0]) for line in self.fine("predict", "m", "d.csv").stdout.splitlines()[1:]]
        self.assertTrue(all(19000 < a < 20500 for a in answers), "days since 1970")
        self.fine("eval", "m", "d.csv")
        self.fine("cv", "d.csv", "--target", "due", "--folds", 3, "--layers", 4, "--epochs", 1, "-o", "cv")


class Numbers(ProgramTest):
    def test_decimal_commas(self):
        visits("comma.csv", separator=";", comma=True)
        visits("point.csv")
        said = self.fine("train", "comma.csv", "--target", "paid", *FEW, "-o", "m").stderr
        self.assertIn("numbers are read with a decimal comma", said)
        self.assertIn("decimal comma", self.fine("train", "comma.csv", "--target", "paid", *FEW, "--quiet", "-o", "q").stderr)
        self.fine("train", "point.csv", "--target", "paid", *FEW, "-o", "p")
        answers = self.fine("predict", "m", "comma.csv").stdout
        self.assertEqual(answers, self.fine("predict", "p", "point.csv").stdout, "the numbers are the same")
        # One row that alone could be anything: as the model has it.
        pathlib.Path("row.csv").write_text("when;member;size\n2022-03-04;yes;1,234\n")
        pathlib.Path("same.csv").write_text("when,member,size\n2022-03-04,yes,1.234\n")
        self.assertEqual(self.fine("predict", "m", "row.csv").stdout, self.fine("predict", "p", "same.csv").stdout)
        self.assertEqual(self.fine("predict", "m", "-", input=pathlib.Path("row.csv").read_text()).stdout,
                         self.fine("predict", "m", "row.csv").stdout)
        self.assertEqual(self.fine("predict", "p", "row.csv", "--decimal", ",").stdout, self.fine("predict", "m", "row.csv").stdout)
        self.refused(3, ["'1.234' is text where numbers are expected"], "predict", "m", "same.csv")
        self.assertEqual(json.loads(self.fine("info", "m", "--json").stdout)["decimal"], ",")

    def test_answers_far_from_zero_keep_their_digits(self):
        """Times and ids: what a float would round together is told apart, in no more digits than an answer has."""
        rows = range(1, 61)
        write_csv("far.csv", ["y", "x"], [f"{1000000000 + i}.5" for i in rows], [1700000000000 + i * i for i in rows])
        self.fine("train", "far.csv", "--target", "y", "--layers", 8, "--epochs", 60, "--batch", 16, "-o", "m")
        texts = [line.split(",")[0] for line in self.fine("predict", "m", "far.csv").stdout.splitlines()[1:]]
        self.assertEqual(len(set(texts)), len(rows))
        self.assertEqual([json.loads(line)["y"] for line in self.fine("predict", "m", "far.csv", "--json").stdout.splitlines()],
                         [float(text) for text in texts])
        errors = np.array([float(text) for text in texts]) - [1000000000.5 + i for i in rows]
        said = json.loads(self.fine("eval", "m", "far.csv", "--json").stdout)["metrics"]["rms"]
        self.assertAlmostEqual(np.sqrt(np.mean(errors**2)) / said, 1, places=5)
        for text in texts:
            self.assertRegex(text, r"^10000000\d\d(\.\d{1,5})?$", "a millionth of the deviation, 17, and no more")
        # Others look as they did: the shortest text of the same float.
        self.train("wave.csv", "t", "--epochs", 1, "--out", "w")
        for line in self.fine("predict", "w", "wave.csv").stdout.splitlines()[1:]:
            self.assertLessEqual(len(line.split(",")[0].lstrip("-").replace(".", "").split("e")[0].lstrip("0")), 9, line)

    def test_thousands(self):
        draw = np.random.default_rng(2)
        x = draw.integers(1000, 9999999, 80)
        pathlib.Path("a.csv").write_text("x;y\n" + "".join(f"{v:,};{v % 100}.5\n" for v in x))
        pathlib.Path("b.csv").write_text("x;y\n" + "".join(f"{v};{v % 100}.5\n" for v in x))
        said = self.fine("train", "a.csv", "--target", "y", *FEW, "-o", "t", "--categories", "hashed:4").stderr
        self.assertIn("'x' is taken for text because of", said)
        self.assertIn("say what the marks are with --decimal or --thousands", said)
        self.fine("train", "a.csv", "--target", "y", "--thousands", ",", *FEW, "-o", "a")
        self.fine("train", "b.csv", "--target", "y", *FEW, "-o", "b")
        self.assertEqual(self.fine("predict", "a", "a.csv").stdout, self.fine("predict", "b", "b.csv").stdout)
        self.refused(2, ["--thousands", "\"x\""], "train", "a.csv", "--target", "y", "--thousands", "x", "-o", "n")
        self.refused(2, ["--decimal", "\"x\""], "train", "a.csv", "--target", "y", "--decimal", "x", "-o", "n")
        self.refused(2, ["cannot stand between thousands"], "train", "a.csv", "--target", "y", "--thousands", ",", "--decimal", ",", "-o", "n")

    def test_the_cell_that_is_no_number_is_named_whatever_the_marks(self):
        marks = ["--decimal", ",", "--thousands", "."]
        rows = [f"{k},17;1.213,{k};{k % 7},5" for k in range(10, 90)]
        pathlib.Path("g.csv").write_text("\n".join(["Menge;Preis;y", *rows]) + "\n")
        self.fine("train", "g.csv", "--target", "y", *marks, *FEW, "-o", "m")
        pathlib.Path("bad.csv").write_text("Menge;Preis\n13,17;1.213,5\nabc;1\n")
        self.refused(3, ["bad.csv, line 3, column 'Menge': 'abc' is text where numbers are expected; correct it\n"], "predict", "m", "bad.csv")
        pathlib.Path("n.csv").write_text("\n".join(["Menge;Preis;y", *rows[:7], "n.d.;1;3,5", *rows[7:]]) + "\n")
        said = self.fine("train", "n.csv", "--target", "y", *marks, *FEW, "-o", "n", "--unknown", "zeros").stderr
        self.assertIn("'Menge' is taken for text because of 'n.d.' (n.csv, line 9); correct it, or name the column with --text", said)

    def test_numbers_with_other_marks_than_were_given_are_said(self):
        draw = np.random.default_rng(2)
        names = ["a", "b", "c", "d", "e", "f", "g"]
        write_csv("p.csv", names + ["y"], *draw.normal(size=(7, 80)).round(2), draw.integers(0, 3, 80))
        said = self.fine("train", "p.csv", "--target", "y", "--delimiter", ",", "--decimal", ",", *FEW, "-q", "-o", "m", "--unknown", "zeros").stderr
        self.assertRegex(said, r"irn: 'a', 'b', 'c', 'd', 'e' and 2 more are taken for text because of '-?\d\.\d+' \(p.csv, line 2\); correct it, "
                               r"say what the marks are with --decimal or --thousands, or name the columns with --text\n")

    def test_utf_16_is_called_that(self):
        self.train("flowers.csv", "kind", "--epochs", 1, "--out", "m")
        pathlib.Path("u.csv").write_text(pathlib.Path("flowers.csv").read_text(), encoding="utf-16")
        for command in (["train", "u.csv", "--target", "kind"], ["predict", "m", "u.csv"], ["eval", "m", "u.csv"]):
            self.refused(3, ["u.csv: UTF-16 text; save it as UTF-8, or convert it: iconv -f UTF-16 -t UTF-8"], *command)

    def test_classes_beyond_2_to_the_53(self):
        draw = np.random.default_rng(2)
        x = draw.normal(size=100).round(3)
        write_csv("c.csv", ["x", "y"], x, np.where(x > 0, "9007199254740993", "9007199254740992"))
        said = self.fine("train", "c.csv", "--target", "y", *FEW, "--epochs", 40, "-o", "m").stderr
        self.assertIn("classification", said)
        answers = {line.split(",")[0] for line in self.fine("predict", "m", "c.csv").stdout.splitlines()[1:]}
        self.assertEqual(answers, {"9007199254740993", "9007199254740992"})
        self.fine("eval", "m", "c.csv")
        np.savez("c.npz", x=x, y=np.where(x > 0, 9007199254740993, 9007199254740992))
        self.refused(3, ["a class by a whole number beyond 2^53"], "train", "c.npz", "--target", "y", "-o", "n")


class ManyTexts(ProgramTest):
    def setUp(self):
        super().setUp()
        draw = np.random.default_rng(7)
        city = [f"city{k}" for k in draw.geometric(0.0007, 4000) % 3000]
        write_csv("c.csv", ["city", "y"], city, [f"{len(c)}.{c[-1]}" for c in city])

    def test_more_than_a_thousand_texts(self):
        self.refused(3, ["more than 1000 different values", "(--categories)"], "train", "c.csv", "--target", "y", "-o", "m")
        for choice, width in (("frequent:20", 21), ("hashed:16", 16)):
            said = self.fine("train", "c.csv", "--target", "y", "--categories", choice, *FEW, "--epochs", 1, "-o", "m", "--overwrite").stderr
            self.assertIn("'city': ", said)
            self.assertEqual(json.loads(self.fine("info", "m", "--json").stdout)["inputs"], width)
            pathlib.Path("new.csv").write_text("city\ncity1\nnever seen\n5\n")
            whole = self.fine("predict", "m", "new.csv").stdout
            self.assertEqual(len(whole.splitlines()), 4)
            self.assertEqual(self.fine("predict", "m", "-", input="city\ncity1\nnever seen\n5\n").stdout, whole)
            alone = self.fine("predict", "m", "-", input="city\n5\n").stdout
            self.assertEqual(alone.splitlines()[1], whole.splitlines()[3], "a stretch of numbers is texts all the same")
            page = python_of_the_page(whole=True)
            metadata, tensors = page["read"]("m/model.safetensors")
            for text, line in zip(("city1", "never seen"), whole.splitlines()[1:]):
                answer = page["decode"](metadata, page["settle"](metadata, tensors, page["encode"](metadata, {"city": text})))
                self.assertAlmostEqual(answer[0], float(line.split(",")[0]), places=3)

    def test_nonsense(self):
        for choice in ("few", "frequent", "frequent:0", "hashed:x", "hashed:100000000"):
            self.refused(2, ["--categories"], "train", "c.csv", "--target", "y", "--categories", choice, "-o", "m")


class Files(ProgramTest):
    def test_several_files_are_one_table(self):
        rows = pathlib.Path("flowers.csv").read_text().splitlines(keepends=True)
        pathlib.Path("part1.csv").write_text("".join(rows[:80]))
        pathlib.Path("part2.csv").write_text(rows[0] + "".join(rows[80:]))
        self.fine("train", "flowers.csv", "--target", "kind", *FEW, "-o", "one")
        self.fine("train", "part1.csv", "part2.csv", "--target", "kind", *FEW, "-o", "two")
        self.fine("train", "part*.csv", "--target", "kind", *FEW, "-o", "three")
        one = self.fine("predict", "one", "flowers.csv", "--keep", "size").stdout
        for model in ("two", "three"):
            self.assertEqual(self.fine("predict", model, "part1.csv", "part2.csv", "--keep", "size").stdout, one)
        self.assertEqual(self.fine("eval", "two", "part1.csv", "part2.csv").stdout, self.fine("eval", "one", "flowers.csv").stdout)
        self.fine("train", "--config", "two/config.toml", "-o", "again")
        self.assertEqual(pathlib.Path("two/model.safetensors").read_bytes()[-200:], pathlib.Path("again/model.safetensors").read_bytes()[-200:])
        self.fine("cv", "part1.csv", "part2.csv", "--target", "kind", "--folds", 2, "--layers", 4, "--epochs", 1, "-o", "cv")

    def test_files_that_do_not_fit(self):
        pathlib.Path("other.csv").write_text("size,hue,kind\n1,red,rose\n")
        self.refused(3, ["other.csv, line 1: column 2 is 'hue' where flowers.csv has 'colour'"],
                     "train", "flowers.csv", "other.csv", "--target", "kind", "-o", "m")
        self.train("flowers.csv", "kind", "--epochs", 1, "--out", "m")
        result = irn_program.run("predict", "m", "flowers.csv", "other.csv")
        self.assertEqual(result.returncode, 3)
        self.assertIn("other.csv, line 1: column 2 is 'hue'", result.stderr)
        pathlib.Path("bad.csv").write_text("size,colour,kind\n1,red,rose\n2,red\n")
        self.refused(3, ["bad.csv, line 3"], "train", "flowers.csv", "bad.csv", "--target", "kind", "-o", "n")
        self.refused(2, ["no file matches 'nothing*.csv'"], "train", "nothing*.csv", "--target", "kind", "-o", "n")
        self.refused(2, ["standard input is read alone"], "train", "flowers.csv", "-", "--target", "kind", "-o", "n")

    def test_a_comma_in_the_name_of_a_file(self):
        pathlib.Path("flowers.csv").rename("a,b.csv")
        self.fine("train", "a,b.csv", "--target", "kind", *FEW, "-o", "m")
        self.fine("train", "--config", "m/config.toml", "-o", "n")

    def test_a_model_in_place_of_a_table(self):
        visits("v.csv")
        self.fine("train", "v.csv", "--target", "paid", *FEW, "-o", "m")
        for command in (("train", "m/model.safetensors", "--target", "paid"), ("predict", "m", "m/model.safetensors"),
                        ("eval", "m", "m/model.safetensors")):
            self.refused(3, ["m/model.safetensors: a model (a safetensors file), and no table"], *command)

    def test_tables_of_other_programs(self):
        for name, content, words in (("t.parquet", b"PAR1\x15\x04\x15", "a Parquet file"), ("t.arrow", b"ARROW1\0\0xx", "an Arrow (Feather) file"),
                                     ("t.json", b'[\n  {"y": 1}]', "JSON"), ("t.jsonl", b'{"y": 1}\n{"y": 2}\n', "JSON")):
            pathlib.Path(name).write_bytes(content)
            self.refused(3, [name, words, "Convert it in Python"], "train", name, "--target", "y", "-o", "m")
        for start in ("<!DOCTYPE html>", "<!doctype html>", "<html lang='en'>"):
            pathlib.Path("t.html").write_text(start + "<table></table>")
            self.refused(3, ["t.html: a page of HTML"], "train", "t.html", "--target", "y", "-o", "m")
        with zipfile.ZipFile("t.zip", "w") as archive:
            archive.write("flowers.csv")
        self.refused(3, ["t.zip, member 'flowers.csv': not an NPY file", "unpack it first"], "train", "t.zip", "--target", "y", "-o", "m")

    def test_half_precision_and_arrays_by_other_names(self):
        draw = np.random.default_rng(5)
        x = draw.normal(size=(90, 2)).astype("f2")
        np.savez("h.npz", X_train=x[:60], y_train=x[:60].sum(1), X_test=x[60:], y_test=x[60:].sum(1))
        self.refused(3, ["different numbers of rows", "X_test (30)", "(--arrays)"], "train", "h.npz", "--target", "y", "-o", "m")
        self.fine("train", "h.npz", "--arrays", "x=X_train,y=y_train", "--target", "y", *FEW, "-o", "m")
        self.fine("eval", "m", "h.npz", "--arrays", "x=X_test,y=y_test")
        self.refused(3, ["unknown array \"X_tset\""], "eval", "m", "h.npz", "--arrays", "x=X_tset")
        np.save("x.npy", x)
        frame = np.loadtxt(io.StringIO(self.fine("predict", "m", "x.npy").stdout), delimiter=",", skiprows=1)
        write_csv("x.csv", ["x0", "x1"], *[[repr(float(v)) for v in column] for column in x.T])
        self.assertTrue((frame == np.loadtxt(io.StringIO(self.fine("predict", "m", "x.csv").stdout), delimiter=",", skiprows=1)).all())


if __name__ == "__main__":
    irn_program.main()
