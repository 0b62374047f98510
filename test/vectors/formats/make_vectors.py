"""Writes the vectors beside this file. Independent of the code under test: hashlib and struct only."""

import hashlib
import json
import pathlib
import struct

HERE = pathlib.Path(__file__).parent
ZERO = bytes(32)


def h(data):
    return hashlib.sha256(data).digest()


def s(text):
    raw = text.encode()
    return struct.pack(">H", len(raw)) + raw


def x(data):
    return "0x" + data.hex()


def seed(label):
    return h(label.encode())


def write(name, value):
    (HERE / f"{name}.json").write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def submission_ids():
    cases = [
        ("sandbox", "acct-1", "eip155:1", None, "", "{}"),
        ("sandbox", "acct-1", "eip155:1", 0, "", "{}"),
        ("sandbox", "acct-1", "eip155:59144", 2**64 - 1, "", "ünïcode ✓"),
        ("production", "acct-2", "linea", 17, "block:linea|17|0xabc|3", "0x00"),
    ]
    out = []
    for env, account, chain, number, source, data in cases:
        text = "" if number is None else str(number)
        pre = b"\x01" + s(env) + s(account) + s(chain) + s(text) + s(source) + h(data.encode())
        out.append(
            {
                "environment": env,
                "account": account,
                "chainId": chain,
                "blockNumber": None if number is None else str(number),
                "source": source,
                "proofData": data,
                "id": x(h(pre)),
            }
        )
    write("submission-id", out)


def record(kind, system, curve, encoding, version, vk, inputs, chain, number, salt):
    tail = b"\x00" if number is None else b"\x01" + struct.pack(">Q", number)
    head = bytes([1, 1 if kind == "proof" else 2]) + s(system) + s(curve) + s(encoding) + s(version)
    return head + vk + inputs + s(chain) + tail + salt


RECORDS = [
    ("proof", "groth16", "bn254", "snarkjs-json", "1", seed("vk"), seed("in"), "eip155:59144", 1234567, seed("salt")),
    ("proof", "groth16", "bn254", "", "", seed("vk"), seed("in"), "linea", None, seed("salt 2")),
    ("commitment", "commitment", "", "", "", ZERO, ZERO, "eip155:1", 2**64 - 1, seed("salt 3")),
    ("commitment", "commitment", "bn254", "", "", ZERO, ZERO, "zürich", 0, seed("salt 4")),
]


def records():
    out = []
    for fields in RECORDS:
        kind, system, curve, encoding, version, vk, inputs, chain, number, salt = fields
        raw = record(*fields)
        proof_hash = seed("proof " + system)
        preimage = proof_hash + h(raw)
        out.append(
            {
                "kind": kind,
                "system": system,
                "curve": curve,
                "encoding": encoding,
                "version": version,
                "vkHash": x(vk),
                "publicInputsHash": x(inputs),
                "chainId": chain,
                "blockNumber": None if number is None else str(number),
                "salt": x(salt),
                "record": x(raw),
                "proofHash": x(proof_hash),
                "preimage": x(preimage),
                "leaf": x(h(b"\x00" + preimage)),
            }
        )
    write("record", {"excludedLeaf": x(h(b"\x00excluded")), "cases": out})


def split(n):
    k = 1
    while k * 2 < n:
        k *= 2
    return k


def root(leaves):
    if len(leaves) == 1:
        return leaves[0]
    k = split(len(leaves))
    return h(b"\x01" + root(leaves[:k]) + root(leaves[k:]))


def path(index, leaves):
    if len(leaves) == 1:
        return []
    k = split(len(leaves))
    if index < k:
        return path(index, leaves[:k]) + [root(leaves[k:])]
    return path(index - k, leaves[k:]) + [root(leaves[:k])]


def trees():
    out = []
    for size in [1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17]:
        leaves = [h(b"\x00" + bytes([i])) for i in range(size)]
        paths = [[x(node) for node in path(i, leaves)] for i in range(size)]
        out.append({"size": size, "root": x(root(leaves)), "paths": paths})
    write("merkle-tree", {"leaf": "leaf i is H(0x00 || byte i)", "cases": out})


def headers():
    batches = []
    for chain, submitter, number, size, previous in [
        (358587, seed("submitter")[:20], 1, 1, ZERO),
        (2**64 - 1, seed("other")[:20], 2**64 - 1, 2**32 - 1, seed("previous")),
    ]:
        raw = b"\x01" + struct.pack(">Q", chain) + submitter + struct.pack(">QI", number, size) + seed("root") + previous
        batches.append(
            {
                "chainId": str(chain),
                "submitter": x(submitter),
                "number": str(number),
                "size": size,
                "root": x(seed("root")),
                "previous": x(previous),
                "header": x(raw),
                "commitment": x(h(raw)),
                "anchorLeaf": x(h(b"\x00" + h(raw))),
            }
        )
    write("batch-header", batches)
    anchors = []
    for sequence, size in [(1, 1), (70001, 3), (2**64 - 1, 2**32 - 1)]:
        raw = b"\x01" + struct.pack(">QI", sequence, size) + seed("anchor root")
        data = b"CAIRN\x01" + struct.pack(">H", sequence % 65536) + h(raw)
        anchors.append(
            {
                "sequence": str(sequence),
                "size": size,
                "root": x(seed("anchor root")),
                "header": x(raw),
                "commitment": x(h(raw)),
                "opReturn": x(data),
            }
        )
    write("anchor-header", anchors)


def statements():
    key = bytes(range(200))
    inputs = seed("input 0") + seed("input 1")
    vk = h(b"cairn/vk/1" + s("groth16") + s("bn254") + key)
    inputs_hash = h(struct.pack(">I", 2) + inputs)
    write(
        "statement",
        {
            "system": "groth16",
            "curve": "bn254",
            "version": "1",
            "canonicalKey": x(key),
            "vkHash": x(vk),
            "publicInputs": x(inputs),
            "publicInputsHash": x(inputs_hash),
            "noPublicInputsHash": x(h(bytes(4))),
            "publicBytes": x(b"journal"),
            "publicBytesHash": x(h(struct.pack(">I", 7) + b"journal")),
            "statement": x(h(b"cairn/statement/1" + s("groth16") + s("1") + vk + inputs_hash)),
        },
    )


def verify_input():
    keys = [(1, b"key zero"), (1, b"")]
    slots = [
        ("proof", 1, 0, 10**15, b"proof bytes", seed("input"), record(*RECORDS[0])),
        ("commitment", 0xFFFF, 0xFFFF, 0, seed("value"), b"", record(*RECORDS[2])),
        ("proof", 0, 1, 2**128 - 1, b"p", seed("a") + seed("b"), record(*RECORDS[1])),
    ]
    raw = b"\x01" + struct.pack(">H", len(keys))
    for tag, key in keys:
        raw += bytes([tag]) + struct.pack(">I", len(key)) + key
    raw += struct.pack(">HI", 2, len(slots))
    out = []
    for kind, key, payer, price, proof, inputs, rec in slots:
        raw += bytes([1 if kind == "proof" else 2]) + struct.pack(">HH", key, payer) + price.to_bytes(16, "big")
        raw += struct.pack(">I", len(proof)) + proof + struct.pack(">I", len(inputs)) + inputs
        raw += struct.pack(">H", len(rec)) + rec
        out.append(
            {
                "kind": kind,
                "keyIndex": None if key == 0xFFFF else key,
                "payerIndex": None if payer == 0xFFFF else payer,
                "priceWei": str(price),
                "proof": x(proof),
                "publicInputs": x(inputs),
                "record": x(rec),
            }
        )
    keys_out = [{"systemTag": tag, "key": x(key)} for tag, key in keys]
    write("verify-proofs-input", {"keys": keys_out, "payerCount": 2, "slots": out, "input": x(raw)})


for make in [submission_ids, records, trees, headers, statements, verify_input]:
    make()
