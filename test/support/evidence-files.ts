import { generateKeyPairSync, sign } from 'node:crypto';
import type { Json } from '../../engine/contract/json.js';
import { canonicalText, contentHash } from '../../engine/core/content/canonical.js';
import { sha256 } from '../../engine/core/content/sha256.js';
import { encodeBase64 } from '../../engine/core/evidence/base64.js';
import { BUNDLE_FORMAT, type Bundle, contentsText } from '../../engine/core/evidence/bundle.js';
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
const leavesOf = (texts: readonly string[]) => texts.map((text) => leafHash(Buffer.from(text)));

/** A log of three turns of a park with another world between them, its bundle, and the proof of one claim. */
export function makeEvidence(key: SigningKey = makeSigningKey('chukwa/test')): {
  readonly key: string;
  readonly bundle: Bundle;
  readonly claim: string;
} {
  const turns = [1, 2, 3].map(entriesOf);
  const roots = turns.map((entries) => rootOf(leavesOf(entries)));
  const seals = turns.map((entries, index) =>
    sealText({
      world_slug: 'park',
      seal_seq: index + 1,
      attempt_id: attemptId(index + 1),
      source_invocation_id: '',
      entries: entries.length,
      root: hex(roots[index]),
      previous_root: hex(roots[index - 1]),
      sealed_at: '2026-05-01T09:00:00.000Z',
    }),
  );
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

type Loose = { [member: string]: Loose } & Loose[] & string;

/** Files that are wrong in one way each. */
export function falsify({ key, bundle, claim }: ReturnType<typeof makeEvidence>): readonly Falsified[] {
  const other = makeEvidence(makeSigningKey('chukwa/test'));
  const edit = (change: (bundle: Loose) => void): string => {
    const copy = structuredClone(bundle) as unknown as Loose;
    change(copy);
    return JSON.stringify(copy);
  };
  const editClaim = (change: (material: Loose) => void): string => {
    const encoded = /^extra (.*)$/m.exec(claim)?.[1] ?? '';
    const material = JSON.parse(Buffer.from(encoded, 'base64').toString('utf8')) as Loose;
    change(material);
    return claim.replace(encoded, Buffer.from(JSON.stringify(material)).toString('base64'));
  };
  const set = (at: Loose, name: string | number, value: unknown): void => {
    (at as unknown as Record<string | number, unknown>)[name] = value;
  };
  const whole = JSON.stringify(bundle);
  const files: readonly (readonly [name: string, text: string, code: string, pointer?: string])[] = [
    ['a bundle cut in its middle', whole.slice(0, whole.length / 2), 'EVIDENCE_MALFORMED'],
    ['nothing', '', 'EVIDENCE_MALFORMED'],
    ['a list', '[]', 'EVIDENCE_MALFORMED'],
    ['a name twice', whole.replace('{', '{"format":"chukwa evidence 1",'), 'EVIDENCE_MALFORMED', '/format'],
    ['a member nobody knows', edit((it) => set(it, 'note', 'x')), 'EVIDENCE_MALFORMED', '/note'],
    ['a number as a text', edit((it) => set(it['seals']![0]!, 'index', '0')), 'EVIDENCE_MALFORMED', '/seals/0/index'],
    ['another format', edit((it) => set(it, 'format', 'chukwa evidence 2')), 'EVIDENCE_MALFORMED', '/format'],
    ['no key', edit((it) => set(it, 'key', 'chukwa/test')), 'EVIDENCE_MALFORMED', '/key'],
    ['the key of another', edit((it) => set(it, 'key', other.key)), 'EVIDENCE_SIGNATURE_WRONG', '/checkpoint'],
    [
      'a checkpoint of another',
      edit((it) => set(it, 'checkpoint', other.bundle.checkpoint)),
      'EVIDENCE_SIGNATURE_WRONG',
      '/checkpoint',
    ],
    [
      'a larger log',
      edit((it) => set(it, 'checkpoint', bundle.checkpoint.replace('\n4\n', '\n5\n'))),
      'EVIDENCE_SIGNATURE_WRONG',
      '/checkpoint',
    ],
    ['no last seal', edit((it) => void it['seals']!.pop()), 'EVIDENCE_ALTERED', '/seals'],
    ['no first seal', edit((it) => void it['seals']!.shift()), 'EVIDENCE_ALTERED', '/seals'],
    ['seals in another order', edit((it) => void it['seals']!.reverse()), 'EVIDENCE_ALTERED', '/seals'],
    [
      'a list of another world',
      edit((it) => set(it, 'contents', bundle.contents.replace('world park', 'world sea'))),
      'EVIDENCE_SIGNATURE_WRONG',
      '/contents',
    ],
    [
      'a checkpoint for a list',
      edit((it) => set(it, 'contents', bundle.checkpoint)),
      'EVIDENCE_MALFORMED',
      '/contents',
    ],
    ['another place in the log', edit((it) => set(it['seals']![1]!, 'index', 2)), 'EVIDENCE_NOT_IN_LOG', '/seals/1'],
    ['a shorter proof', edit((it) => void it['seals']![1]!['proof']!.pop()), 'EVIDENCE_NOT_IN_LOG', '/seals/1'],
    [
      'a proof that is no base64',
      edit((it) => set(it['seals']![1]!['proof']!, 0, 'A')),
      'EVIDENCE_NOT_IN_LOG',
      '/seals/1',
    ],
    [
      'an altered leaf',
      edit((it) => set(it['seals']![0]!['leaves']!, 2, bundle.seals[1]!.leaves![4])),
      'EVIDENCE_ALTERED',
      '/seals/0/leaves',
    ],
    [
      'an altered entry',
      edit((it) => set(it['seals']![2]!['entries']!, 3, entriesOf(9)[3])),
      'EVIDENCE_ALTERED',
      '/seals/2/entries/3',
    ],
    [
      'a removed entry',
      edit((it) => void it['seals']![2]!['entries']!.splice(1, 1)),
      'EVIDENCE_ALTERED',
      '/seals/2/entries/1',
    ],
    [
      'an inserted entry',
      edit((it) => void it['seals']![2]!['entries']!.splice(1, 0, '{}' as Loose)),
      'EVIDENCE_ALTERED',
      '/seals/2/entries/1',
    ],
    [
      'swapped entries',
      edit((it) => void it['seals']![2]!['entries']!.reverse()),
      'EVIDENCE_ALTERED',
      '/seals/2/entries/0',
    ],
    ['entries cut off', edit((it) => void it['seals']![2]!['entries']!.pop()), 'EVIDENCE_ALTERED', '/seals/2/entries'],
    [
      'an entry at the end',
      edit((it) => void it['seals']![2]!['entries']!.push('{}' as Loose)),
      'EVIDENCE_ALTERED',
      '/seals/2/entries/5',
    ],
    [
      'another prompt',
      edit((it) => set(it['prompts']![0]![1]!, 'content', 'Here is a cake.')),
      'EVIDENCE_ALTERED',
      '/prompts/0',
    ],
    [
      'a message with content and hash',
      edit((it) => set(it['prompts']![0]![1]!, 'content_hash', sha256('x'))),
      'EVIDENCE_ALTERED',
      '/prompts/0',
    ],
    ['another answer', edit((it) => set(it['texts']!, 0, `${ANSWER} `)), 'EVIDENCE_ALTERED', '/texts/0'],
    ['half a character', whole.replace('Here is a crumb.', '\\ud83d'), 'EVIDENCE_MALFORMED', '/prompts/0/1/content'],
    ['a proof cut in its middle', claim.slice(0, claim.length / 2), 'EVIDENCE_MALFORMED'],
    ['a proof without its signature', claim.slice(0, claim.indexOf('\n\n—')), 'EVIDENCE_MALFORMED', '/checkpoint'],
    ['a proof with an index too large', claim.replace('index 3', 'index 2'), 'EVIDENCE_NOT_IN_LOG', '/seal'],
    ['a proof whose extra line is no JSON', claim.replace(/^extra .*$/m, 'extra AAAA'), 'EVIDENCE_MALFORMED'],
    [
      'a proof of another state',
      editClaim((it) => set(it, 'patch', PATCH.replace('eaten', 'kept'))),
      'EVIDENCE_UNPROVEN',
      '/patch',
    ],
    ['a proof about another entity', editClaim((it) => set(it, 'entity_id', 'cake')), 'EVIDENCE_UNPROVEN', '/patch'],
    [
      'a proof from another prompt',
      editClaim((it) => set(it['prompt']![0]!, 'content', '')),
      'EVIDENCE_UNPROVEN',
      '/prompt',
    ],
    ['a proof with another answer', editClaim((it) => set(it, 'answer', '')), 'EVIDENCE_UNPROVEN', '/answer'],
    ['a proof without the call', editClaim((it) => void it['entries']!.splice(1, 1)), 'EVIDENCE_UNPROVEN', '/entries'],
    ['a proof without the end', editClaim((it) => void it['entries']!.pop()), 'EVIDENCE_UNPROVEN', '/patch'],
    [
      'a proof with an altered entry',
      editClaim((it) => set(it['entries']![0]!, 'entry', entriesOf(9)[0])),
      'EVIDENCE_ALTERED',
      '/entries/0',
    ],
    [
      'a proof of another seal',
      editClaim((it) => set(it, 'seal', bundle.seals[0]!.seal)),
      'EVIDENCE_NOT_IN_LOG',
      '/seal',
    ],
  ];
  return [
    ...files.map(([name, text, code, pointer = '']) => ({ name, text, code, pointer })),
    {
      name: 'the bundle of another',
      text: JSON.stringify(other.bundle),
      key,
      code: 'EVIDENCE_OF_ANOTHER_KEY',
      pointer: '/key',
    },
    { name: 'the proof of another', text: other.claim, key, code: 'EVIDENCE_OF_ANOTHER_KEY', pointer: '/key' },
  ];
}
