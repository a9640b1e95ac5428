import { generateKeyPairSync, sign } from 'node:crypto';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { canonicalText, contentHash } from '../../engine/core/content/canonical.js';
import { findAt, isList, pointerTokens, toPointer } from '../../engine/core/content/json-pointer.js';
import { sha256 } from '../../engine/core/content/sha256.js';
import { encodeBase64 } from '../../engine/core/evidence/base64.js';
import { BUNDLE_FORMAT, type Bundle, contentsText } from '../../engine/core/evidence/bundle.js';
import { formatCheckpoint } from '../../engine/core/evidence/checkpoint.js';
import { formatClaim, isOfClaim, proveEntries } from '../../engine/core/evidence/claim.js';
import { promptHash, type PromptMessage } from '../../engine/core/evidence/material.js';
import { leafHash, proveInclusion, rootOf, toHex } from '../../engine/core/evidence/merkle.js';
import { sealRoot, sealText } from '../../engine/core/evidence/seal-text.js';
import { formatVerifierKey, signNote, type SigningKey } from '../../engine/core/evidence/signed-note.js';

export function makeSigningKey(name: string): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const public_key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  return { name, public_key, sign: (message) => sign(null, message, privateKey) };
}

export const PROMPT: readonly PromptMessage[] = [
  { role: 'system', content: 'You are an ant. Umlauts: äöü, and a picture: 🐜' },
  { role: 'user', content: 'Here is a crumb.' },
];
export const ANSWER = '{"narration":"The ant eats.","effects":[]}';
export const PATCH = canonicalText({
  effects: [
    { effect_index: 0, entity_id: 'crumb', op: 'set_entity_state', state_after: 'eaten', state_before: 'whole' },
  ],
  narration: 'The ant eats.',
  touched_entities: ['crumb'],
});
const CALL = '0198c0de-0000-7000-8000-000000000009';
export const attemptId = (number: number) => `0198c0de-0000-7000-8000-00000000000${number}`;

/** The entries of an attempt that committed a turn, as far as evidence reads them. */
export function entriesOf(turn: number): readonly string[] {
  const entries: readonly Json[] = [
    { event_type: 'SESSION_BEGAN', details: { world_slug: 'park', attempt_id: attemptId(turn), attempted_turn: turn } },
    { event_type: 'WO_PLANNED', details: { subject_id: 'ant' } },
    {
      event_type: 'LLM_CALL',
      details: { source_invocation_id: CALL, result_summary: { answer_hash: sha256(ANSWER) } },
      metadata: { context_fingerprint: { context_hash: promptHash(PROMPT), model_id: 'scripted' } },
    },
    { event_type: 'WO_COMPLETED', details: { turn } },
    {
      event_type: 'SESSION_ENDED',
      details: {
        patches: [
          {
            patch_seq: 1,
            subject_id: 'ant',
            source_invocation_id: CALL,
            patch_hash: contentHash(JSON.parse(PATCH) as Json),
          },
        ],
      },
    },
  ];
  return entries.map(canonicalText);
}

const leavesOf = (texts: readonly string[]) => texts.map((text) => leafHash(text));

/** A log of three turns of a park with another world between them, its bundle, and the proof of one claim. */
export function makeEvidence(key: SigningKey = makeSigningKey('chukwa/test')): {
  readonly key: string;
  readonly bundle: Bundle;
  readonly claim: string;
} {
  const turns = [1, 2, 3].map(entriesOf);
  let previous_root = '';
  const seals = turns.map((entries, index) => {
    const header = {
      world_slug: 'park',
      seal_seq: index + 1,
      attempt_id: attemptId(index + 1),
      source_invocation_id: '',
      entries: entries.length,
      previous_root,
      sealed_at: '2026-05-01T09:00:00.000Z',
    };
    previous_root = toHex(sealRoot(header, rootOf(leavesOf(entries))));
    return sealText({ ...header, root: previous_root });
  });
  const log = leavesOf([...seals.slice(0, 2), 'of another world', ...seals.slice(2)]);
  const places = [0, 1, 3];
  const checkpoint = signNote(formatCheckpoint({ origin: key.name, size: log.length, root: rootOf(log) }), key);
  const vkey = formatVerifierKey(key);
  const bundle: Bundle = {
    format: BUNDLE_FORMAT,
    key: vkey,
    checkpoint,
    contents: signNote(contentsText({ world_slug: 'park' }, seals), key),
    seals: seals.map((seal, index) => ({
      seal,
      index: places[index] as number,
      proof: proveInclusion(log, places[index] as number).map(encodeBase64),
      leaves: leavesOf(turns[index] as readonly string[]).map(encodeBase64),
      entries: turns[index] as readonly string[],
    })),
    prompts: [PROMPT],
    texts: [ANSWER, PATCH],
  };
  const material = {
    key: vkey,
    seal: seals[2] as string,
    entity_id: 'crumb',
    entries: proveEntries(turns[2] as readonly string[], isOfClaim(CALL)),
    prompt: PROMPT,
    answer: ANSWER,
    patch: PATCH,
  };
  return { key: vkey, bundle, claim: formatClaim(material, { index: 3, proof: proveInclusion(log, 3), checkpoint }) };
}

/** One way to falsify a file, and what has to be said of it. */
export interface Falsified {
  readonly name: string;
  readonly text: string;
  readonly code: string;
  readonly pointer: string;
  /** With the key of its maker. */
  readonly key?: string;
}

/** A value with one part changed: a new value, or what becomes of a list. */
function change(value: Json, pointer: string, part: Json | ((list: readonly Json[]) => Json)): Json {
  const [token, ...rest] = pointerTokens(pointer);
  if (token === undefined) return typeof part === 'function' ? part(value as readonly Json[]) : part;
  const inner = change(findAt(value, [token]) ?? null, toPointer(rest), part);
  if (isList(value)) return value.with(Number(token), inner);
  return { ...(value as JsonObject), [token]: inner };
}

type Change = Parameters<typeof change>[2];

const cut: Change = (list) => list.slice(0, -1);
const behead: Change = (list) => list.slice(1);
const reverse: Change = (list) => list.toReversed();
const without =
  (index: number): Change =>
  (list) =>
    list.toSpliced(index, 1);

/** Files that are wrong in one way each. */
export function falsify({ key, bundle, claim }: ReturnType<typeof makeEvidence>): readonly Falsified[] {
  const other = makeEvidence(makeSigningKey('chukwa/test'));
  const whole = JSON.stringify(bundle);
  const edit = (pointer: string, part: Change): string =>
    JSON.stringify(change(JSON.parse(whole) as Json, pointer, part));
  const editClaim = (pointer: string, part: Change): string => {
    const encoded = /^extra (.*)$/m.exec(claim)?.[1] ?? '';
    const material = change(JSON.parse(Buffer.from(encoded, 'base64').toString('utf8')) as Json, pointer, part);
    return claim.replace(encoded, Buffer.from(JSON.stringify(material)).toString('base64'));
  };
  const alien = entriesOf(9);
  const [first, second] = bundle.seals;
  const files: readonly (readonly [name: string, code: string, pointer: string, text: string])[] = [
    ['a bundle cut in its middle', 'MALFORMED', '', whole.slice(0, whole.length / 2)],
    ['nothing', 'MALFORMED', '', ''],
    ['a list', 'MALFORMED', '', '[]'],
    ['a name twice', 'MALFORMED', '/format', whole.replace('{', '{"format":"chukwa evidence 1",')],
    ['half a character', 'MALFORMED', '/prompts/0/1/content', whole.replace('Here is a crumb.', '\\ud83d')],
    ['a member nobody knows', 'MALFORMED', '/note', edit('/note', 'x')],
    ['a number as a text', 'MALFORMED', '/seals/0/index', edit('/seals/0/index', '0')],
    ['another format', 'MALFORMED', '/format', edit('/format', 'chukwa evidence 2')],
    ['no key', 'MALFORMED', '/key', edit('/key', 'chukwa/test')],
    ['the key of another', 'SIGNATURE_WRONG', '/checkpoint', edit('/key', other.key)],
    ['a checkpoint of another', 'SIGNATURE_WRONG', '/checkpoint', edit('/checkpoint', other.bundle.checkpoint)],
    [
      'a larger log',
      'SIGNATURE_WRONG',
      '/checkpoint',
      edit('/checkpoint', bundle.checkpoint.replace('\n4\n', '\n5\n')),
    ],
    ['no last seal', 'ALTERED', '/seals', edit('/seals', cut)],
    ['no first seal', 'ALTERED', '/seals', edit('/seals', behead)],
    ['seals in another order', 'ALTERED', '/seals', edit('/seals', reverse)],
    ['another world', 'SIGNATURE_WRONG', '/contents', edit('/contents', bundle.contents.replace('park', 'sea'))],
    ['a checkpoint for a list', 'MALFORMED', '/contents', edit('/contents', bundle.checkpoint)],
    ['another place in the log', 'NOT_IN_LOG', '/seals/1', edit('/seals/1/index', 2)],
    ['a shorter proof', 'NOT_IN_LOG', '/seals/1', edit('/seals/1/proof', cut)],
    ['a proof that is no base64', 'NOT_IN_LOG', '/seals/1', edit('/seals/1/proof/0', 'A')],
    ['an altered leaf', 'ALTERED', '/seals/0/leaves', edit('/seals/0/leaves/2', second?.leaves?.[4] ?? '')],
    ['no leaves', 'ALTERED', '/seals/0/leaves', edit('/seals/0/leaves', [])],
    ['an altered entry', 'ALTERED', '/seals/2/entries/3', edit('/seals/2/entries/3', alien[3] ?? '')],
    ['a removed entry', 'ALTERED', '/seals/2/entries/1', edit('/seals/2/entries', without(1))],
    [
      'an inserted entry',
      'ALTERED',
      '/seals/2/entries/1',
      edit('/seals/2/entries', (list) => list.toSpliced(1, 0, '{}')),
    ],
    ['swapped entries', 'ALTERED', '/seals/2/entries/0', edit('/seals/2/entries', reverse)],
    ['entries cut off', 'ALTERED', '/seals/2/entries', edit('/seals/2/entries', cut)],
    ['one entry more', 'ALTERED', '/seals/2/entries/5', edit('/seals/2/entries', (list) => [...list, '{}'])],
    ['another prompt', 'ALTERED', '/prompts/0', edit('/prompts/0/1/content', 'Here is a cake.')],
    ['a content beside its hash', 'ALTERED', '/prompts/0', edit('/prompts/0/1/content_hash', sha256('x'))],
    ['another answer', 'ALTERED', '/texts/0', edit('/texts/0', `${ANSWER} `)],
    ['a proof cut in its middle', 'MALFORMED', '', claim.slice(0, claim.length / 2)],
    ['a proof without its signature', 'MALFORMED', '/checkpoint', claim.slice(0, claim.indexOf('\n\n—'))],
    ['a proof of another place', 'NOT_IN_LOG', '/seal', claim.replace('index 3', 'index 2')],
    ['a proof whose extra line is no JSON', 'MALFORMED', '', claim.replace(/^extra .*$/m, 'extra AAAA')],
    ['a proof of another state', 'UNPROVEN', '/patch', editClaim('/patch', PATCH.replace('eaten', 'kept'))],
    ['a proof about another entity', 'UNPROVEN', '/patch', editClaim('/entity_id', 'cake')],
    ['a proof from another prompt', 'UNPROVEN', '/prompt', editClaim('/prompt/0/content', '')],
    ['a proof with another answer', 'UNPROVEN', '/answer', editClaim('/answer', '')],
    ['a proof without the call', 'UNPROVEN', '/entries', editClaim('/entries', without(1))],
    ['a proof without the end', 'UNPROVEN', '/patch', editClaim('/entries', cut)],
    ['a proof with an altered entry', 'ALTERED', '/entries/0', editClaim('/entries/0/entry', alien[0] ?? '')],
    ['a proof of another seal', 'NOT_IN_LOG', '/seal', editClaim('/seal', first?.seal ?? '')],
  ];
  const others = { 'the bundle of another': JSON.stringify(other.bundle), 'the proof of another': other.claim };
  return [
    ...files.map(([name, code, pointer, text]) => ({ name, text, code: `EVIDENCE_${code}`, pointer })),
    ...Object.entries(others).map(([name, text]) => {
      return { name, text, key, code: 'EVIDENCE_OF_ANOTHER_KEY', pointer: '/key' };
    }),
  ];
}
