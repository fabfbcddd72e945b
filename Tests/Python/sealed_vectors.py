"""Writes Tests/Vectors/sealed: files named for what is wrong with them, and what each must give.

Everything random comes from one seed, so that the same program writes the same files.
"""

import hashlib
import json
import os
import plistlib

import sealed_format as form
import slot_vectors

SEED = b"accountd test vectors v1"
CREATED = 1700000000


class Random:
    """Bytes that look random and are the same each time."""

    def __init__(self, name):
        self.state = form.blake2b(SEED + b"\0" + name.encode())
        self.drawn = 0

    def __call__(self, count):
        blocks = b""
        while len(blocks) < count:
            blocks += form.blake2b(self.drawn.to_bytes(8, "little"), self.state)
            self.drawn += 1
        return blocks[:count]


def account(**more):
    """A made-up account."""
    fields = {
        "schema": 1,
        "access_token": "2.00madeUpToken_ForTests-0123456789abcdef",
        "uid": "1000000001",
        "expires_in": 157679999,
        "issued_at": form.date(CREATED),
        "expires_date": form.date(CREATED + 157679999),
        **more,
    }
    return plistlib.dumps(fields, fmt=plistlib.FMT_BINARY)


class SealedFiles:
    def __init__(self, out):
        self.out = out
        random = Random("master key")
        self.master_key, self.key_id = random(32), random(16)
        self.account_key = form.derived(self.master_key, b"account")
        self.entries = []

    def add(self, name, file, gives, plaintext=None, key=None, **more):
        with open(os.path.join(self.out, name + ".sealed"), "wb") as output:
            output.write(file)
        entry = {
            "name": name,
            "gives": gives,
            "key": (key or self.account_key).hex(),
            "keyID": self.key_id.hex(),
            **more,
        }
        if plaintext is not None:
            entry["size"] = len(plaintext)
            entry["blake2b"] = hashlib.blake2b(plaintext, digest_size=32).hexdigest()
        self.entries.append(entry)

    def good(self, name, plaintext, key=None):
        file = form.seal(plaintext, key or self.account_key, self.key_id, Random(name))
        assert form.open_sealed(file, key or self.account_key, self.key_id) == plaintext
        self.add(name, file, "opens", plaintext, key)

    def crafted(self, name, chunks, gives="cannotOpen", data=None, **header):
        """A file whose codes are right, whatever else it is."""
        random = Random(name)
        clear = form.clear_header(self.key_id, random(32), **header)
        stream_header = random(24)
        if data is None:
            file = form.seal_chunks(self.account_key, clear, stream_header, chunks)
        else:
            stream = form.SecretStream(form.file_key(self.account_key, clear[32:]), stream_header)
            body = b"".join(stream.push(chunk, data(clear), tag) for chunk, tag in chunks)
            file = clear + stream_header + body
        self.bad(name, file, gives)

    def bad(self, name, file, gives="cannotOpen"):
        try:
            form.open_sealed(file, self.account_key, self.key_id)
        except (form.CannotOpen, form.Unsupported, form.UnknownKey):
            self.add(name, file, gives)
        else:
            raise AssertionError(f"{name} opens")

    def write(self):
        self.write_good()
        self.write_crafted()
        self.write_damaged()
        return self.entries

    def write_good(self):
        text = Random("plaintext")
        self.good("empty_plaintext", b"")
        self.good("one_chunk", account())
        self.good(
            "account_with_non_ascii_names",
            account(
                screen_name="测试用户🙂",
                avatar_large="https://example.org/头像.jpg",
                refresh_token="2.00madeUpRefresh",
                refused=21327,
            ),
        )
        self.good(
            "account_with_unknown_keys",
            account(later_key="kept", later_list=[1, b"\x00\xff", {"deep": True}]),
        )
        self.good("padding_of_one_byte", text(255))
        self.good("padding_of_a_whole_block", text(256))
        self.good("exactly_one_full_chunk", text(form.CHUNK_SIZE - 1))
        self.good("second_chunk_all_padding", text(form.CHUNK_SIZE))
        self.good("three_chunks", text(2 * form.CHUNK_SIZE + 1000))
        archive = form.derived(self.master_key, b"archive", "草稿/é")
        self.good("archive_with_non_ascii_name", b"\x02\x00\x00made up", archive)
        self.good("app", account(), form.derived(self.master_key, b"app"))

    def write_crafted(self):
        padded = form.pad(account())
        full = Random("full chunk")(form.CHUNK_SIZE)
        final, message = form.TAG_FINAL, form.TAG_MESSAGE
        only = [(padded, final)]
        self.crafted("reserved_not_zero", only, reserved=1)
        self.crafted("wrong_version", only, "unsupportedVersion", version=2)
        self.crafted("version_zero", only, "unsupportedVersion", version=0)
        self.crafted("unknown_suite", only, "unsupportedSuite", suite=2)
        self.crafted("no_chunk", [])
        self.crafted("missing_final_tag", [(padded, message)])
        self.crafted("missing_final_chunk", [(full, message)])
        self.crafted("two_final_chunks", [(full, final), (padded, final)])
        self.crafted("push_tag", [(full, form.TAG_PUSH), (padded, final)])
        self.crafted("rekey_tag", [(full, form.TAG_REKEY), (padded, final)])
        self.crafted("unknown_tag", [(padded, 7)])
        self.crafted("empty_final_chunk", [(full, message), (b"", final)])
        self.crafted("empty_only_chunk", [(b"", final)])
        self.crafted("chunk_not_full", [(padded, message), (padded, final)])
        self.crafted("chunk_over_full", [(full + padded, final)])
        self.crafted("bad_padding", [(bytes(256), final)])
        self.crafted("padding_mark_wrong", [(bytes(255) + b"\x81", final)])
        self.crafted("padding_over_a_block", [(b"\x80" + bytes(511), final)])
        self.crafted("padding_to_16", [(b"made up" + b"\x80" + bytes(8), final)])
        self.crafted("no_associated_data", only, data=lambda clear: b"")
        self.crafted("salt_not_in_associated_data", only, data=lambda clear: clear[:32])

    def write_damaged(self):
        random = Random("damaged")
        one = form.seal(account(), self.account_key, self.key_id, random)
        two_plaintext = random(form.CHUNK_SIZE + 10)
        two = form.seal(two_plaintext, self.account_key, self.key_id, random)
        sealed = form.CHUNK_SIZE + form.OVERHEAD
        first = form.HEADER_SIZE + sealed

        def flip(at):
            return one[:at] + bytes([one[at] ^ 1]) + one[at + 1 :]

        self.bad("empty_file", b"")
        self.bad("truncated_in_magic", one[:7])
        self.bad("truncated_in_header", one[:87])
        self.bad("truncated_after_header", one[:88])
        self.bad("truncated_in_first_chunk", one[:-1])
        self.bad("truncated_in_second_chunk", two[:-100])
        self.bad("truncated_between_chunks", two[:first])
        self.bad("data_after_final", one + b"\n")
        self.bad("block_after_final", one + bytes(form.PADDING_BLOCK))
        self.bad("file_after_file", one + one)
        self.bad("bit_flip_in_magic", flip(0))
        self.bad("bit_flip_in_key_id", flip(16), "unknownKey")
        self.bad("bit_flip_in_header_salt", flip(40))
        self.bad("bit_flip_in_stream_header", flip(64))
        self.bad("bit_flip_in_stream_nonce", flip(87))
        self.bad("bit_flip_in_tag", flip(88))
        self.bad("bit_flip_in_ciphertext", flip(100))
        self.bad("bit_flip_in_code", flip(len(one) - 1))
        self.bad("zeros", bytes(len(one)))
        three = form.seal(random(2 * form.CHUNK_SIZE), self.account_key, self.key_id, random)
        swapped = three[:88] + three[first : first + sealed] + three[88:first]
        self.bad("chunks_swapped", swapped + three[first + sealed :])
        other = form.derived(self.master_key, b"archive", "other")
        self.bad("sealed_under_archive_key", form.seal(account(), other, self.key_id, random))
        self.bad("sealed_under_master_key", form.seal(
            account(), self.master_key, self.key_id, random))
        stranger = form.seal(account(), self.account_key, random(16), random)
        self.bad("master_key_not_held", stranger, "unknownKey")


def write(out):
    os.makedirs(out, exist_ok=True)
    sealed = SealedFiles(out)
    manifest = {
        "comment": "Written by Tests/Python/independent_store.py vectors; see docs/FORMAT.md.",
        "masterKey": sealed.master_key.hex(),
        "keyID": sealed.key_id.hex(),
        "sealed": sealed.write(),
        "slots": slot_vectors.SlotFiles(out, Random, CREATED).write(),
        "recoveryCodes": slot_vectors.recovery_codes(Random("recovery codes")),
    }
    with open(os.path.join(out, "MANIFEST.json"), "w", encoding="utf-8") as output:
        json.dump(manifest, output, indent=1, ensure_ascii=False)
        output.write("\n")
