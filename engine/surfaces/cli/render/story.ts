import { unreachable } from '../../../contract/unreachable.js';
import type { AcceptedPatch, Invoke } from '../../../core/protocol/command.js';
import type { SetAside } from '../../../ports/attempts.js';
import type { CallOutcome } from '../../../ports/sources.js';
import type { Progress } from '../../../runtime/progress.js';
import { awaitedName, callLines, isShownWhole, partName, patchLines } from './call.js';
import { settleLines } from './open-call.js';
import { advice, bad, EMPTY, faint, good, hanging, type Line, line, type Lines, strong, verbatim } from './line.js';
import { count, toDuration, toMoment } from '../../../catalogue/words.js';

/** How a world is run again as it was run. */
export interface Rerun {
  /** The words of the command, with the options that decide who answers and what is offered. */
  readonly run: readonly string[];
  /** The same without those that choose a model, to which others may be added. */
  readonly without_model: readonly string[];
}

/** The state of a shown run: a fold over progress events. */
export interface Story {
  readonly turns: readonly TurnTally[];
  /** The subject whose part is being shown, or none for once-per-turn calls. */
  readonly heading: string | undefined;
  /** Calls without an answer, by command key. */
  readonly under_way: ReadonlyMap<string, UnderWay>;
  /** Answered calls that no line has shown: an earlier subject may still supersede them. */
  readonly held: readonly Answered[];
  /** Superseded calls, by command key. */
  readonly superseded: ReadonlySet<string>;
  /** The generations whose final patches a line has shown, by command key. */
  readonly shown_patches: ReadonlySet<string>;
  /** The number of the last patch of the turn that a line has shown without its call. */
  readonly last_patch_seq: number;
  /** Whether the run leaves a record to look at. */
  readonly is_kept: boolean;
  /** Whether answers come from a script, a person or a file, so that no line names a model. */
  readonly has_stand_in: boolean;
  readonly rerun: Rerun;
  /** The calls of the turn that failed, each of which a line has shown, by the id of their invocation. */
  readonly failed_calls: ReadonlyMap<string, FailedCall>;
}

interface FailedCall {
  readonly message: string;
  /** Its source has tried it again already. */
  readonly has_retry: boolean;
}

interface TurnTally {
  readonly attempted_turn: number;
  readonly attempt_id: string;
  readonly calls: number;
  /** Undefined until an endpoint has counted tokens. */
  readonly tokens: number | undefined;
  /** The tokens of each call, by command key: a call may be superseded later. */
  readonly spent: ReadonlyMap<string, number>;
}

interface UnderWay {
  readonly command: Invoke;
  /** The one that the record of the call names. */
  readonly model: string | undefined;
}

interface Answered {
  readonly finished: Of<'call_finished'>;
  readonly model: string | undefined;
}

export const STORY_BEGINNING: Story = {
  turns: [],
  heading: undefined,
  under_way: new Map(),
  held: [],
  superseded: new Set(),
  shown_patches: new Set(),
  last_patch_seq: 0,
  is_kept: true,
  has_stand_in: false,
  rerun: { run: [], without_model: [] },
  failed_calls: new Map(),
};

/**
 * The next story after an event, and the lines that show what is certain by it: subjects that run concurrently are shown
 * in their order, and no superseded call is.
 */
export function narrate(before: Story, progress: Progress): { readonly story: Story; readonly lines: Lines } {
  let story = afterProgress(before, progress);
  const lines: Lines[] = [];
  for (const answered of listCertain(story.held, progress)) {
    lines.push(
      headingLines(story, answered.finished.command),
      callLines({ ...answered.finished, model: answered.model }),
    );
    story = withShown(story, answered);
  }
  lines.push(progressLines(story, progress));
  return { story: withHeading(story, progress), lines };
}

/** The held calls that no subject can supersede any more, in the order of their subjects. */
function listCertain(held: readonly Answered[], progress: Progress): readonly Answered[] {
  const certain = held.filter(({ finished }) => rankOf(finished) <= certainRank(progress));
  return certain.toSorted((left, right) => rankOf(left.finished) - rankOf(right.finished));
}

/** The rank of the last subject whose calls are certain by an event. */
function certainRank(progress: Progress): number {
  switch (progress.kind) {
    case 'call_finished':
      return progress.is_ahead === true ? -1 : rankOf(progress);
    case 'call_pended':
    case 'approval_asked':
      return rankOf(progress);
    case 'patch_accepted':
      return progress.rank;
    case 'turn_committed':
    case 'attempt_failed':
    case 'attempt_suspended':
      return Infinity;
    default:
      return -1;
  }
}

function rankOf({ command }: { readonly command: Invoke }): number {
  return command.rank ?? 0;
}

function withShown(story: Story, { finished }: Answered): Story {
  return {
    ...story,
    heading: finished.command.subject_id ?? '',
    held: story.held.filter(({ finished: other }) => other !== finished),
    failed_calls: withFailure(story.failed_calls, finished),
    shown_patches: withPatch(story.shown_patches, finished),
  };
}

function withHeading(story: Story, progress: Progress): Story {
  if (progress.kind === 'patch_accepted') {
    const { patch_seq, subject_id } = progress.patch;
    return isTold(story, progress.patch) ? story : { ...story, heading: subject_id, last_patch_seq: patch_seq };
  }
  const isShown = progress.kind === 'call_pended' || progress.kind === 'retry_waits';
  return isShown ? { ...story, heading: progress.command.subject_id ?? '' } : story;
}

/** The calls under way; undefined without any. */
export function waitingFor({ under_way }: Story): string | undefined {
  const names = [...under_way.values()].map(({ command, model }) => awaitedName(command, model));
  const shown = names.slice(0, AWAITED_SHOWN_MAX).join(', ');
  if (names.length > AWAITED_SHOWN_MAX) return `${shown} and ${names.length - AWAITED_SHOWN_MAX} more`;
  return names.length === 0 ? undefined : shown;
}

const AWAITED_SHOWN_MAX = 3;

function afterProgress(story: Story, progress: Progress): Story {
  switch (progress.kind) {
    case 'attempt_began': {
      const { attempt_id, attempted_turn } = progress;
      const isResumed = attempt_id === story.turns.at(-1)?.attempt_id;
      const tally: TurnTally = { attempt_id, attempted_turn, calls: 0, tokens: undefined, spent: new Map() };
      return {
        ...story,
        heading: undefined,
        under_way: new Map(),
        held: [],
        superseded: new Set(),
        shown_patches: isResumed ? story.shown_patches : new Set(),
        last_patch_seq: isResumed ? story.last_patch_seq : 0,
        failed_calls: new Map(),
        turns: [...story.turns, tally],
      };
    }
    case 'call_started':
    case 'retry_waits': {
      const model = progress.kind === 'call_started' && !story.has_stand_in ? progress.model : undefined;
      const { command } = progress;
      return { ...story, under_way: new Map([...story.under_way, [command.key, { command, model }]]) };
    }
    case 'calls_superseded': {
      const { keys } = progress;
      const under_way = new Map([...story.under_way].filter(([key]) => !keys.includes(key)));
      const held = story.held.filter(({ finished }) => !keys.includes(finished.command.key));
      return { ...story, under_way, held, superseded: new Set([...story.superseded, ...keys]) };
    }
    case 'call_finished': {
      const counted = { ...withoutCall(story, progress.command), turns: withCall(story.turns, progress.outcome) };
      if (story.superseded.has(progress.command.key)) return counted;
      const model = story.under_way.get(progress.command.key)?.model;
      return { ...counted, held: [...story.held, { finished: progress, model }] };
    }
    case 'call_pended':
      return withoutCall(story, progress.command);
    default:
      return story;
  }
}

function withFailure(
  failed_calls: Story['failed_calls'],
  { source_invocation_id, command, outcome }: Of<'call_finished'>,
): Story['failed_calls'] {
  if (outcome.status !== 'failed') return failed_calls;
  const failed = { message: outcome.failure_message, has_retry: command.call.retry !== undefined };
  return new Map([...failed_calls, [source_invocation_id, failed]]);
}

function withPatch(
  shown_patches: Story['shown_patches'],
  { command, verdict }: Of<'call_finished'>,
): Story['shown_patches'] {
  return verdict?.model_output_kind === 'final_patch' ? new Set([...shown_patches, command.key]) : shown_patches;
}

function withoutCall(story: Story, { key }: Invoke): Story {
  return { ...story, under_way: new Map([...story.under_way].filter(([other]) => other !== key)) };
}

function withCall(turns: Story['turns'], { key, usage }: CallOutcome): Story['turns'] {
  return turns.map((tally, at) => {
    if (at < turns.length - 1) return tally;
    const used = usage === undefined ? undefined : usage.input_tokens + usage.output_tokens;
    const tokens = used === undefined ? tally.tokens : (tally.tokens ?? 0) + used;
    return { ...tally, calls: tally.calls + 1, tokens, spent: new Map([...tally.spent, [key, used ?? 0]]) };
  });
}

function progressLines(story: Story, progress: Progress): Lines {
  switch (progress.kind) {
    case 'attempt_began':
      return beginningLines(progress);
    case 'patch_accepted':
      return acceptedLines(story, progress.patch);
    case 'call_started':
    case 'call_finished':
    case 'calls_superseded':
      return [];
    case 'retry_waits':
      return [headingLines(story, progress.command), retryLine(progress)];
    case 'call_pended':
      return [headingLines(story, progress.command), pendedLine(progress)];
    case 'approval_asked':
      return [headingLines(story, progress.command), approvalLine(progress)];
    case 'attempt_suspended':
      return [EMPTY, suspendedLine(progress)];
    case 'turn_waits':
      return [EMPTY, waitLine(progress)];
    case 'turn_committed':
      return [EMPTY, committedLine(story, progress.patches.length)];
    case 'attempt_failed':
      return failureLines(story, progress);
    default:
      return unreachable(progress);
  }
}

const RULE_WIDTH = 72;

function ruleLine(title: string, moment: string): Line {
  const rest = Math.max(3, RULE_WIDTH - title.length - moment.length - 8);
  return verbatim(faint('── '), strong(title), faint(` ── ${moment} ${'─'.repeat(rest)}`));
}

type Of<Kind extends Progress['kind']> = Extract<Progress, { kind: Kind }>;

function beginningLines(began: Of<'attempt_began'>): Lines {
  const { attempt_id, attempted_turn, simulation_time, continued, adopts, sets_aside } = began;
  return [
    EMPTY,
    ruleLine(`turn ${attempted_turn}`, toMoment(simulation_time)),
    continued !== undefined && continuedLine(attempt_id, continued),
    adopts !== undefined && adoptedLine(adopts),
    sets_aside !== undefined && setAsideLines(sets_aside),
  ];
}

function continuedLine(
  attempt_id: string,
  { answered, interrupted }: NonNullable<Of<'attempt_began'>['continued']>,
): Line {
  const facts = [
    ...(answered === 0 ? [] : [`${count(answered, 'call is', 'calls are')} answered from the record`]),
    ...(interrupted === 0
      ? []
      : [`${count(interrupted, 'call was', 'calls were')} interrupted; read-only ones are made again`]),
  ];
  const details = facts.length === 0 ? '' : `: ${facts.join(', and ')}`;
  return hanging(2, `Resuming attempt ${attempt_id}${details}.`);
}

function adoptedLine({ attempt_id, calls }: NonNullable<Of<'attempt_began'>['adopts']>): Line {
  return hanging(2, `${count(calls, 'call is', 'calls are')} adopted from attempt ${attempt_id}, and not made again.`);
}

function setAsideLines({ attempt_id, in_doubt, side_effects }: SetAside): Lines {
  const listed = (why: string, keys: readonly string[]): Lines =>
    keys.length === 0 ? [] : [hanging(6, `    ${why}: `, strong(keys.join(', ')))];
  return [
    hanging(2, `Attempt ${attempt_id} is set aside, and its side effects may be repeated.`),
    listed('in doubt', in_doubt),
    listed('took place', side_effects),
  ];
}

function retryLine({ command, retry, wait_ms }: Of<'retry_waits'>): Line {
  const which = `retry ${retry.number} of ${command.call.retry?.max ?? retry.number}, after ${retry.after}`;
  return hanging(8, '    ', strong(partName(command)), `  is tried again in ${toDuration(wait_ms)}, ${which}`);
}

function pendedLine({ command, deadline }: Of<'call_pended'>): Line {
  return hanging(
    6,
    '    ',
    strong(partName(command)),
    `  will be answered later, by ${toTime(deadline)} at the latest`,
  );
}

function approvalLine({ command, approval_id, deadline }: Of<'approval_asked'>): Line {
  const wait = `  waits for a person, until ${toTime(deadline)}: chukwa approval ${approval_id}`;
  return hanging(6, '    ', strong(partName(command)), wait);
}

function waitLine({ attempted_turn, retry, retries, wait_ms, failure_class }: Of<'turn_waits'>): Line {
  const wait = `is tried again in ${toDuration(wait_ms)}, retry ${retry} of ${retries}, after ${failure_class}`;
  return line('  ', strong(`turn ${attempted_turn}`), ` ${wait}`);
}

function suspendedLine({ attempted_turn, resume_deadline }: Of<'attempt_suspended'>): Line {
  return line('  ', strong(`turn ${attempted_turn} is suspended`), `, until ${toTime(resume_deadline)} at the latest`);
}

function toTime(milliseconds: number): string {
  return toMoment(new Date(milliseconds).toISOString());
}

function headingLines({ heading }: Story, { subject_id = '' }: Pick<Invoke, 'subject_id'>): Lines {
  if (heading === subject_id) return [];
  return [EMPTY, line('  ', subject_id === '' ? faint('once for everybody') : strong(subject_id))];
}

/** Whether lines have shown a patch: by its call, or as one from the record, before an attempt was resumed. */
function isTold({ shown_patches, last_patch_seq }: Story, { call_key, patch_seq }: AcceptedPatch): boolean {
  return patch_seq <= last_patch_seq || shown_patches.has(call_key);
}

/** A patch that no call has shown: what a node remembers, or the answer of a generation on record. */
function acceptedLines(story: Story, accepted: AcceptedPatch): Lines {
  const { subject_id, node_id, applied } = accepted;
  if (isTold(story, accepted)) return [];
  const { patch, effects } = applied;
  return [
    headingLines(story, { subject_id }),
    line('    ', strong(node_id), faint(patch.narration === '' ? '  is remembered' : '  from the record')),
    patchLines(patch, effects),
  ];
}

function committedLine({ turns, superseded }: Story, patches: number): Line {
  const { attempted_turn = 0, calls = 0, tokens, spent = new Map<string, number>() } = turns.at(-1) ?? {};
  const counted = tokens === undefined ? [] : [count(tokens, 'token')];
  const lost = [...spent].filter(([key]) => superseded.has(key));
  const lost_tokens = lost.reduce((sum, [, used]) => sum + used, 0);
  const in_vain =
    lost.length === 0 ? [] : [`of these ${count(lost.length, 'call')} superseded with ${count(lost_tokens, 'token')}`];
  const facts = [count(patches, 'patch', 'patches'), count(calls, 'call'), ...counted, ...in_vain].join(', ');
  return line('  ', good(`turn ${attempted_turn} committed`), `: ${facts}`);
}

function failureLines({ is_kept, failed_calls, heading }: Story, failed: Of<'attempt_failed'>): Lines {
  const { failure, source_invocation_id: invocation, attempt_id, attempted_turn } = failed;
  // Lines of another subject may have pushed the call far up.
  const is_near = heading === (failure.subject_id ?? '');
  const is_said = failure.message === failed_calls.get(invocation ?? '')?.message && isShownWhole(failure.message);
  const place = Object.entries({ subject: failure.subject_id, node: failure.node_id, call: failure.call_key });
  const kept = is_kept ? ', and every call of it is kept' : '';
  return [
    EMPTY,
    line('  ', bad(`turn ${attempted_turn} failed`), `, ${failure.failure_class}`),
    !(is_near && is_said) && hanging(4, ...advice({ text: `    ${failure.message}` })),
    place.flatMap(([name, value]) => (value === undefined ? [] : [line(faint(`    ${name.padEnd(8)} `), value)])),
    line(`    The world stays at turn ${attempted_turn - 1}: nothing of this attempt was applied${kept}.`),
    is_kept && failure.is_in_doubt === true && invocation !== undefined && settleLines(attempt_id),
  ];
}
