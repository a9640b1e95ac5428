import type { Json } from '../../contract/json.js';
import { parseJson } from '../../core/content/parse-json.js';
import type { ChatAnswer } from '../../contract/source.js';
import type { InvocationRecord, RanAttempt } from '../../ports/records.js';
import type { SearchHit } from '../../ports/search.js';
import { type AnswerColumns, RAW_TEXT, toShown } from '../records/invocation-rows.js';
import { prepare, run, type Runner } from '../statement.js';

export interface FoundText extends Omit<SearchHit, 'entry' | keyof AttemptKey | 'turn' | 'snippet' | 'rank'> {
  readonly text: string;
  /** Ids of entities and hashes by which it is found as well. */
  readonly names: readonly string[];
}

export interface EndedAttempt
  extends AttemptKey,
    Pick<RanAttempt, 'attempted_turn' | 'epoch' | 'failure_class' | 'failed_source_invocation_id'> {}

interface AttemptKey extends Pick<RanAttempt, 'world_slug' | 'attempt_id'> {}

/** All searchable texts of an attempt, without those that redaction hides. */
export async function collectTexts(runner: Runner, attempt: EndedAttempt): Promise<readonly FoundText[]> {
  const texts = [...(await collectPatches(runner, attempt)), ...(await collectCalls(runner, attempt))];
  return texts
    .filter(({ text }) => text.trim() !== '')
    .map((text) => ({ ...text, failure_class: failureOf(attempt, text) }));
}

/** The class of an attempt is that of the call over which it failed, and of all its texts where it failed over none. */
function failureOf({ failure_class, failed_source_invocation_id }: EndedAttempt, text: FoundText): string | null {
  if (failed_source_invocation_id === null) return text.failure_class ?? failure_class;
  return text.source_invocation_id === failed_source_invocation_id ? failure_class : text.failure_class;
}

const PATCHES = prepare(
  'search_patches',
  `SELECT patch_seq, workflow_subject_entity_id, source_invocation_id, llm_call_id, narration,
     to_json(ARRAY(SELECT json_build_array(state_after, coalesce(entity_id, environment_label)) FROM patch_effects effects
       WHERE effects.world_slug = patches.world_slug AND effects.turn = patches.turn
         AND effects.patch_seq = patches.patch_seq ORDER BY effect_index)) AS states
   FROM world_patches patches JOIN source_invocations USING (world_slug, source_invocation_id, workflow_subject_entity_id)
   WHERE world_slug = :world_slug AND patches.attempt_id = :attempt_id::uuid ORDER BY patch_seq`,
);

interface PatchRow
  extends Pick<FoundText, 'patch_seq' | 'workflow_subject_entity_id' | 'source_invocation_id' | 'llm_call_id'> {
  readonly narration: string;
  readonly states: readonly (readonly [state: string, name: string])[];
}

async function collectPatches(runner: Runner, attempt: EndedAttempt): Promise<readonly FoundText[]> {
  const rows = await run<PatchRow>(runner, PATCHES, toKey(attempt));
  return rows.flatMap(({ narration, states, ...place }) => {
    const about = { ...place, source_label: null, failure_class: null };
    return [
      { ...about, kind: 'narration' as const, text: narration, names: [] },
      ...states.map(([text, name]) => ({ ...about, kind: 'state' as const, text, names: [name] })),
    ];
  });
}

const CALLS = prepare(
  'search_calls',
  `SELECT calls.source_invocation_id, calls.workflow_subject_entity_id, content->>'label' AS source_label,
     calls.request_hash, calls.source_hash, calls.workflow_hash, calls.failure_class, calls.failure_message, calls.llm_call_id, calls.redaction, calls.response_json,
     llm_calls.finish_reason, ${RAW_TEXT} AS raw_text
   FROM source_invocations calls JOIN response_sources ON response_sources.hash = calls.source_hash
     LEFT JOIN llm_calls USING (world_slug, llm_call_id)
   WHERE calls.world_slug = :world_slug AND calls.attempt_id = :attempt_id::uuid ORDER BY calls.invocation_seq`,
);

async function collectCalls(runner: Runner, attempt: EndedAttempt): Promise<readonly FoundText[]> {
  const rows = await run<AnswerColumns & InvocationRecord>(runner, CALLS, toKey(attempt));
  const prompts = await readPrompts(runner, attempt);
  return rows.map(toShown).flatMap((call): readonly FoundText[] => {
    const { workflow_subject_entity_id, source_invocation_id, llm_call_id, source_label, failure_class } = call;
    const about = {
      workflow_subject_entity_id,
      source_invocation_id,
      llm_call_id,
      source_label,
      failure_class,
      patch_seq: null,
      names: [call.request_hash, call.source_hash, call.workflow_hash].filter((hash) => hash !== null),
    };
    const failure: FoundText = { ...about, kind: 'result', text: call.failure_message ?? '' };
    if (llm_call_id === null) return [{ ...about, kind: 'result', text: textOf(call.response_json) }, failure];
    const answer = call.response_json as Pick<ChatAnswer, 'text'> | null;
    return [
      { ...about, kind: 'prompt', text: prompts.get(llm_call_id) ?? '' },
      { ...about, kind: 'answer', text: wordsOf(answer?.text ?? '') },
      failure,
    ];
  });
}

/** An answer in JSON is searched by what it says, and not by the names of its members. */
function wordsOf(said: string): string {
  const parsed = parseJson(said);
  return parsed.ok ? textOf(parsed.value) : said;
}

/** The words of a value: its texts and numbers, in their order. */
function textOf(value: Json): string {
  if (value === null || typeof value === 'boolean') return '';
  if (typeof value !== 'object') return String(value);
  return Object.values(value)
    .map((inner: Json) => textOf(inner))
    .filter((text) => text !== '')
    .join('\n');
}

// An author's text is in the documents, and in every prompt; a model's text is an answer. Each call has the messages
// that it adds to its conversation.
const PROMPTS = prepare(
  'search_prompts',
  `SELECT llm_call_id, pieces.text
   FROM source_invocations calls JOIN llm_calls USING (world_slug, llm_call_id)
     CROSS JOIN LATERAL unnest(new_messages) WITH ORDINALITY AS listed (message_hash, place)
     JOIN llm_message_pieces pieces ON pieces.message_hash = listed.message_hash
   WHERE world_slug = :world_slug AND calls.attempt_id = :attempt_id::uuid
     AND pieces.origin NOT IN ('author', 'schema', 'tools.available', 'model')
   ORDER BY invocation_seq, place, pieces.position`,
);

/** A text that fills several places of a prompt, such as the name of its subject, is collected once. */
async function readPrompts(runner: Runner, attempt: EndedAttempt): Promise<ReadonlyMap<string, string>> {
  const rows = await run<{ readonly llm_call_id: string; readonly text: Buffer }>(runner, PROMPTS, toKey(attempt));
  const texts = new Map<string, Set<string>>();
  for (const { llm_call_id, text } of rows) {
    const distinct = texts.get(llm_call_id) ?? new Set();
    texts.set(llm_call_id, distinct.add(text.toString('utf8')));
  }
  return new Map([...texts].map(([llm_call_id, distinct]) => [llm_call_id, [...distinct].join('\n')]));
}

function toKey({ world_slug, attempt_id }: EndedAttempt) {
  return { world_slug, attempt_id };
}
