"""The pages of trainings: what they tell, of few and many classes, rows and targets.

usage: pages.py IRN_PROGRAM [unittest's options]
"""

import html
import pathlib
import re
import xml.dom.minidom

import numpy as np

import irn_program
from irn_program import ProgramTest, write_csv

DATE = r"date</dt><dd>20\d\d-\d\d-\d\d \d\d:\d\d<"
TOOK = r"took</dt><dd>[\d.]+ (s|min \d\d s|h \d\d min)<"
QUICK = ["--layers", "8", "--epochs", "4", "--quiet"]


def classes(path, count, rows):
    draw = np.random.default_rng(count)
    label = np.concatenate([np.arange(count), draw.integers(0, count, rows - count)])
    centres = draw.normal(size=(count, 3)) * 2
    x = (centres[label] + draw.normal(size=(rows, 3))).round(3)
    write_csv(path, ["a", "b", "c", "colour", "label"], *x.T, draw.choice(["red", "blue"], rows), [f"class {k}" for k in label])


class Pages(ProgramTest):
    def page(self, *arguments, out="m"):
        self.fine(*arguments, "-o", out, "--overwrite")
        text = pathlib.Path(out, "report.html").read_text(encoding="utf-8")
        for figure in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
            xml.dom.minidom.parseString(figure)
        self.assertNotIn("nan", re.sub(r"<[^>]*>", " ", text).lower().split(), "no number that is none is shown")
        return html.unescape(text)

    def test_what_every_page_of_a_training_tells(self):
        classes("c.csv", 2, 300)
        page = self.page("train", "c.csv", "--target", "label", *QUICK)
        self.assertRegex(page, DATE)
        self.assertRegex(page, TOOK)
        for words in ("Metrics of each class.", "(a) ROC", "(b) Calibration", "What the answers depend on", "The columns, over the 300 rows",
                      "2 values; '", "How three rows settle", "most evaluations", "layer 1: 8 neurons, f = sigmoid; driven by the inputs (forward), itself (lateral)",
                      "layer 2, whose states are the answers", "The training loss is the mean over the epoch, while the weights moved."):
            self.assertIn(words, page)
        self.assertEqual(page.count("Metrics of each class."), 1)

    def test_noise_in_the_training_loss_is_said(self):
        page = self.page("train", "wave.csv", "--target", "t", "--noise", "0.2", *QUICK)
        self.assertIn("over inputs with noise of deviation 0.2", page)
        self.assertIn("training, with noise", page)

    def test_many_classes(self):
        classes("c.csv", 10, 400)
        self.assertIn("(a) ROC", self.page("train", "c.csv", "--target", "label", *QUICK))
        classes("c.csv", 60, 900)
        page = self.page("train", "c.csv", "--target", "label", *QUICK)
        for words in ("The 10 of 60 classes with the lowest F1.", "Metrics of all 60 classes", "The most frequent confusions.", "Calibration"):
            self.assertIn(words, page)
        self.assertNotIn("(a) ROC", page)

    def test_few_rows_and_many_targets(self):
        draw = np.random.default_rng(3)
        x = draw.normal(size=(60, 2)).round(3)
        write_csv("t.csv", ["a", "b", *(f"y{k}" for k in range(5))], *x.T, *[(x[:, 0] * k + x[:, 1]).round(3) + 0.5 for k in range(5)])
        page = self.page("train", "t.csv", "--target", "y0,y1,y2,y3,y4", *QUICK)
        self.assertIn("target, number", page)
        classes("c.csv", 2, 20)
        self.page("train", "c.csv", "--target", "label", *QUICK)

    def test_cross_validation_tells_its_numbers_once(self):
        classes("c.csv", 3, 90)
        page = self.page("cv", "c.csv", "--target", "label", "--folds", 3, *QUICK, out="cv")
        self.assertEqual(len(re.findall(r"<td[^>]*>balanced_accuracy</td>", page)), 1)
        self.assertRegex(page, TOOK)

    def test_every_page_says_when_it_was_made_and_what_it_took(self):
        classes("c.csv", 2, 60)
        self.fine("train", "c.csv", "--target", "label", *QUICK, "-o", "m")
        pathlib.Path("space.toml").write_text("rate = [0.01, 0.02]\n")
        for page, arguments in {"compare.html": ("compare", "m", "m", "-o", "compare.html"),
                                "importance.html": ("importance", "m", "c.csv", "-o", "importance.html"),
                                "check.html": ("check", "m", "c.csv", "--html", "check.html"),
                                "cv/report.html": ("cv", "c.csv", "--target", "label", "--folds", 2, *QUICK, "-o", "cv"),
                                "sweep/report.html": ("sweep", "c.csv", "--target", "label", "--space", "space.toml", "--folds", 2, *QUICK, "-o", "sweep")}.items():
            self.fine(*arguments)
            text = pathlib.Path(page).read_text(encoding="utf-8")
            self.assertRegex(text, DATE, page)
            self.assertRegex(text, TOOK, page)


if __name__ == "__main__":
    irn_program.main()
