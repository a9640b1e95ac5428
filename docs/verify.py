#!/usr/bin/env python3
"""Verifies evidence of Chukwa: bundles, and proofs of one claim. Python 3.8 or newer, its standard library alone.

    python3 verify.py FILE [--key KEY]

It shares no code with Chukwa, and says the same. KEY is the key that has to have signed the file, from somebody whom you
trust; without it, the file may be anybody's. It ends with 0 where the file proves what is printed,
with 2 where the words of the command are wrong, else with 1.
"""
import base64
import hashlib
import json
import os
import re
import sys
from decimal import Decimal

BUNDLE = "chukwa evidence 2"
PROOF = "c2sp.org/tlog-proof@v1"
BYTES_MAX = 256 * 2**20
DEPTH_MAX = 64


class Refused(Exception):
    """Why a file proves nothing: the class, the place, and a sentence."""

    def __init__(self, code, pointer, reason):
        super().__init__(reason)
        self.code, self.pointer, self.reason = "EVIDENCE_" + code, pointer, reason


def malformed(pointer, reason):
    return Refused("MALFORMED", pointer, reason)


# Ed25519 (RFC 8032), written for reading: a signature takes some milliseconds.

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def add(a, b):
    """The sum of two points in extended coordinates."""
    e = (a[1] - a[0]) * (b[1] - b[0]) % P
    f = (a[1] + a[0]) * (b[1] + b[0]) % P
    g = 2 * a[3] * b[3] * D % P
    h = 2 * a[2] * b[2] % P
    x, y, z, t = f - e, h - g, h + g, f + e
    return x * y % P, z * t % P, y * z % P, x * t % P


def times(number, point):
    product = (0, 1, 1, 0)
    while number > 0:
        if number & 1:
            product = add(product, point)
        point = add(point, point)
        number >>= 1
    return product


def point_of(text):
    """The point that 32 bytes name; None where they name none."""
    y = int.from_bytes(text, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - square) % P != 0 or (x == 0 and sign == 1):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


def text_of(point):
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


OF_ORDER_8 = 0x5FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826


def is_sound(key):
    """Whether a key is written in the one way, and is no point of small order, with which anybody can sign."""
    y = int.from_bytes(key, "little") & (2**255 - 1)
    return y < P and y not in (0, 1, P - 1, OF_ORDER_8, P - OF_ORDER_8)


BASE = point_of((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def is_signed_by(key, message, signature):
    point, s = point_of(key), int.from_bytes(signature[32:], "little")
    if point is None or len(signature) != 64 or s >= L:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
    minus = (P - point[0], point[1], 1, P - point[3])
    return text_of(add(times(s, BASE), times(k, minus))) == signature[:32]


# Merkle trees (RFC 6962).


def sha256(data):
    return hashlib.sha256(data).digest()


def sha256_hex(text):
    return hashlib.sha256(text.encode()).hexdigest()


def leaf_of(text):
    return sha256(b"\0" + text.encode())


def node_of(left, right):
    return sha256(b"\1" + left + right)


def split(size):
    """The leaves of the left half: the largest power of two below the size."""
    return 1 << (size - 1).bit_length() - 1


def root_of(leaves):
    if len(leaves) < 2:
        return leaves[0] if leaves else sha256(b"")
    middle = split(len(leaves))
    return node_of(root_of(leaves[:middle]), root_of(leaves[middle:]))


def root_of_inclusion(leaf, index, size, proof):
    """The root that a proof leads to; None where it does not fit the place."""
    if index >= size or None in proof:
        return None
    if size == 1:
        return leaf if not proof else None
    if not proof or len(proof[-1]) != 32:
        return None
    middle = split(size)
    if index < middle:
        child = root_of_inclusion(leaf, index, middle, proof[:-1])
        return child and node_of(child, proof[-1])
    child = root_of_inclusion(leaf, index - middle, size - middle, proof[:-1])
    return child and node_of(proof[-1], child)


# Signed notes, checkpoints and proofs of a log (C2SP).


def unbase64(text):
    """The bytes of a standard base64 text; None for any other spelling."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except ValueError:
        return None
    return data if base64.b64encode(data).decode() == text else None


def is_key_name(name):
    spaces = r"[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000+]"
    return name != "" and not re.search(spaces, name)


def key_id(name, key):
    return sha256(name.encode() + b"\n\1" + key)[:4]


def read_key(text):
    """Name and key of a verifier key; None where it is none."""
    parts = text.split("+", 2)
    typed = unbase64(parts[2]) if len(parts) == 3 else None
    if typed is None or len(typed) != 33 or typed[0] != 1 or not is_key_name(parts[0]):
        return None
    if not is_sound(typed[1:]):
        return None
    return (parts[0], typed[1:]) if key_id(parts[0], typed[1:]).hex() == parts[1] else None


def open_note(note, key, pointer):
    """The text that the key has signed."""
    end = note.rfind("\n\n")
    if end < 0 or not note.endswith("\n") or re.search(r"[\x00-\x09\x0b-\x1f]", note):
        raise malformed(pointer, "this is no signed note")
    text, lines = note[: end + 1], note[end + 2 : -1].split("\n")
    name, public = key
    own = []
    for line in lines:
        words = line.split(" ")
        data = unbase64(words[2]) if len(words) == 3 else None
        if data is None or words[0] != "\u2014" or not is_key_name(words[1]) or len(data) < 5 or len(lines) > 64:
            raise malformed(pointer, "this is no signed note")
        if words[1] == name and data[:4] == key_id(name, public):
            own.append(data[4:])
    if not own or not all(is_signed_by(public, text.encode(), signature) for signature in own):
        raise Refused("SIGNATURE_WRONG", pointer, "the signature is not the key's over this text")
    return text


def read_count(text):
    number = int(text) if re.fullmatch(r"0|[1-9][0-9]*", text, re.ASCII) and len(text) < 17 else None
    return number if number is not None and number < 2**53 else None


def open_checkpoint(named, note, wanted):
    """The key of a file, and size and root of the log that it has signed."""
    key = read_key(named)
    if key is None:
        raise malformed("/key", "this is no verifier key")
    if wanted is not None and wanted != named:
        raise Refused("OF_ANOTHER_KEY", "/key", f"it is signed by {named}")
    lines = open_note(note, key, "/checkpoint").split("\n")
    size = read_count(lines[1]) if len(lines) > 3 else None
    root = unbase64(lines[2]) if len(lines) > 3 else None
    if size is None or root is None or len(root) != 32 or lines[0] != key[0] or "" in lines[:-1] or lines[-1] != "":
        raise malformed("/checkpoint", "this is no checkpoint of the key")
    return key, size, root


# JSON, and the shapes of its values.


def number_text(number):
    """A number as canonical JSON writes it (RFC 8785)."""
    if number == 0:
        return "0"
    sign, parts, exponent = Decimal(repr(number)).normalize().as_tuple()
    digits = "".join(map(str, parts))
    point = len(digits) + exponent
    if 0 < point <= 21:
        text = digits.ljust(point, "0") if len(digits) <= point else f"{digits[:point]}.{digits[point:]}"
    elif -6 < point <= 0:
        text = f"0.{'0' * -point}{digits}"
    else:
        text = f"{digits[0]}{'.' if len(digits) > 1 else ''}{digits[1:]}e{point - 1:+d}"
    return "-" * sign + text


def read_json(text, pointer):
    """A value, where the text is I-JSON with numbers as canonical JSON writes them: no name twice, no half character."""

    def members(pairs):
        value = dict(pairs)
        if len(value) != len(pairs):
            raise ValueError("it names a member twice")
        return value

    def number(text):
        if float(text) in (float("inf"), float("-inf")) or number_text(float(text)) != text:
            raise ValueError("it holds a number that canonical JSON writes otherwise")
        return float(text) if re.search(r"[.e]", text) else int(text)

    def constant(_):
        raise ValueError("it is no JSON")

    try:
        value = json.loads(
            text, object_pairs_hook=members, parse_float=number, parse_int=number, parse_constant=constant
        )
        check_parts(value, 0)
    except (ValueError, RecursionError, OverflowError) as error:
        raise malformed(pointer, f"it is no JSON ({error})") from None
    return value


def check_parts(value, depth):
    if isinstance(value, str) and re.search(r"[\x00\ud800-\udfff]", value):
        raise ValueError("it holds half a character, or none")
    if isinstance(value, (dict, list)):
        if depth == DEPTH_MAX:
            raise ValueError(f"it is nested deeper than {DEPTH_MAX} levels")
        for inner in [*value, *value.values()] if isinstance(value, dict) else value:
            check_parts(inner, depth + 1)


def is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def check_shape(value, shape, pointer=""):
    """Refuses the first part of another shape; a member whose name ends in ? may be missing."""
    wrong = malformed(pointer, "this part is missing, unknown or of another kind")
    if shape is str or shape is int:
        if not (is_count(value) if shape is int else isinstance(value, str)):
            raise wrong
    elif isinstance(shape, list):
        if not isinstance(value, list):
            raise wrong
        for index, item in enumerate(value):
            check_shape(item, shape[0], f"{pointer}/{index}")
    else:
        if not isinstance(value, dict):
            raise wrong
        for name in value:
            if name not in shape and name + "?" not in shape:
                escaped = name.replace("~", "~0").replace("/", "~1")
                raise malformed(f"{pointer}/{escaped}", "this part is unknown")
        for named, inner in shape.items():
            name = named.rstrip("?")
            if name in value or name == named:
                check_shape(value.get(name), inner, f"{pointer}/{name}")


CONTENTS = (
    r"[^\n]+\nworld ([a-z0-9]+(?:[_-][a-z0-9]+)*)(?: attempt ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))?\n"
    r"[0-9]+\n[^\n]+\nentries ([01]*)\n"
)
MESSAGES = [{"role": str, "content?": str, "content_hash?": str}]
BUNDLE_SHAPE = {
    "format": str,
    "key": str,
    "checkpoint": str,
    "contents": str,
    "seals": [{"seal": str, "index": int, "proof": [str], "leaves?": [str], "entries?": [str]}],
    "prompts": [MESSAGES],
    "texts": [str],
}
CLAIM_SHAPE = {
    "key": str,
    "seal": str,
    "entity_id": str,
    "entries": [{"index": int, "entry": str, "proof": [str]}],
    "prompt": MESSAGES,
    "answer?": str,
    "patch": str,
}
SEAL_SHAPE = {
    "world_slug": str,
    "seal_seq": int,
    "attempt_id": str,
    "source_invocation_id": str,
    "entries": int,
    "root": str,
    "previous_root": str,
    "sealed_at": str,
}


def read_seal(text, pointer):
    try:
        seal = read_json(text, pointer)
        check_shape(seal, SEAL_SHAPE)
        return seal
    except Refused:
        raise malformed(pointer, "this is no seal") from None


def read_entry(text):
    try:
        return read_json(text, "")
    except Refused:
        return None


def at(value, *names):
    """The value at names within objects; None where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


# What entries name by hash.


def prompt_hash(messages):
    chained = sha256_hex("")
    for message in messages:
        content = sha256_hex(message["content"]) if "content" in message else message["content_hash"]
        canonical = '{"content":' + json.dumps(content, ensure_ascii=False)
        canonical += ',"role":' + json.dumps(message["role"], ensure_ascii=False) + "}"
        chained = sha256_hex(f"{chained}\n{sha256_hex(canonical)}")
    return chained


def is_one_or_other(message):
    return ("content" in message) != ("content_hash" in message)


def patches_of(entry):
    patches = at(entry, "details", "patches") if at(entry, "event_type") == "SESSION_ENDED" else None
    return patches if isinstance(patches, list) else []


def named_material(entries):
    """The hashes of prompts, and those of answers and patches."""
    prompts, texts = [], []
    for entry in entries:
        if at(entry, "event_type") == "LLM_CALL":
            prompts.append(at(entry, "metadata", "context_fingerprint", "context_hash"))
        texts.append(at(entry, "details", "result_summary", "answer_hash"))
        texts.append(at(entry, "details", "answer_hash"))
        texts.extend(at(patch, "patch_hash") for patch in patches_of(entry))
    return {hash for hash in prompts if isinstance(hash, str)}, {hash for hash in texts if isinstance(hash, str)}


def verify_bundle(text, wanted):
    bundle = read_json(text, "")
    check_shape(bundle, BUNDLE_SHAPE)
    if bundle["format"] != BUNDLE:
        raise malformed("/format", f"its format is not {BUNDLE}")
    key, size, root = open_checkpoint(bundle["key"], bundle["checkpoint"], wanted)
    seals = [read_seal(each["seal"], f"/seals/{i}/seal") for i, each in enumerate(bundle["seals"])]
    contents = open_note(bundle["contents"], key, "/contents")
    found = re.fullmatch(CONTENTS, contents)
    if found is None:
        raise malformed("/contents", "this is no list of seals")
    world, attempt, has_entries = found.groups()
    about = f"world {world}" if attempt is None else f"attempt {attempt} of world {world}"
    name = f"world {world}" if attempt is None else f"world {world} attempt {attempt}"
    listed = base64.b64encode(root_of([leaf_of(each["seal"]) for each in bundle["seals"]])).decode()
    is_of_it = all(
        seal["world_slug"] == world and (attempt is None or seal["attempt_id"] == attempt) for seal in seals
    )
    expected = f"{BUNDLE}\n{name}\n{len(seals)}\n{listed}\nentries {has_entries}\n"
    if contents != expected or len(has_entries) != len(seals) or not is_of_it or not seals:
        raise Refused("ALTERED", "/seals", "the seals are not those whose list was signed")
    before = None
    for i, (each, seal) in enumerate(zip(bundle["seals"], seals)):
        proof = [unbase64(hash) for hash in each["proof"]]
        if root_of_inclusion(leaf_of(each["seal"]), each["index"], size, proof) != root:
            raise Refused("NOT_IN_LOG", f"/seals/{i}", "the proof does not lead to the checkpoint")
        if not continues(before, seal, attempt is None):
            raise Refused("ALTERED", f"/seals/{i}", "the seal does not continue the one before it")
        before = seal
    for i, (each, seal) in enumerate(zip(bundle["seals"], seals)):
        check_entries(each, seal, has_entries[i] == "0", f"/seals/{i}")
    entries = [entry for each in bundle["seals"] for entry in each.get("entries", [])]
    prompts, texts = named_material([read_entry(entry) for entry in entries])
    shown = set()
    for i, messages in enumerate(bundle["prompts"]):
        if not all(map(is_one_or_other, messages)) or prompt_hash(messages) not in prompts:
            raise Refused("ALTERED", f"/prompts/{i}", "no sealed entry has the hash of this prompt")
        if all("content" in message for message in messages):
            shown.add(prompt_hash(messages))
    for i, text in enumerate(bundle["texts"]):
        if sha256_hex(text) not in texts:
            raise Refused("ALTERED", f"/texts/{i}", "no sealed entry has the hash of this text")
        shown.add(sha256_hex(text))
    removed = [each for each in bundle["seals"] if "entries" not in each]
    return [
        f"It holds: {about}, with {count(seals, 'seal', 'seals')} over {count(entries, 'entry', 'entries')}.",
        *([f"The world was removed: of {count(removed, 'seal', 'seals')} the entries are gone."] if removed else []),
        f"It shows {count(shown, 'text', 'texts')}, and has of {len(prompts | texts) - len(shown)} the hash alone.",
    ], bundle["key"]


def count(things, one, many):
    return f"{len(things)} {one if len(things) == 1 else many}"


def continues(before, seal, is_whole):
    number = 0 if before is None else before["seal_seq"]
    if seal["seal_seq"] == 1:
        return seal["previous_root"] == "" and (before is None or is_whole)
    if seal["seal_seq"] == number + 1:
        return before is not None and seal["previous_root"] == before["root"]
    return not is_whole and seal["seal_seq"] > number


def check_entries(each, seal, is_gone, pointer):
    if is_gone and "leaves" not in each and "entries" not in each:
        return
    if is_gone or "entries" not in each:
        raise Refused("ALTERED", f"{pointer}/entries", "the signed list says otherwise whether its entries are there")
    named = each.get("leaves", [])
    leaves = [unbase64(hash) for hash in named]
    if "leaves" not in each or None in leaves or len(leaves) != seal["entries"] or root_of(leaves).hex() != seal["root"]:
        raise Refused("ALTERED", f"{pointer}/leaves", "the hashes of the entries do not give the root of their seal")
    entries = each["entries"]
    for i, entry in enumerate(entries):
        if i >= len(leaves) or leaf_of(entry) != leaves[i]:
            raise Refused("ALTERED", f"{pointer}/entries/{i}", "the entry is not the one that was sealed in this place")
    if len(entries) != len(leaves):
        raise Refused("ALTERED", f"{pointer}/entries", "there are fewer entries than were sealed")


def verify_claim(text, wanted):
    head, empty, note = text.partition("\n\n")
    lines = head.split("\n")
    extra = unbase64(lines[1][6:]) if len(lines) > 2 and lines[1].startswith("extra ") else None
    index = read_count(lines[2][6:]) if extra is not None and lines[2].startswith("index ") else None
    proof = [unbase64(hash) for hash in lines[3:]]
    if empty == "" or lines[0] != PROOF or index is None or any(hash is None or len(hash) != 32 for hash in proof):
        raise malformed("", "it is no proof of a log, or only a part of one")
    try:
        claim = read_json(extra.decode(), "")
    except UnicodeDecodeError:
        raise malformed("", "its extra line is no JSON") from None
    check_shape(claim, CLAIM_SHAPE)
    _, size, root = open_checkpoint(claim["key"], note, wanted)
    seal = read_seal(claim["seal"], "/seal")
    if root_of_inclusion(leaf_of(claim["seal"]), index, size, proof) != root:
        raise Refused("NOT_IN_LOG", "/seal", "the proof does not lead to the checkpoint")
    for i, each in enumerate(claim["entries"]):
        hashes = [unbase64(hash) for hash in each["proof"]]
        found = root_of_inclusion(leaf_of(each["entry"]), each["index"], seal["entries"], hashes)
        if found is None or found.hex() != seal["root"]:
            raise Refused("ALTERED", f"/entries/{i}", "the entry is not the one that was sealed in this place")
    return read_claim(claim), claim["key"]


def read_claim(claim):
    """What the sealed entries and the texts say together."""

    def unproven(pointer, reason):
        return Refused("UNPROVEN", pointer, reason)

    entries = [read_entry(each["entry"]) for each in claim["entries"]]
    patch_hash = sha256_hex(claim["patch"])
    taken = [patch for entry in entries for patch in patches_of(entry) if at(patch, "patch_hash") == patch_hash]
    if not taken:
        raise unproven("/patch", "no sealed end of a turn names this patch")
    generation = at(taken[0], "source_invocation_id")
    if not isinstance(generation, str):
        raise unproven("/patch", "the end of the turn names no call of this patch")
    began = [entry for entry in entries if at(entry, "event_type") == "SESSION_BEGAN"]
    calls = [
        entry
        for entry in entries
        if at(entry, "event_type") == "LLM_CALL" and at(entry, "details", "source_invocation_id") == generation
    ]
    if not began or not calls:
        raise unproven("/entries", "the beginning of the attempt or the call of the model is missing")
    turn, world = at(began[0], "details", "attempted_turn"), at(began[0], "details", "world_slug")
    patch_seq, subject = at(taken[0], "patch_seq"), at(taken[0], "subject_id")
    if not (is_count(turn) and isinstance(world, str) and is_count(patch_seq) and isinstance(subject, str)):
        raise unproven("/entries", "the entries do not name the world, the turn, the subject and the patch")
    fingerprint = at(calls[0], "metadata", "context_fingerprint")
    if not all(map(is_one_or_other, claim["prompt"])) or at(fingerprint, "context_hash") != prompt_hash(claim["prompt"]):
        raise unproven("/prompt", "the call of the model names another prompt")
    answer_hash = at(calls[0], "details", "result_summary", "answer_hash")
    if "answer" in claim and answer_hash != sha256_hex(claim["answer"]):
        raise unproven("/answer", "the call of the model names another answer")
    effects = at(read_entry(claim["patch"]), "effects")
    own = [
        effect
        for effect in (effects if isinstance(effects, list) else [])
        if at(effect, "entity_id") == claim["entity_id"] and "state_before" in effect
    ]
    state = at(own[-1], "state_after") if own else None
    if not isinstance(state, str):
        raise unproven("/patch", f"the patch changes no state of {claim['entity_id']}")
    model = at(fingerprint, "model_id")
    by = f"by patch {patch_seq}, of {subject}"
    return [
        f"It holds: turn {turn} of world {world} gave {claim['entity_id']} this state, {by}:",
        f"  {state}",
        f"The patch is of {model if isinstance(model, str) and model else 'a model'}, which was given the prompt of the file.",
    ]


def harmless(text):
    """Text of others as a terminal may show it."""
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)


def read_file(path):
    if os.path.exists(path) and not os.path.isfile(path):
        raise malformed("", "it is no regular file")
    with open(path, "rb") as file:
        data = file.read(BYTES_MAX + 1)
    if len(data) > BYTES_MAX:
        raise malformed("", "it is larger than any evidence")
    return data.decode()


def main(words):
    if words[:1] == ["--key"]:
        words = words[2:] + words[:2]
    if len(words) not in (1, 3) or words[0].startswith("--") or words[1:2] not in ([], ["--key"]):
        print(__doc__.strip())
        return 2
    wanted = words[2] if len(words) == 3 else None
    if wanted is not None and read_key(wanted) is None:
        print("EVIDENCE_KEY_INVALID: this is no verifier key")
        return 1
    try:
        text = read_file(words[0])
        said, key = (verify_claim if text.startswith(PROOF) else verify_bundle)(text, wanted)
    except OSError as error:
        print(f"FILE_UNREADABLE: {error.strerror}")
        return 1
    except UnicodeDecodeError:
        print("EVIDENCE_MALFORMED: it is not UTF-8")
        return 1
    except Refused as refused:
        print(f"{refused.code} at {refused.pointer or 'the whole file'}: {harmless(refused.reason)}")
        return 1
    for line in said:
        print(harmless(line))
    print("Signed by the key that was given." if wanted else f"Signed by the key that the file itself names: {key}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
