"""PyTorch's side of model-decoding.bench.mjs: a loop as Hugging Face's `generate` runs it, with a key-value cache, on the
networks of packages/models/test/fixtures/models.py. Reads commands from standard input, answers with a JSON line each.

The encoder and the keys and values of cross-attention are computed once and repeated for the beams; the cache grows by
concatenation and is reordered by `index_select`.
"""
import json
import os
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "..", "models", "test", "fixtures"))
import models  # noqa: E402

folder = sys.argv[1]
with open(os.path.join(folder, "job.json")) as file:
    job = json.load(file)
torch.set_num_threads(job["threads"])
c, WIDTH, TOKENS, END = job["config"], job["width"], job["tokens"], 2
c.setdefault("num_decoder_layers", c["num_layers"])
heads = c["num_heads"]
model, _ = models.t5_seq2seq(c)
model.eval()
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
source = torch.tensor([job["source"]])
table = model.decoder.block[0].layer[0].SelfAttention.relative_attention_bias
buckets, farthest = c["relative_attention_num_buckets"], c["relative_attention_max_distance"]


def split(x):
    return x.view(x.shape[0], x.shape[1], heads, -1).transpose(1, 2)


def attend(attention, query, key, value, bias):
    weights = (query @ key.transpose(-1, -2) + bias).softmax(-1)
    mixed = (weights @ value).transpose(1, 2)
    return attention.o(mixed.reshape(mixed.shape[0], 1, -1))


def step(tokens, past, cross, memory_bias):
    """tokens (rows); past and cross: for each layer key and value (rows, heads, length, size)."""
    x = model.shared(tokens)[:, None]
    length = past[0][0].shape[2] + 1 if past else 1
    bucket = models.t5_bucket(torch.arange(length) - (length - 1), False, buckets, farthest)
    bias = table(bucket).t()[None, :, None]
    following = []
    for index, block in enumerate(model.decoder.block):
        own, other, feed = block.layer
        y = own.layer_norm(x)
        key, value = split(own.SelfAttention.k(y)), split(own.SelfAttention.v(y))
        if past:
            key, value = torch.cat([past[index][0], key], 2), torch.cat([past[index][1], value], 2)
        following.append((key, value))
        x = x + attend(own.SelfAttention, split(own.SelfAttention.q(y)), key, value, bias)
        query = split(other.EncDecAttention.q(other.layer_norm(x)))
        x = x + attend(other.EncDecAttention, query, *cross[index], memory_bias)
        x = x + feed.DenseReluDense.wo(F.relu(feed.DenseReluDense.wi(feed.layer_norm(x))))
    hidden = model.decoder.final_layer_norm(x)[:, 0] * c["d_model"] ** -0.5
    scores = torch.log_softmax(F.linear(hidden, model.shared.weight), -1)
    scores[:, END] = float("-inf")
    return scores, following


def encode(rows):
    memory, bias = models.t5_encode(model, c, source)
    cross = []
    for block in model.decoder.block:
        attention = block.layer[1].EncDecAttention
        cross.append(tuple(split(part(memory)).repeat(rows, 1, 1, 1) for part in (attention.k, attention.v)))
    return cross, bias


def greedy():
    cross, bias = encode(1)
    tokens, past, found = torch.tensor([0]), None, []
    for _ in range(TOKENS):
        scores, past = step(tokens, past, cross, bias)
        tokens = scores.argmax(-1)
        found.append(tokens.item())
    return found


def beam():
    cross, bias = encode(WIDTH)
    tokens, past = torch.zeros(WIDTH, dtype=torch.long), None
    totals = torch.full((WIDTH,), -1e9)
    totals[0] = 0.0
    sequences = torch.zeros(WIDTH, 0, dtype=torch.long)
    for _ in range(TOKENS):
        scores, past = step(tokens, past, cross, bias)
        best, at = torch.topk((scores + totals[:, None]).flatten(), 2 * WIDTH)
        totals, at = best[:WIDTH], at[:WIDTH]  # the end never comes
        parents, tokens = torch.div(at, c["vocab_size"], rounding_mode="floor"), at % c["vocab_size"]
        sequences = torch.cat([sequences[parents], tokens[:, None]], 1)
        past = [(key.index_select(0, parents), value.index_select(0, parents)) for key, value in past]
    return sequences[0].tolist()


commands = {"encode": lambda: encode(1) and [], "greedy": greedy, "beam": beam}
print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    wall, cpu = time.perf_counter(), time.process_time()
    with torch.no_grad():
        tokens = commands[line.strip()]()
    answer = {"tokens": tokens, "cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
    print(json.dumps(answer), flush=True)
