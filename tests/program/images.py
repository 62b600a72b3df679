"""Images: their shape from files and from options, changed while training, answered by several views.

usage: images.py IRN_PROGRAM [unittest's options]
"""

import csv
import io
import json
import tomllib

import numpy as np

import irn_program
from irn_program import SMALL, ProgramTest, run

QUICK = [*SMALL, "--epochs", "3", "--quiet"]


def bars(rows, height=8, width=10, seed=1):
    """A line of light, upright (class 1) or lying (class 0), somewhere."""
    draw = np.random.default_rng(seed)
    x, y = draw.integers(0, 20, (rows, height, width)), draw.integers(0, 2, rows)
    for image, upright in zip(x, y):
        if upright:
            image[:, draw.integers(width)] += 200
        else:
            image[draw.integers(height), :] += 200
    return x.astype(np.uint8), y.astype(np.uint8)


def write_idx(path, array):
    with open(path, "wb") as file:
        file.write(bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">i4").tobytes() + array.tobytes())


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


class Images(ProgramTest):
    def setUp(self):
        super().setUp()
        self.x, self.y = bars(160)
        write_idx("bars-images-idx3-ubyte", self.x)
        write_idx("bars-labels-idx1-ubyte", self.y)

    def info(self, model):
        return json.loads(self.fine("info", model, "--json").stdout)

    def test_the_shape_is_that_of_the_file(self):
        self.fine("train", "bars-images-idx3-ubyte", *QUICK, "--out", "m")
        self.assertEqual(self.info("m")["images"], "8x10")
        self.assertIn("images of 8x10", self.fine("info", "m").stdout)
        self.assertIn("pixel0 to pixel79: number", self.fine("info", "m").stdout)
        with open("m/report.html", encoding="utf-8") as page:
            self.assertRegex(page.read(), "pixel0 to pixel79.*images of 8x10.*0 to 219")
        self.fine("train", "bars-images-idx3-ubyte", *QUICK, "--images", "none", "--out", "none")
        self.assertNotIn("images", self.info("none"))

    def test_arrays_of_colour_are_read_with_their_channels_first_or_last(self):
        colour = np.stack([self.x, self.x // 2, 255 - self.x], axis=1)
        np.savez("first.npz", x=colour, y=self.y)
        np.savez("last.npz", x=np.moveaxis(colour, 1, -1), y=self.y)
        for name in ("first", "last"):
            self.fine("train", name + ".npz", "--target", "y", *QUICK, "--out", name)
            self.assertEqual(self.info(name)["images"], "3x8x10")
        both = [self.fine("predict", "first", name + ".npz", "--probabilities").stdout for name in ("first", "last")]
        self.assertEqual(*both)
        weights = [open(name + "/model.safetensors", "rb").read()[-4000:] for name in ("first", "last")]
        self.assertEqual(*weights)

    def test_images_in_colour_of_an_odd_size_need_no_option_but_the_target(self):
        x, y = bars(400, 11, 13)
        np.savez("odd.npz", x=np.stack([x, x // 2, 255 - x], axis=1), y=y)
        self.fine("train", "odd.npz", "--target", "y", "--epochs", "12", "--quiet", "--out", "m")
        self.assertTrue(self.info("m")["network"].startswith("3x11x13-16k5s2relu-"), self.info("m")["network"])
        reached = json.loads(self.fine("eval", "m", "odd.npz", "--json").stdout)
        self.assertGreater(reached["accuracy"], 0.85)
        self.assertEqual(reached["settled"], 1)

    def test_images_too_small_for_filters_need_no_option_either(self):
        for height, width in ((2, 9), (9, 2), (3, 3)):
            x, y = bars(120, height, width)
            np.savez("small.npz", x=x, y=y)
            self.fine("train", "small.npz", "--target", "y", "--epochs", "1", "--quiet", "--out", f"{height}x{width}")

    def test_a_network_with_convolutions_is_trained_alike_however_it_is_said(self):
        said = (["--convolutions", "6k3", "--recurrence", "none"], ["--architecture", "1x8x10-6k3relu-2identity/none"],
                ["--layers", "6"], ["--architecture", "80-6relu-2identity/none"])
        chosen = []
        for k, options in enumerate(said):
            self.fine("train", "bars-images-idx3-ubyte", *options, "--epochs", "1", "--quiet", "--out", str(k))
            with open(f"{k}/config.toml", "rb") as file:
                settings = tomllib.load(file)
            chosen.append([settings[name] for name in ("augment", "noise", "batch")])
        self.assertEqual(chosen[0], chosen[1])
        self.assertEqual(chosen[2], chosen[3])
        self.assertNotEqual(chosen[0], chosen[2])

    def test_dropout_and_normalised_weights_train(self):
        train = ["train", "bars-images-idx3-ubyte", "--convolutions", "6k3s2", "--augment", "none", "--epochs", "40", "--quiet"]
        more = {"dropout": ["--dropout", "0.2"], "normalised": ["--normalise"],
                "both": ["--dropout", "0.2", "--normalise", "--average", "0.9", "--augment", "shift=1"]}
        for name, options in more.items():
            self.fine(*train, *options, "--out", name)
            reached = json.loads(self.fine("eval", name, "bars-images-idx3-ubyte", "--json").stdout)
            self.assertGreater(reached["accuracy"], 0.8, name)
            self.assertEqual(reached["settled"], 1, name)

    def test_a_table_is_told_its_shape(self):
        with open("bars.csv", "w", encoding="utf-8") as file:
            print(*(f"p{i}" for i in range(80)), "y", sep=",", file=file)
            for image, label in zip(self.x.reshape(160, 80), self.y):
                print(*image, "ab"[label], sep=",", file=file)
        train = ["train", "bars.csv", "--target", "y", *QUICK]
        self.fine(*train, "--images", "8x10", "--augment", "shift=1", "--out", "m")
        self.assertEqual(self.info("m")["images"], "8x10")
        self.assertEqual(self.info("m")["augmentation"], "shift=1")
        self.refused(2, ["--images", "784 pixels", "80 inputs"], *train, "--images", "28x28", "--out", "n")
        self.refused(2, ["--images", "no shape"], *train, "--images", "8", "--out", "n")
        self.refused(2, ["--augment", "--images"], *train, "--augment", "shift=1", "--out", "n")

    def test_images_of_another_size_are_refused(self):
        self.fine("train", "bars-images-idx3-ubyte", *QUICK, "--out", "m")
        write_idx("wide-images-idx3-ubyte", bars(20, 10, 8)[0])
        write_idx("small-images-idx3-ubyte", bars(20, 4, 5)[0])
        for name, shape in (("wide", "10x8"), ("small", "4x5")):
            for command in ("predict", "eval"):
                self.refused(3, [f"images of {shape}", "images of 8x10"], command, "m", f"{name}-images-idx3-ubyte")
        self.refused(3, ["images of 10x8", "images of 8x10"], "train", "bars-images-idx3-ubyte",
                     "wide-images-idx3-ubyte", *QUICK, "--target", "pixel0", "--out", "n")
        self.refused(2, ["--architecture", "images of 10x8", "8x10"], "train", "bars-images-idx3-ubyte", *QUICK,
                     "--architecture", "1x10x8-4k3-2identity/none", "--out", "n")
        self.refused(3, ["small-images", "labels", "--labels"], "train", "small-images-idx3-ubyte", *QUICK, "--target", "label",
                     "--out", "n")
        self.refused(2, ["--images", "3x20", "8x10"], "train", "bars-images-idx3-ubyte", *QUICK, "--images", "3x20",
                     "--out", "n")

    def test_nonsense_is_refused_in_one_line(self):
        train = ["train", "bars-images-idx3-ubyte", *QUICK, "--out", "n"]
        for option, word, said in (
                ("--augment", "", "key=value"), ("--augment", "shift", "key=value"), ("--augment", "shfit=2", "shift"),
                ("--augment", "shift=far", "number"), ("--augment", "shift=-1", "0 or more"),
                ("--augment", "shift=10", "out of sight"), ("--augment", "rotate=400", "180"),
                ("--augment", "cutout=16", "leaves nothing"), ("--augment", "scale=2", "0.9"),
                ("--augment", "flip=1e9", "true"), ("--augment", "shift=1,shift=2", "twice"),
                ("--convolutions", "8k99", "--convolutions: "), ("--convolutions", "8k3,8k", "layer 2"),
                ("--convolutions", "8k3/full", "is no layer"), ("--convolutions", "8k3s9", "layer 1"),
                ("--convolutions", "99999999k3", "too large"),
                ("--architecture", "1x8x10-4k3g3-2", "--architecture: layer 1"),
                ("--architecture", "1x8x10-4k3-2/none+1:1=conv2", "--architecture: connection 1:1"),
                ("--average", "1", "below 1"), ("--average", "-0.1", "below 1"), ("--average", "nan", "below 1"),
                ("--dropout", "1", "below 1"), ("--dropout", "-0.1", "below 1"), ("--dropout", "half", "number"),
                ("--average", "often", "below 1"), ("--loss", "cross-entropy:smoothing=1", "smoothing"),
                ("--schedule", "one-cycle:peak=2", "one-cycle"), ("--schedule", "onecycle", "one-cycle")):
            with self.subTest(option=option, word=word):
                self.refused(2, [said], *train, option, word)
        loop = ["--architecture", "1x8x10-4k3relu-pool2-2identity/none+2:1=up2"]  # of means and copies alone, which never shrink
        self.refused(2, ["cannot be certified", "train without a certificate"], *train[:-1], "loop", *loop)
        for recurrence in ("lateral=conv2", "feedback=conv3"):
            self.refused(2, ["--recurrence: ", recurrence.split("=")[1]], *train, "--convolutions", "8k3", "--recurrence", recurrence)

    def test_changes_and_averages_train(self):
        self.fine("train", "bars-images-idx3-ubyte", *SMALL, "--epochs", "30", "--quiet", "--augment",
                  "shift=1,rotate=5,scale=0.1,shear=0.1,elastic=0.5,cutout=3", "--average", "0.9", "--loss",
                  "cross-entropy:smoothing=0.1", "--schedule", "one-cycle", "--out", "m")
        reached = json.loads(self.fine("eval", "m", "bars-images-idx3-ubyte", "--json").stdout)
        self.assertGreater(reached["accuracy"], 0.8)
        self.assertIn("smoothing=0.1", self.info("m")["loss"])

    def test_a_mean_of_certified_weights_is_certified(self):
        self.fine("train", "bars-images-idx3-ubyte", *QUICK, "--certify", "0.5", "--average", "0.99", "--rate", "0.05",
                  "--out", "m")
        self.assertLess(self.info("m")["certificate"]["bound"], 0.75)

    def test_views_are_averaged_and_do_not_depend_on_the_place_of_a_row(self):
        self.fine("train", "bars-images-idx3-ubyte", *QUICK, "--augment", "shift=1,rotate=10", "--out", "m")
        one, many = (rows_of(self.fine("predict", "m", "bars-images-idx3-ubyte", "--probabilities", "--views", n).stdout)
                     for n in (1, 5))
        self.assertNotEqual(one, many)
        for row in many:
            self.assertAlmostEqual(float(row["label=0"]) + float(row["label=1"]), 1, places=5)
        write_idx("turned-images-idx3-ubyte", self.x[::-1])
        turned = rows_of(self.fine("predict", "m", "turned-images-idx3-ubyte", "--probabilities", "--views", 5).stdout)
        self.assertEqual(many, turned[::-1])
        threads = rows_of(self.fine("predict", "m", "bars-images-idx3-ubyte", "--probabilities", "--views", 5,
                                    "--threads", 3).stdout)
        self.assertEqual(many, threads)
        judged = json.loads(self.fine("eval", "m", "bars-images-idx3-ubyte", "--views", 5, "--json").stdout)
        right = sum(row["label"] == str(label) for row, label in zip(many, self.y))
        self.assertAlmostEqual(judged["accuracy"], right / 160)
        alone = json.loads(self.fine("eval", "m", "bars-images-idx3-ubyte", "--json").stdout)
        self.assertGreater(judged["mean_evaluations"], 3 * alone["mean_evaluations"])

    def test_views_that_make_no_sense_are_refused(self):
        self.fine("train", "bars-images-idx3-ubyte", *QUICK, "--out", "plain")
        self.fine("train", "flowers.csv", "--target", "kind", *QUICK, "--out", "table")
        for command in ("predict", "eval"):
            self.refused(2, ["--views", "how they differ"], command, "plain", "bars-images-idx3-ubyte", "--views", 3)
            self.refused(2, ["--views", "images"], command, "table", "flowers.csv", "--views", 3)
            self.refused(2, ["--views", "1 to 1000"], command, "plain", "bars-images-idx3-ubyte", "--views", 0)
            self.refused(2, ["--views"], command, "plain", "bars-images-idx3-ubyte", "--views", -1)
            self.refused(2, ["--augment", "--views"], command, "plain", "bars-images-idx3-ubyte", "--augment", "shift=1")
        self.fine("eval", "plain", "bars-images-idx3-ubyte", "--views", 3, "--augment", "shift=1")

    def test_cross_validation_and_sweeps_take_the_same_options(self):
        self.fine("cv", "bars-images-idx3-ubyte", *QUICK, "--folds", "2", "--augment", "shift=1", "--average", "0.9",
                  "--out", "cv")
        with open("space.toml", "w", encoding="utf-8") as file:
            file.write('augment = ["none", "shift=1,rotate=5"]\naverage = ["0", "0.9"]\n')
        result = run("sweep", "bars-images-idx3-ubyte", *QUICK, "--folds", "2", "--space", "space.toml", "--out", "sweep")
        self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    irn_program.main()
