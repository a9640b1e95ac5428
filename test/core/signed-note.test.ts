import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import { isSignedBy } from '../../engine/core/content/ed25519.js';
import {
  formatCheckpoint,
  formatLogProof,
  parseCheckpoint,
  parseLogProof,
} from '../../engine/core/evidence/checkpoint.js';
import { leafHash } from '../../engine/core/evidence/merkle.js';
import {
  formatVerifierKey,
  parseVerifierKey,
  signNote,
  type SigningKey,
  type VerifierKey,
  verifyNote,
} from '../../engine/core/evidence/signed-note.js';

// The example of the specification of signed notes.
const PUBLISHED_KEY = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
const PUBLISHED_NOTE = `This is an example message.

— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=
`;
const published = parseVerifierKey(PUBLISHED_KEY) as VerifierKey;

function makeKey(name: string): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const public_key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  return { name, public_key, sign: (message) => sign(null, message, privateKey) };
}

test('the published note is verified by the published key', () => {
  assert.deepEqual(verifyNote(PUBLISHED_NOTE, published), { kind: 'signed', text: 'This is an example message.\n' });
  assert.equal(formatVerifierKey(published), PUBLISHED_KEY);
});

test("a published signature is its key's, over its message alone", () => {
  // RFC 8032, section 7.1, test 2.
  const key = Buffer.from('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c', 'hex');
  const signature = Buffer.from(
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
    'hex',
  );
  assert.ok(isSignedBy(key, Buffer.from([0x72]), signature));
  assert.ok(!isSignedBy(key, Buffer.from([0x73]), signature));
});

test('a note with one altered character is refused', () => {
  const [text, signature] = PUBLISHED_NOTE.split('\n\n') as [string, string];
  const name = '— example.com/foo Uw2QOk';
  const altered: Readonly<Record<string, readonly string[]>> = {
    bad_signature: [`${text} \n\n${signature}`, `${text}\n\n\n${signature}`, PUBLISHED_NOTE.replace('n8srV', 'n8srW')],
    other_key: [PUBLISHED_NOTE.replace('Uw2QOk', 'Ux2QOk'), PUBLISHED_NOTE.replace('/foo', '/fob')],
    malformed: [
      '',
      text,
      `${text}\n\n`,
      PUBLISHED_NOTE.slice(0, -1),
      PUBLISHED_NOTE.replace('—', '-'),
      PUBLISHED_NOTE.replace('is an', 'is\tan'),
      PUBLISHED_NOTE.replace('is an', 'is\ud800an'),
      PUBLISHED_NOTE.replace('QM=', 'QN='),
      PUBLISHED_NOTE.replace('QM=', 'QM'),
      PUBLISHED_NOTE.replace('foo ', 'foo  '),
      `${PUBLISHED_NOTE}${name}\n`.repeat(65),
      `${PUBLISHED_NOTE}\n`,
    ],
  };
  for (const [kind, notes] of Object.entries(altered))
    for (const note of notes) assert.equal(verifyNote(note, published).kind, kind, note);
});

test('a note that others have signed too is verified by each of them', () => {
  const [one, other] = [makeKey('chukwa/one'), makeKey('chukwa/other')];
  const text = 'Ognuno sta solo sul cuor della terra\n\ned è subito sera.\n';
  const note = signNote(text, one) + signNote(text, other).slice(text.length + 1);
  for (const key of [one, other]) assert.deepEqual(verifyNote(note, key), { kind: 'signed', text });
  assert.equal(verifyNote(note, published).kind, 'other_key');
  assert.throws(() => signNote('no line feed', one), RangeError);
});

test('a verifier key that differs in one part is none', () => {
  for (const wrong of ['', 'a+b', PUBLISHED_KEY.replace('530d', '530e'), PUBLISHED_KEY.replace('foo', 'f o')])
    assert.equal(parseVerifierKey(wrong), undefined, wrong);
  assert.equal(parseVerifierKey(`${PUBLISHED_KEY} `), undefined);
  assert.equal(parseVerifierKey(PUBLISHED_KEY.replace('AekyeR', 'BekyeR')), undefined);
});

test('a checkpoint is read as it was written, and no other text is one', () => {
  const checkpoint = { origin: 'chukwa/park', size: 20_852_163, root: leafHash('a') };
  const text = formatCheckpoint(checkpoint);
  assert.deepEqual(parseCheckpoint(text), checkpoint);
  assert.deepEqual(parseCheckpoint(`${text}of another kind\n`), checkpoint);
  // The example of the specification.
  assert.equal(
    parseCheckpoint('example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n')?.size,
    20_852_163,
  );
  const [origin, size, root] = text.split('\n') as [string, string, string];
  for (const wrong of [
    '',
    `\n${size}\n${root}\n`,
    `${origin}\n0${size}\n${root}\n`,
    `${origin}\n-1\n${root}\n`,
    `${origin}\n9007199254740993\n${root}\n`,
    `${origin}\n${size}\n${root.slice(4)}\n`,
    `${origin}\n${size}\n${root}`,
    `${text}\nmore\n`,
  ])
    assert.equal(parseCheckpoint(wrong), undefined, wrong);
});

test('a proof of the log is read as it was written, and no other text is one', () => {
  const proof = {
    extra: Buffer.from('{}'),
    index: 3,
    proof: ['a', 'b'].map((text) => leafHash(text)),
    checkpoint: signNote('chukwa/park\n8\n', makeKey('chukwa/park')),
  };
  const text = formatLogProof(proof);
  assert.deepEqual(parseLogProof(text), proof);
  for (const wrong of [
    '',
    text.slice(0, 60),
    text.replace('@v1', '@v2'),
    text.replace('index 3', 'index 03'),
    text.replace('extra ', 'extras '),
    text.replace('\n\n', '\nAAAA\n\n'),
  ])
    assert.equal(parseLogProof(wrong), undefined, wrong);
});
