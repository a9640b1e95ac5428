import type { Json, JsonObject } from '../../../contract/json.js';
import type { Invoke } from '../../../core/protocol/command.js';
import type { Verdict } from '../../../core/protocol/verdict.js';
import type { GateVerdict } from '../../../generated/gate-verdict.js';
import { partsOf, PATCH_OPERATIONS } from '../../../core/world/patch-operations.js';
import type { AppliedEffect, WorldPatch } from '../../../core/world/world-patch.js';
import type { CallBroke, CallOutcome } from '../../../ports/sources.js';
import { cut, quote, toArguments, toPhrase, REASON_LENGTH_MAX, toReason } from '../../../catalogue/phrase.js';
import { accent, advice, bad, faint, good, hanging, type Line, type Lines, type Span, strong } from './line.js';
import { proseLines } from './block.js';
import { PASSED_ON, toDuration } from '../../../catalogue/words.js';

interface FinishedCall {
  readonly command: Invoke;
  readonly outcome: CallOutcome;
  readonly verdict?: Verdict;
  /** The model; undefined where none is known, or the call has none. */
  readonly model: string | undefined;
  /** The effects of the accepted patch; undefined until the working world has it. */
  readonly effects?: readonly AppliedEffect[];
}

const NAME_WIDTH = 16;

/** The outcome of a call, in one line or a few. */
export function callLines(call: FinishedCall): Lines {
  const { command } = call;
  if (command.invocation_kind === 'llm_generation' || command.invocation_kind === 'quality_gate')
    return generationLines(call);
  return [answerLine(call, STARTS[command.invocation_kind](command))];
}

type AnsweredKind = Exclude<Invoke['invocation_kind'], 'llm_generation' | 'quality_gate'>;

/** How the line of a call begins that is no generation. */
const STARTS: Readonly<Record<AnsweredKind, (command: Invoke) => readonly (string | Span)[]>> = {
  ambient_context: ({ ambient_id = '' }) => [strong(ambient_id.padEnd(NAME_WIDTH)), '  '],
  model_elected_tool: ({ tool_name = '', request }) => [accent(tool_name), ` ${toArguments(request)} -> `],
  node_call: ({ node_id = '', call }) => [strong(node_id), ` asks ${call.source.label} -> `],
};

/** The calls that are awaited, in a few words. */
export function awaitedName(command: Invoke, model: string | undefined): string {
  const { retry } = command;
  const asked = model === undefined ? '' : `, ${model}`;
  return `${callName(command)}${asked}${retry === undefined ? '' : `, retry ${retry.number}`}`;
}

function callName(command: Invoke): string {
  const name = partName(command);
  return command.subject_id === undefined ? name : `${command.subject_id} ${name}`;
}

/** The name of a call below the heading of its subject. */
export function partName(command: Invoke): string {
  return PART_NAMES[command.invocation_kind](command);
}

const PART_NAMES: Readonly<Record<Invoke['invocation_kind'], (command: Invoke) => string>> = {
  llm_generation: toTry,
  quality_gate: toTry,
  ambient_context: ({ ambient_id, key }) => ambient_id ?? key,
  model_elected_tool: ({ tool_name = '' }) => tool_name,
  node_call: ({ node_id = '' }) => node_id,
};

function answerLine(call: FinishedCall, start: readonly (string | Span)[]): Line {
  const { command, outcome, verdict } = call;
  const took = faint(`  ${toDuration(outcome.duration_ms).replace(' ', '\u00a0')}`);
  const indent = command.invocation_kind === 'model_elected_tool' ? '      ' : '    ';
  if (outcome.status === 'failed')
    return hanging(8, indent, ...start, ...whyBroken(outcome), ...passedOn(verdict), took);
  return hanging(8, indent, ...start, toPhrase(outcome.view), took);
}

function generationLines(call: FinishedCall): Lines {
  const { outcome, model } = call;
  const asked = model === undefined ? [] : [model];
  const facts = [...asked, ...toTokens(outcome), toDuration(outcome.duration_ms)].join(' · ');
  const doubt = outcome.trace?.artifacts.find(({ kind }) => kind === 'counts_doubted')?.value;
  const lines = judgedLines(call, facts);
  return typeof doubt === 'string' ? [lines, hanging(8, '      ', accent('counts'), `: ${toReason(doubt)}`)] : lines;
}

function judgedLines(call: FinishedCall, facts: string): Lines {
  const { command, outcome, verdict } = call;
  const start = ['    ', strong(toTry(command)), faint(`  ${facts}`)];
  if (outcome.status === 'failed') return [hanging(8, ...start, '  ', ...whyBroken(outcome), ...passedOn(verdict))];
  if (verdict?.failure !== undefined) return [hanging(8, ...start), rejectedLine(verdict.failure)];
  switch (verdict?.model_output_kind) {
    case 'tool_call':
      return [hanging(8, ...start, '  asks for ', accent(toolNameOf(verdict)))];
    case 'final_patch':
      return [hanging(8, ...start), acceptedLines(artifactOf(verdict, 'accepted_patch'), call.effects)];
    case 'json_answer': {
      const answer = toPhrase(artifactOf(verdict, 'parsed_output') ?? null);
      return [hanging(8, ...start), hanging(8, '      answers ', answer)];
    }
    case 'gate_pass':
      return [hanging(8, ...start), decisionLine(verdict, good('passes'))];
    case 'gate_retry':
      return [hanging(8, ...start), decisionLine(verdict, accent('asks for another answer'))];
    case 'gate_escalate':
      return [hanging(8, ...start), decisionLine(verdict, bad('escalates'))];
    default:
      return [hanging(8, ...start)];
  }
}

function decisionLine(verdict: Verdict, decided: Span): Line {
  const { reason } = artifactOf(verdict, 'parsed_output') as unknown as GateVerdict;
  return hanging(8, '      ', decided, `: ${quote(reason)}`);
}

function rejectedLine({ failure_class, detail, message }: NonNullable<Verdict['failure']>): Line {
  // Only a model's text is rejected; a used-up budget ends the attempt, however good the answer.
  const what = failure_class === 'model_content' ? `rejected, ${detail ?? failure_class}` : `ended: ${failure_class}`;
  return hanging(8, '      ', bad(what), `: ${toReason(message)}`);
}

function whyBroken({ failure_class, failure_message, http_status, refused }: CallBroke): readonly (string | Span)[] {
  const isSaid = http_status === undefined || failure_message.includes(`status ${http_status}`);
  const status = isSaid ? '' : ` (status ${http_status})`;
  return [
    bad(`${refused ? 'refused' : 'failed'}, ${failure_class}`),
    ...advice({ text: `${status}: ${cut(failure_message, REASON_LENGTH_MAX)}` }),
  ];
}

/** Whether the line of a failed call shows all of its message. */
export function isShownWhole(failure_message: string): boolean {
  return cut(failure_message, REASON_LENGTH_MAX) === failure_message;
}

function passedOn(verdict: Verdict | undefined): readonly Span[] {
  if (verdict?.passed_on === undefined) return [];
  return [accent(`; ${PASSED_ON[verdict.passed_on]}`)];
}

/** `act try 1`, `act round 2 try 1`: the first round is not named. */
function toTry({ node_id, round = 1, generation_try = 1, is_fallback, call, invocation_kind }: Invoke): string {
  if (invocation_kind === 'quality_gate')
    return `${node_id ?? ''} gate${generation_try > 1 ? ` try ${generation_try}` : ''}`;
  const fallback = is_fallback === true ? `, fallback ${call.source.label}` : '';
  return `${node_id ?? ''}${round > 1 ? ` round ${round}` : ''} try ${generation_try}${fallback}`;
}

function toTokens({ usage }: CallOutcome): readonly string[] {
  return usage === undefined ? [] : [`${usage.input_tokens} + ${usage.output_tokens} tokens`];
}

function toolNameOf(verdict: Verdict): string {
  const output = artifactOf(verdict, 'parsed_output') as JsonObject | undefined;
  const call = output?.['tool_call'] as JsonObject | undefined;
  return typeof call?.['name'] === 'string' ? call['name'] : 'a tool';
}

function artifactOf(verdict: Verdict, kind: string): Json | undefined {
  return verdict.artifacts.find((artifact) => artifact.kind === kind)?.value;
}

function acceptedLines(value: Json | undefined, applied: readonly AppliedEffect[] = []): Lines {
  return value === undefined ? [] : patchLines(value as unknown as WorldPatch, applied);
}

/** A patch in prose, with its changes beneath. A value that is set to itself is no change. */
export function patchLines(patch: WorldPatch, applied: readonly AppliedEffect[]): Lines {
  const idle = new Set(applied.filter(isIdle).map(({ effect_index }) => effect_index));
  const changes = patch.effects.filter((_, index) => !idle.has(index));
  return [
    patch.narration !== '' && proseLines(patch.narration, 6),
    changes.length === 0 ? hanging(8, faint('      nothing changes')) : changes.map(effectLine),
  ];
}

function isIdle({ state_before, state_after }: AppliedEffect): boolean {
  return state_before === state_after;
}

function effectLine(effect: WorldPatch['effects'][number]): Line {
  const { target, text } = partsOf(effect);
  return hanging(10, '      ', good(target), `: ${PATCH_OPERATIONS[effect.op].shown_as} `, quote(text));
}
