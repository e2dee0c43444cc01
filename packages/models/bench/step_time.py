"""PyTorch's side of step-time.bench.mjs: reads commands from standard input, answers with a JSON line each."""
import json
import os
import resource
import sys
import time
from unittest import mock

import numpy as np
import torch
import torch.nn.functional as F

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "test", "fixtures"))
import models  # noqa: E402

folder = sys.argv[1]
with open(os.path.join(folder, "job.json")) as file:
    job = json.load(file)
torch.set_num_threads(job["threads"])
device = "cuda" if job["gpu"] and torch.cuda.is_available() else "cpu"

builders = {"roberta": models.roberta_classifier, "t5": models.t5_classifier}
model, run = builders[job["config"]["model_type"]](job["config"], 2)
weights = np.memmap(os.path.join(folder, "weights.bin"), dtype=np.float32, mode="r")
parameters = dict(model.named_parameters())
offset = 0
with torch.no_grad():
    for name, shape in job["parameters"]:
        size = int(np.prod(shape))
        parameters[name].copy_(torch.from_numpy(np.array(weights[offset : offset + size])).view(shape))
        offset += size
assert offset == len(weights) and len(parameters) == len(job["parameters"])
del weights
model.to(device)

matrices = [parameters[name] for name in job["matrices"]]
undecayed = [parameter for name, parameter in parameters.items() if name not in set(job["matrices"])]
optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.01}, {"params": undecayed, "weight_decay": 0}])
labels = torch.tensor(job["labels"], device=device)


def forward(ids):
    return F.cross_entropy(run(model, {"ids": ids}), labels)


class SidedRelu:
    """ReLUs whose inputs count as positive where the file says so, in the order of the calls."""

    def __init__(self, path):
        self.sides = torch.from_numpy(np.fromfile(path, dtype=np.uint8)).bool().to(device)
        self.taken, self.flips, self.largest = 0, 0, 0.0

    def __call__(self, x):
        side = self.sides[self.taken : self.taken + x.numel()].view(x.shape)
        self.taken += x.numel()
        flipped = x.detach()[side != (x.detach() > 0)]
        if flipped.numel():
            self.flips += flipped.numel()
            self.largest = max(self.largest, float(flipped.abs().max() / x.detach().std()))
        return x * side


def answer(**values):
    print(json.dumps(values), flush=True)


answer(ready=True)
for line in sys.stdin:
    command, argument, *others = line.split()
    if command == "step":
        ids = torch.tensor(job["batches"][int(argument) % len(job["batches"])], device=device)
        started, cpu = time.perf_counter(), time.process_time()
        loss = forward(ids)
        loss.backward()
        if "clipNorm" in job:
            torch.nn.utils.clip_grad_norm_(parameters.values(), job["clipNorm"])
        for group in optimizer.param_groups:
            group["lr"] = float(others[0])
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        value = loss.item()  # waits for the device
        wall, cpu = time.perf_counter() - started, time.process_time() - cpu
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        answer(loss=value, wall=wall, cpu=cpu, peak=peak)
    elif command == "gradients":
        model.to(getattr(torch, others[0]))
        relu = SidedRelu(os.path.join(folder, "sides.bin"))
        with mock.patch.object(F, "relu", relu):
            loss = forward(torch.tensor(job["batches"][0], device=device))
        loss.backward()
        with open(argument, "wb") as file:
            for name, _ in job["parameters"]:
                parameters[name].grad.double().cpu().numpy().tofile(file)
        optimizer.zero_grad(set_to_none=True)
        model.float()  # exact: the numbers came from single precision
        answer(loss=loss.item(), flips=relu.flips, relus=relu.taken, largest=relu.largest)
