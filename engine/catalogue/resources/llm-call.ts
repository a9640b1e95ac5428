import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../contract/json.js';
import { isObject } from '../../core/content/json-pointer.js';
import { parseJson } from '../../core/content/parse-json.js';
import { showLlmCall } from '../../operations/browse/records.js';
import type { LlmCallRecord, TryOfLane } from '../../ports/records.js';
import { eventsOf, pathOfPatch } from '../places.js';
import { toPhrase } from '../phrase.js';
import { saySources } from '../patches.js';
import { members } from '../members.js';
import { resource } from '../resource.js';
import {
  type Block,
  type Blocks,
  code,
  ending,
  exact,
  extra,
  faint,
  folded,
  inShort,
  json,
  linkTo,
  linkToEntity,
  linkToTurn,
  list,
  note,
  outcome,
  type Phrase,
  picture,
  prose,
  section,
  strong,
  trailToAttempt,
} from '../view.js';
import { count, runWord, shortHash, toDuration, toVerdict, words } from '../words.js';

export const llmCall = resource({
  name: 'get_llm_call',
  path: '/llm-calls/:llm_call_id',
  command: 'llm-call',
  says: 'Show one generation: its prompt, its answer and its verdict.',
  gives: 'LlmCall',
  extras: { schema: 'print the schema that the model was offered, too; --json always has it' },
  read: (archive, { parameters: { llm_call_id } }) => showLlmCall(archive, llm_call_id),
  view(call) {
    const own = call.tries.find(({ llm_call_id }) => llm_call_id === call.llm_call_id);
    const {
      workflow_subject_entity_id: subject,
      raw_text,
      normalised_text,
      artifacts,
      chunks,
      tokens,
      ended_at,
    } = call;
    const thought = artifacts.filter(({ kind }) => /reason/.test(kind));
    const others = artifacts.filter((artifact) => !thought.includes(artifact));
    const isCleaned = normalised_text !== null && normalised_text !== raw_text;
    const kind = call.model_output_kind;
    return {
      eyebrow: `LLM call · node ${call.workflow_node_id}${runWord(call)}, ${nameOf(call)}`,
      title: `What ${call.invocation_kind === 'quality_gate' ? `the gate of ${subject}` : subject} was asked, and said`,
      trail: trailToAttempt(call),
      lede: [ending(call), kind && `, ${words(kind)}`, own === undefined ? null : drawDecided(call, own)],
      events: ended_at === null ? eventsOf('attempt', call.attempt_id) : undefined,
      has_pace: ended_at === null || chunks.length > 1,
      sections: [
        outcome('answer', 'What the model said', drawAnswer(call), picture({ of: 'output_tokens', shown: tokens })),
        outcome('normalised', 'Without what surrounded it', isCleaned && exact(normalised_text)),
        outcome(
          'reasoning',
          'What it thought aloud',
          thought.map(({ value }) => drawThought(value)),
        ),
        section(
          'pace',
          'How it came in',
          chunks.length > 1 && folded('Piece by piece', picture({ of: 'chunks', shown: chunks })),
        ),
        section('tries', 'The tries before and after', drawTries(call)),
        section('prompt', 'What the model saw', {
          block: 'conversation',
          messages: call.messages,
          pointer: '/messages',
          tokens,
        }),
        section('memories', 'Which memories were found', call.retrieved && drawRetrieved(call)),
        inShort(factsOf(call)),
        extra('schema', 'The offered schema', folded('The whole schema', json(call.output_schema, '/output_schema'))),
        outcome(
          'artifacts',
          'What was made of it',
          others.map((each) => drawArtifact(each, normalised_text ?? raw_text)),
        ),
      ],
    };
  },
});

function nameOf(one: Pick<TryOfLane, 'tool_loop_round' | 'logical_generation_attempt'>): string {
  return `round ${one.tool_loop_round}, try ${one.logical_generation_attempt}`;
}

/** What the answer of a try decided: the call of a tool, or the patch of its subject. */
function drawDecided({ world_slug, attempted_turn: turn }: LlmCallRecord, { elected, patch_seq }: TryOfLane): Phrase {
  const calls = elected.map(
    ({ source_invocation_id: id, tool_name }): Phrase => [
      `. Decided here: ${tool_name} (`,
      linkTo('source_invocation', id, 'the call'),
      ')',
    ],
  );
  if (patch_seq === null) return calls;
  const { command } = linkToTurn(world_slug, turn);
  const path = pathOfPatch(world_slug, turn, patch_seq);
  return [...calls, '. Decided here: ', { path, command, text: `patch ${patch_seq} of turn ${turn}` }];
}

/** All tries of the lane, in their order. */
function drawTries(call: LlmCallRecord): Blocks {
  const { tries } = call;
  const own = tries.findIndex(({ llm_call_id }) => llm_call_id === call.llm_call_id);
  const draw = (one: TryOfLane, at: number): Blocks => {
    const name = at === own ? strong(nameOf(one)) : nameOf(one);
    const added = one.message_count - (tries[at - 1]?.message_count ?? 0);
    const text = at === own - 1 ? '← the try before' : at === own + 1 ? 'the try after →' : 'its prompt';
    const way = at === own ? faint('this one') : linkTo('llm_call', one.llm_call_id, text);
    const said = toVerdict(one) || one.status;
    return [note(name, ', ', count(added, 'new message'), ': ', said, drawDecided(call, one), '. ', way)];
  };
  return tries.length > 1 ? [list(tries.map(draw))] : [];
}

function drawAnswer({ raw_text, items, ended_at, model_output_kind }: LlmCallRecord): Blocks {
  const calls = (items ?? []).flatMap((item) => (item.type === 'function_call' ? [json({ ...item })] : []));
  if (calls.length > 0) return [raw_text !== '' && exact(raw_text, '/raw_text'), calls];
  if (raw_text === '') return [note(ended_at === null ? 'The model has not answered yet.' : 'The model said nothing.')];
  const said = parseJson(raw_text);
  const { patch } = (model_output_kind === 'final_patch' && said.ok ? said.value : {}) as {
    readonly patch?: { readonly narration?: unknown };
  };
  return [typeof patch?.narration === 'string' && prose(patch.narration), exact(raw_text, '/raw_text')];
}

/** Why a memory stands in the prompt: the query, and the score by which it was found. */
function drawRetrieved({ retrieved, world_slug }: LlmCallRecord): Blocks {
  if (retrieved === null) return [];
  const { query, found } = retrieved;
  const drawn = found.map(({ memory_id, turn, content, score, sources }): Blocks => {
    const why = score === null ? 'beside one that was found' : `score ${(score / 1_000_000).toFixed(3)}`;
    const from = sources === undefined ? '' : `, from ${saySources(sources)}`;
    return [note(linkToTurn(world_slug, turn), faint(`, memory ${memory_id}, ${why}${from}: `), content)];
  });
  return [
    note(`By the words of this query, compared as ${query.language}:`),
    exact(query.text, '/retrieved/query/text'),
    drawn.length === 0 ? note('No memory has any of them.') : list(drawn),
  ];
}

function drawThought(thought: Json): Block {
  return typeof thought === 'string' ? exact(thought) : json(thought);
}

/** A value that the text holds word for word is named, and not shown again. */
function drawArtifact({ kind, value }: LlmCallRecord['artifacts'][number], said: string): Blocks {
  const parsed = parseJson(said);
  const members = parsed.ok && isObject(parsed.value) ? Object.entries(parsed.value) : [];
  if (parsed.ok && isDeepStrictEqual(parsed.value, value)) return [note(`${words(kind)}: all of what it said`)];
  const equal = members.find(([, part]) => isDeepStrictEqual(part, value));
  if (equal !== undefined) return [note(`${words(kind)}: the ${equal[0]} of what it said`)];
  return [note(`${words(kind)}:`), json(value)];
}

function factsOf(call: LlmCallRecord) {
  const { tokens, chunks, delivered_schema_hash: sent, output_schema_hash: whole, world_slug } = call;
  const [first, last] = [chunks[0], chunks.at(-1)];
  return {
    subject: linkToEntity(world_slug, call.workflow_subject_entity_id),
    call: linkTo('source_invocation', call.source_invocation_id),
    judges: linkTo('source_invocation', call.parent_source_invocation_id, 'this generation'),
    'asks for': call.child_source_invocation_ids.map((id, at) => [
      at > 0 ? ', ' : null,
      linkTo('source_invocation', id, 'the call that it led to'),
    ]),
    world: [linkTo('world', world_slug), `, turn ${call.attempted_turn}`],
    attempt: linkTo('attempt', call.attempt_id),
    source: linkTo('response_source', call.source_hash, call.source_label),
    workflow: linkTo('cognition_workflow', call.workflow_hash),
    model: call.model,
    endpoint: call.endpoint_origin,
    settings: toSettings(call),
    schema: [
      { path: '#schema', command: ['llm-call', call.llm_call_id, '--schema'], text: shortHash(whole) },
      `, by ${call.schema_delivery}`,
      sent !== null && sent !== whole ? `, sent without its bounds as ${shortHash(sent)}` : null,
    ],
    tokens: tokens && toTokens(tokens),
    'limit by budgets': call.max_output_tokens && `${count(call.max_output_tokens, 'token')} of answer`,
    'finish reason': call.finish_reason,
    'streamed in':
      first === undefined || last === undefined
        ? null
        : `${count(chunks.length, 'chunk')}, the first after ${toDuration(first.offset_ms)}, the last after ${toDuration(last.offset_ms)}`,
    ...members(call, 'started_at', 'duration_ms'),
    id: code(call.llm_call_id),
  };
}

/** The author's settings that have no line of their own: temperature, seed, limits. */
function toSettings({ interface: asked, model, schema_delivery }: LlmCallRecord): string {
  const shown: readonly unknown[] = [model, schema_delivery];
  const settings = Object.entries(asked).filter(([member, value]) => member !== 'name' && !shown.includes(value));
  return toPhrase(Object.fromEntries(settings));
}

function toTokens(tokens: NonNullable<LlmCallRecord['tokens']>): string {
  const { input_tokens, output_tokens, cached_input_tokens: cached, reasoning_tokens: reasoning } = tokens;
  const { cache_written_input_tokens: written } = tokens;
  const parts = [
    `${input_tokens} in`,
    `${output_tokens} out`,
    cached === null ? '' : `${cached} of the input cached`,
    written === null ? '' : `${written} of the input written to the cache`,
    reasoning === null ? '' : `${reasoning} of the output reasoning`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}
