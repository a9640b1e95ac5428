import { unreachable } from '../../../contract/unreachable.js';
import type { Invoke } from '../../../core/protocol/command.js';
import type { SetAside } from '../../../ports/attempts.js';
import type { Progress } from '../../../runtime/progress.js';
import { awaitedName, callLines, callName } from './call.js';
import { settleLines } from './doubt.js';
import { bad, EMPTY, faint, good, hanging, type Line, line, strong, verbatim } from './line.js';
import { count, toDuration, toMoment } from './words.js';

/** What a run has come to, as far as it has been told: a fold over progress. */
export interface Story {
  readonly turns: readonly TurnTally[];
  /** Whose part is being told: a subject, or everybody's ambient context. */
  readonly heading: string | undefined;
  /** Calls without an answer, by command key. */
  readonly under_way: ReadonlyMap<string, Invoke>;
  /** Whether the record can be looked at afterwards. */
  readonly is_kept: boolean;
}

export interface TurnTally {
  readonly attempted_turn: number;
  readonly attempt_id: string;
  readonly calls: number;
  /** Undefined while no model's endpoint has counted any. */
  readonly tokens: number | undefined;
}

export interface Told {
  readonly story: Story;
  readonly lines: readonly Line[];
}

/** A story of which nothing has been told. */
export const UNTOLD: Story = {
  turns: [],
  heading: undefined,
  under_way: new Map(),
  is_kept: true,
};

/** Tells one more thing that happened. */
export function tell(story: Story, progress: Progress): Told {
  switch (progress.kind) {
    case 'attempt_began':
      return tellBeginning(story, progress);
    case 'call_started':
      return { story: withStarted(story, progress.command), lines: [] };
    case 'call_finished':
      return tellCall(story, progress);
    case 'retry_waits':
      return tellRetry(story, progress);
    case 'call_pended':
      return tellPended(story, progress);
    case 'attempt_suspended':
      return tellRest(story, progress.resume_deadline);
    case 'turn_waits':
      return tellWait(story, progress);
    case 'turn_committed':
      return tellCommit(story, progress.patches.length);
    case 'attempt_failed':
      return tellFailure(story, progress);
    default:
      return unreachable(progress);
  }
}

/** What is being waited for; undefined while nothing is. */
export function waitingFor(story: Story): string | undefined {
  const names = [...story.under_way.values()].map(awaitedName);
  return names.length === 0 ? undefined : names.join(', ');
}

const RULE_WIDTH = 72;

function ruleLine(title: string, moment: string): Line {
  const rest = Math.max(3, RULE_WIDTH - title.length - moment.length - 8);
  return verbatim(faint('── '), strong(title), faint(` ── ${moment} ${'─'.repeat(rest)}`));
}

type Of<Kind extends Progress['kind']> = Extract<Progress, { kind: Kind }>;

function tellBeginning(story: Story, began: Of<'attempt_began'>): Told {
  const { attempt_id, attempted_turn, simulation_time, continued, adopts, sets_aside } = began;
  const tally: TurnTally = { attempt_id, attempted_turn, calls: 0, tokens: undefined };
  return {
    story: { ...UNTOLD, is_kept: story.is_kept, turns: [...story.turns, tally] },
    lines: [
      EMPTY,
      ruleLine(`turn ${attempted_turn}`, toMoment(simulation_time)),
      ...(continued === undefined ? [] : [continuedLine(attempt_id, continued)]),
      ...(adopts === undefined ? [] : [adoptedLine(adopts)]),
      ...(sets_aside === undefined ? [] : setAsideLines(sets_aside)),
    ],
  };
}

function continuedLine(
  attempt_id: string,
  { answered, interrupted }: NonNullable<Of<'attempt_began'>['continued']>,
): Line {
  const records = `${count(answered, 'call is', 'calls are')} answered from the record`;
  const doubt = interrupted === 0 ? '' : `, and ${count(interrupted, 'call', 'calls')} nobody saw end`;
  return hanging(2, `Going on with attempt ${attempt_id}: ${records}${doubt}.`);
}

function adoptedLine({ attempt_id, calls }: NonNullable<Of<'attempt_began'>['adopts']>): Line {
  return hanging(2, `${count(calls, 'call is', 'calls are')} adopted from attempt ${attempt_id}, and not made again.`);
}

function setAsideLines({ attempt_id, in_doubt, side_effects }: SetAside): readonly Line[] {
  const listed = (why: string, keys: readonly string[]): readonly Line[] =>
    keys.length === 0 ? [] : [hanging(6, `    ${why}: `, strong(keys.join(', ')))];
  return [
    hanging(2, `Attempt ${attempt_id} is set aside, and whatever it did may be done again.`),
    ...listed('in doubt', in_doubt),
    ...listed('took place', side_effects),
  ];
}

function tellCall(story: Story, finished: Of<'call_finished'>): Told {
  const { command, outcome } = finished;
  const heading = command.subject_id ?? '';
  const started = withStarted(story, command);
  const { usage } = outcome;
  const under_way = new Map([...started.under_way].filter(([key]) => key !== command.key));
  const told = withTally({ ...started, heading, under_way }, ({ calls, tokens }) => ({
    calls: calls + 1,
    tokens: usage === undefined ? tokens : (tokens ?? 0) + usage.input_tokens + usage.output_tokens,
  }));
  return { story: told, lines: [...(story.heading === heading ? [] : headingLines(heading)), ...callLines(finished)] };
}

function tellRetry(story: Story, { command, retry, wait_ms }: Of<'retry_waits'>): Told {
  const most = command.call.retry?.max ?? retry.number;
  return {
    story: withStarted(story, command),
    lines: [
      hanging(
        8,
        '    ',
        strong(callName(command)),
        `  is asked again in ${toDuration(wait_ms)}, retry ${retry.number} of ${most}, after ${retry.after}`,
      ),
    ],
  };
}

function tellPended(story: Story, { command, deadline }: Of<'call_pended'>): Told {
  const heading = command.subject_id ?? '';
  const under_way = new Map([...story.under_way].filter(([key]) => key !== command.key));
  const until = toMoment(new Date(deadline).toISOString());
  return {
    story: { ...story, heading, under_way },
    lines: [
      ...(story.heading === heading ? [] : headingLines(heading)),
      hanging(6, '    ', strong(callName(command)), `  is answered later, until ${until}`),
    ],
  };
}

function tellWait(story: Story, { attempted_turn, retry, retries, wait_ms, failure_class }: Of<'turn_waits'>): Told {
  const wait = `is tried anew in ${toDuration(wait_ms)}, retry ${retry} of ${retries}, after ${failure_class}`;
  return { story, lines: [EMPTY, line('  ', strong(`turn ${attempted_turn}`), ` ${wait}`)] };
}

function tellRest(story: Story, resume_deadline: number): Told {
  const { attempted_turn = 0 } = story.turns.at(-1) ?? {};
  const until = toMoment(new Date(resume_deadline).toISOString());
  return {
    story,
    lines: [EMPTY, line('  ', strong(`turn ${attempted_turn} rests`), `, until ${until} at most`)],
  };
}

function headingLines(subject: string): readonly Line[] {
  return [EMPTY, subject === '' ? line('  ', faint('once for everybody')) : line('  ', strong(subject))];
}

function tellCommit(story: Story, patches: number): Told {
  const { attempted_turn = 0, calls = 0, tokens } = story.turns.at(-1) ?? {};
  const counted = tokens === undefined ? [] : [count(tokens, 'token')];
  const facts = [count(patches, 'patch', 'patches'), count(calls, 'call'), ...counted].join(', ');
  return { story, lines: [EMPTY, line('  ', good(`turn ${attempted_turn} committed`), `: ${facts}`)] };
}

function tellFailure(story: Story, { failure, source_invocation_id: invocation }: Of<'attempt_failed'>): Told {
  const { attempted_turn = 0, attempt_id = '' } = story.turns.at(-1) ?? {};
  const place = Object.entries({ subject: failure.subject_id, node: failure.node_id, call: failure.call_key });
  return {
    story,
    lines: [
      EMPTY,
      line('  ', bad(`turn ${attempted_turn} failed`), `, ${failure.failure_class}`),
      hanging(4, `    ${failure.message}`),
      ...place.flatMap(([name, value]) => (value === undefined ? [] : [line(faint(`    ${name.padEnd(8)} `), value)])),
      line(
        `    The world stays at turn ${attempted_turn - 1}: nothing of this attempt was applied${story.is_kept ? ', and every call of it is kept' : ''}.`,
      ),
      ...(story.is_kept ? lookLines(attempt_id, invocation) : []),
      ...(story.is_kept && failure.is_in_doubt === true && invocation !== undefined ? settleLines(attempt_id) : []),
    ],
  };
}

function lookLines(attempt_id: string, invocation: string | undefined): readonly Line[] {
  return [
    verbatim(faint('    look     '), `npx chukwa attempt ${attempt_id}`),
    ...(invocation === undefined ? [] : [verbatim(faint('             '), `npx chukwa invocation ${invocation}`)]),
  ];
}

function withStarted(story: Story, command: Invoke): Story {
  return {
    ...story,
    under_way: new Map([...story.under_way, [command.key, command]]),
  };
}

function withTally(story: Story, change: (tally: TurnTally) => Partial<TurnTally>): Story {
  return {
    ...story,
    turns: story.turns.map((tally, at) => (at === story.turns.length - 1 ? { ...tally, ...change(tally) } : tally)),
  };
}
