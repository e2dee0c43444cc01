"""PyTorch's side of step-time.bench.mjs: reads commands from standard input, answers with a JSON line each."""
import json
import os
import resource
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "test", "fixtures"))
import models  # noqa: E402

folder = sys.argv[1]
with open(os.path.join(folder, "job.json")) as file:
    job = json.load(file)
torch.set_num_threads(job["threads"])

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

optimizer = torch.optim.AdamW(parameters.values(), lr=job["learningRate"], weight_decay=0.01)
labels = torch.tensor(job["labels"])


def forward(ids):
    return F.cross_entropy(run(model, {"ids": ids}), labels)


def answer(**values):
    print(json.dumps(values), flush=True)


answer(ready=True)
for line in sys.stdin:
    command, argument = line.split()
    if command == "step":
        ids = torch.tensor(job["batches"][int(argument) % len(job["batches"])])
        started, cpu = time.perf_counter(), time.process_time()
        loss = forward(ids)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        wall, cpu = time.perf_counter() - started, time.process_time() - cpu
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        answer(loss=loss.item(), wall=wall, cpu=cpu, peak=peak)
    elif command == "gradients":
        loss = forward(torch.tensor(job["batches"][0]))
        loss.backward()
        with open(argument, "wb") as file:
            for name, _ in job["parameters"]:
                parameters[name].grad.numpy().tofile(file)
        optimizer.zero_grad(set_to_none=True)
        answer(loss=loss.item())
