import { generateKeyPairSync, sign } from 'node:crypto';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { canonicalText, contentHash } from '../../engine/core/content/canonical.js';
import { findAt, isList, pointerTokens, toPointer } from '../../engine/core/content/json-pointer.js';
import { sha256 } from '../../engine/core/content/sha256.js';
import { encodeBase64 } from '../../engine/core/evidence/base64.js';
import {
  BUNDLE_FORMAT,
  type Bundle,
  type BundledSeal,
  contentsText,
  listPresence,
} from '../../engine/core/evidence/bundle.js';
import { formatCheckpoint } from '../../engine/core/evidence/checkpoint.js';
import { formatClaim, isOfClaim, proveEntries } from '../../engine/core/evidence/claim.js';
import { promptHash, type PromptMessage } from '../../engine/core/evidence/material.js';
import { leafHash, proveInclusion, rootOf } from '../../engine/core/evidence/merkle.js';
import { sealText } from '../../engine/core/evidence/seal-text.js';
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

const hex = (hash: Uint8Array | undefined) => Buffer.from(hash ?? []).toString('hex');
const leavesOf = (texts: readonly string[]) => texts.map((text) => leafHash(text));

/** What the maker of evidence does otherwise, who may sign what they like. */
interface Making {
  readonly key?: SigningKey;
  readonly world_slug?: string;
  readonly change_entries?: (entries: readonly string[]) => readonly string[];
  readonly change_seal?: (seal: string) => string;
  readonly is_removed?: boolean;
}

/** A log of three turns of a park with another world between them, its bundle, and the proof of one claim. */
export function makeEvidence({
  key = makeSigningKey('chukwa/test'),
  world_slug = 'park',
  change_entries = (entries) => entries,
  change_seal = (seal) => seal,
  is_removed = false,
}: Making = {}): {
  readonly key: string;
  readonly bundle: Bundle;
  readonly claim: string;
} {
  const turns = [1, 2, 3].map((turn) => change_entries(entriesOf(turn)));
  const roots = turns.map((entries) => rootOf(leavesOf(entries)));
  const seals = turns.map((entries, index) =>
    change_seal(
      sealText({
        world_slug,
        seal_seq: index + 1,
        attempt_id: attemptId(index + 1),
        source_invocation_id: '',
        entries: entries.length,
        root: hex(roots[index]),
        previous_root: hex(roots[index - 1]),
        sealed_at: '2026-05-01T09:00:00.000Z',
      }),
    ),
  );
  const log = leavesOf([...seals.slice(0, 2), 'of another world', ...seals.slice(2)]);
  const places = [0, 1, 3];
  const checkpoint = signNote(formatCheckpoint({ origin: key.name, size: log.length, root: rootOf(log) }), key);
  const vkey = formatVerifierKey(key);
  const bundled = seals.map((seal, index): BundledSeal => {
    const entries = turns[index] as readonly string[];
    const place = places[index] as number;
    const logged = { seal, index: place, proof: proveInclusion(log, place).map(encodeBase64) };
    return is_removed ? logged : { ...logged, leaves: leavesOf(entries).map(encodeBase64), entries };
  });
  const bundle: Bundle = {
    format: BUNDLE_FORMAT,
    key: vkey,
    checkpoint,
    contents: signNote(contentsText({ world_slug, has_entries: listPresence(bundled) }, bundled), key),
    seals: bundled,
    prompts: is_removed ? [] : [PROMPT],
    texts: is_removed ? [] : [ANSWER, PATCH],
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

type Wrong = readonly [name: string, code: string, pointer: string, text: string];

/** A key with which anybody can sign, since every multiple of its point is of small order. */
function makeWeakKey(public_key: string): SigningKey {
  const signature = Buffer.concat([Buffer.from([1]), Buffer.alloc(63)]);
  return { name: 'chukwa/weak', public_key: Buffer.from(public_key, 'hex'), sign: () => signature };
}

/** Files that are wrong, though the holder of the key has signed them. */
function signedAnyway(): readonly Wrong[] {
  const key = makeSigningKey('chukwa/own');
  const rewrite =
    (part: string | RegExp, written: string) =>
    (entries: readonly string[]): readonly string[] =>
      entries.map((entry) => entry.replace(part, () => written));
  const bundle = (making: Parameters<typeof makeEvidence>[0]) =>
    JSON.stringify(makeEvidence({ key, ...making }).bundle);
  const claim = (...parts: Parameters<typeof rewrite>) =>
    makeEvidence({ key, change_entries: rewrite(...parts) }).claim;
  const call = '"event_type":"LLM_CALL"';
  const numbers = ['0.30000000000000004441', '1e-400', '100000000000000000000000', '1.0', '-0'];
  const nested = [64, 2000].map((depth) => [`${depth} lists`, `${'['.repeat(depth)}${']'.repeat(depth)}`] as const);
  const named = `"source_invocation_id":"${CALL}"`;
  const weak = {
    'of small order': `01${'00'.repeat(31)}`,
    'that is not canonical': `ee${'ff'.repeat(30)}7f`,
    'with the sign of a zero': `01${'00'.repeat(30)}80`,
  };
  const empty = makeEvidence({ key, change_entries: () => [] }).bundle;
  return [
    ...[...numbers.map((number) => [number, number] as const), ...nested].map(
      ([what, part]): Wrong => [
        `a prompt that only an entry with ${what} names`,
        'ALTERED',
        '/prompts/0',
        bundle({ change_entries: rewrite(call, `${call},"more":${part}`) }),
      ],
    ),
    ...['1', 'true', '{}', '[1]', 'null'].map(
      (value): Wrong => [
        `a patch of the call ${value}`,
        'UNPROVEN',
        '/patch',
        claim(named, `"source_invocation_id":${value}`),
      ],
    ),
    ['a patch of no call', 'UNPROVEN', '/patch', claim(`,${named}`, '')],
    ['a turn that is a text', 'UNPROVEN', '/entries', claim('"attempted_turn":3', '"attempted_turn":"3"')],
    ['a turn that is a list', 'UNPROVEN', '/entries', claim('"attempted_turn":3', '"attempted_turn":[3]')],
    ['a patch without a number', 'UNPROVEN', '/entries', claim('"patch_seq":1', '"patch_seq":true')],
    ['a world that is a list', 'UNPROVEN', '/entries', claim('"world_slug":"park"', '"world_slug":["park"]')],
    [
      'an answer hash that is a list',
      'ALTERED',
      '/texts/0',
      bundle({ change_entries: rewrite(/"answer_hash":"\w+"/, '"answer_hash":["x"]') }),
    ],
    [
      'a prompt hash that is an object',
      'ALTERED',
      '/prompts/0',
      bundle({ change_entries: rewrite(/"context_hash":"\w+"/, '"context_hash":{}') }),
    ],
    [
      'a patch hash that is a list',
      'ALTERED',
      '/texts/1',
      bundle({ change_entries: rewrite(/"patch_hash":"\w+"/, '"patch_hash":[1]') }),
    ],
    ['a world of another spelling', 'MALFORMED', '/contents', bundle({ world_slug: 'pa\u0085rk' })],
    ['a world with a byte order mark', 'MALFORMED', '/contents', bundle({ world_slug: 'pa\ufeffrk' })],
    [
      'a seal number with a point',
      'MALFORMED',
      '/seals/0/seal',
      bundle({ change_seal: (seal) => seal.replace(/("seal_seq":\d)/, '$1.0') }),
    ],
    [
      'an empty seal without its list of entries',
      'ALTERED',
      '/seals/0/entries',
      JSON.stringify({
        ...empty,
        seals: empty.seals.map(({ entries: _entries, ...seal }) => seal),
        prompts: [],
        texts: [],
      }),
    ],
    ...Object.entries(weak).map(
      ([what, public_key]): Wrong => [`a key ${what}`, 'MALFORMED', '/key', bundle({ key: makeWeakKey(public_key) })],
    ),
  ];
}

/** Files that are wrong in one way each. */
export function falsify({ key, bundle, claim }: ReturnType<typeof makeEvidence>): readonly Falsified[] {
  const other = makeEvidence();
  const whole = JSON.stringify(bundle);
  const edit = (pointer: string, part: Change): string =>
    JSON.stringify(change(JSON.parse(whole) as Json, pointer, part));
  const extra = /^extra (.*)$/m.exec(claim)?.[1] ?? '';
  const editClaim = (pointer: string, part: Change): string => {
    const material = change(JSON.parse(Buffer.from(extra, 'base64').toString('utf8')) as Json, pointer, part);
    return claim.replace(extra, Buffer.from(JSON.stringify(material)).toString('base64'));
  };
  const alien = entriesOf(9);
  const rewriteClaim = (part: string, written: string): string => {
    const text = Buffer.from(extra, 'base64').toString('utf8').replace(part, written);
    return claim.replace(extra, Buffer.from(text).toString('base64'));
  };
  const [first, second] = bundle.seals;
  const withoutEntries = ({ entries: _entries, leaves: _leaves, ...logged }: BundledSeal) => logged as unknown as Json;
  const removed = makeEvidence({ is_removed: true }).bundle;
  const files: readonly Wrong[] = [
    ['a bundle cut in its middle', 'MALFORMED', '', whole.slice(0, whole.length / 2)],
    ['nothing', 'MALFORMED', '', ''],
    ['a list', 'MALFORMED', '', '[]'],
    ['a name twice', 'MALFORMED', '/format', whole.replace('{', '{"format":"chukwa evidence 2",')],
    ['half a character', 'MALFORMED', '/prompts/0/1/content', whole.replace('Here is a crumb.', '\\ud83d')],
    ['a member nobody knows', 'MALFORMED', '/note', edit('/note', 'x')],
    ['a number as a text', 'MALFORMED', '/seals/0/index', edit('/seals/0/index', '0')],
    ...['0.0', '0e0', '-0', '00'].map(
      (zero): Wrong => [
        `the place ${zero}`,
        'MALFORMED',
        zero === '00' ? '' : '/seals/0/index',
        whole.replace('"index":0,', `"index":${zero},`),
      ],
    ),
    ['another format', 'MALFORMED', '/format', edit('/format', 'chukwa evidence 1')],
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
    [
      'a seal whose entries were taken out',
      'ALTERED',
      '/seals/1/entries',
      edit('/seals/1', second === undefined ? null : withoutEntries(second)),
    ],
    [
      'a bundle that a stranger has emptied',
      'ALTERED',
      '/seals/0/entries',
      JSON.stringify({ ...bundle, seals: bundle.seals.map(withoutEntries), prompts: [], texts: [] }),
    ],
    [
      'entries of a world that was removed',
      'ALTERED',
      '/seals/0/entries',
      JSON.stringify({ ...removed, seals: removed.seals.map((seal) => ({ ...seal, leaves: [], entries: [] })) }),
    ],
    ['another prompt', 'ALTERED', '/prompts/0', edit('/prompts/0/1/content', 'Here is a cake.')],
    ['a content beside its hash', 'ALTERED', '/prompts/0', edit('/prompts/0/1/content_hash', sha256('x'))],
    ['another answer', 'ALTERED', '/texts/0', edit('/texts/0', `${ANSWER} `)],
    ['a proof cut in its middle', 'MALFORMED', '', claim.slice(0, claim.length / 2)],
    ['a proof without its signature', 'MALFORMED', '/checkpoint', claim.slice(0, claim.indexOf('\n\n—'))],
    ['a proof of another place', 'NOT_IN_LOG', '/seal', claim.replace('index 3', 'index 2')],
    ['a proof whose extra line is no JSON', 'MALFORMED', '', claim.replace(/^extra .*$/m, 'extra AAAA')],
    ['a proof with the place 0.0', 'MALFORMED', '', rewriteClaim('"index":0,', '"index":0.0,')],
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
    ...[...files, ...signedAnyway()].map(([name, code, pointer, text]) => ({
      name,
      text,
      code: `EVIDENCE_${code}`,
      pointer,
    })),
    ...Object.entries(others).map(([name, text]) => {
      return { name, text, key, code: 'EVIDENCE_OF_ANOTHER_KEY', pointer: '/key' };
    }),
  ];
}
