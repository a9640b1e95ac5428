import type { AttemptRecord, InvocationSummary } from '../../../ports/records.js';
import { labelOf } from '../../../catalogue/words.js';
import type { Span } from './time-scale.js';

export type LaneKind = 'readings' | 'model' | 'calls';

export interface Bar extends Span {
  readonly call: InvocationSummary;
  readonly lane: LaneKind;
  /** When its service accepted it, to answer later. */
  readonly pended_at: number | undefined;
  readonly label: string;
}

/** A subject with its calls; without a name, the calls that were made once for the whole turn. */
export interface Band {
  readonly subject: string | null;
  readonly lanes: readonly { readonly kind: LaneKind; readonly rows: readonly (readonly Bar[])[] }[];
}

export interface AttemptBars {
  readonly bands: readonly Band[];
  /** Calls of earlier attempts, which were not made again. */
  readonly adopted: readonly InvocationSummary[];
  /** The times when all awaited calls were pending, and no driver ran. */
  readonly suspended: readonly Span[];
  readonly ended_at: number | undefined;
}

const LANES: readonly LaneKind[] = ['readings', 'model', 'calls'];

const LANE_OF: Readonly<Record<InvocationSummary['invocation_kind'], LaneKind>> = {
  ambient_context: 'readings',
  llm_generation: 'model',
  model_elected_tool: 'calls',
  node_call: 'calls',
  quality_gate: 'model',
};

/** An attempt, with the time of its reading while it is open: its open calls are drawn up to then. */
export type DrawnAttempt = AttemptRecord & { readonly read_at?: string | null };

/** The calls of an attempt as bars, by subject and lane. */
export function barsOf(attempt: DrawnAttempt): AttemptBars {
  const times = timesOf(attempt);
  const end = endOf(attempt);
  const bars = attempt.invocations.flatMap((call): readonly Bar[] => {
    const time = times.get(call.source_invocation_id);
    if (call.adopted_from !== null || time === undefined) return [];
    const to = Math.max(time.from, time.to ?? end);
    return [
      {
        call,
        from: time.from,
        to,
        pended_at: time.pended_at,
        lane: LANE_OF[call.invocation_kind],
        label: labelOf(call),
      },
    ];
  });
  const subjects = [...new Set(bars.map(({ call }) => call.workflow_subject_entity_id))];
  return {
    bands: subjects.map((subject) => toBand(subject, bars)),
    adopted: attempt.invocations.filter(({ adopted_from }) => adopted_from !== null),
    suspended: suspensionsOf(attempt, end),
    ended_at: attempt.ended_at === null ? undefined : Date.parse(attempt.ended_at),
  };
}

function toBand(subject: string | null, bars: readonly Bar[]): Band {
  const own = bars.filter(({ call }) => call.workflow_subject_entity_id === subject);
  const lanes = LANES.map((kind) => ({ kind, rows: stack(own.filter(({ lane }) => lane === kind)) }));
  return { subject, lanes: lanes.filter(({ rows }) => rows.length > 0) };
}

/** Puts bars that overlap into different rows. */
function stack(bars: readonly Bar[]): readonly (readonly Bar[])[] {
  const rows: Bar[][] = [];
  for (const bar of bars) {
    const free = rows.find((row) => (row.at(-1)?.to ?? 0) <= bar.from);
    if (free === undefined) rows.push([bar]);
    else free.push(bar);
  }
  return rows;
}

interface CallTime {
  readonly from: number;
  readonly to: number | undefined;
  readonly pended_at: number | undefined;
}

function timesOf({ timeline }: AttemptRecord): ReadonlyMap<string, CallTime> {
  const times = new Map<string, CallTime>();
  for (const { source_invocation_id: id, event_kind, occurred_at } of timeline) {
    if (id === null || !event_kind.startsWith('call_')) continue;
    const at = Date.parse(occurred_at);
    const time = times.get(id) ?? { from: at, to: undefined, pended_at: undefined };
    if (event_kind === 'call_pended') times.set(id, { ...time, pended_at: at });
    else if (event_kind === 'call_started' || event_kind === 'call_settled') times.set(id, time);
    else times.set(id, { ...time, to: at });
  }
  return times;
}

function endOf({ ended_at, read_at, timeline, started_at }: DrawnAttempt): number {
  return Date.parse(ended_at ?? read_at ?? timeline.at(-1)?.occurred_at ?? started_at);
}

function suspensionsOf({ timeline }: AttemptRecord, end: number): readonly Span[] {
  const spans: Span[] = [];
  let since: number | undefined;
  for (const { event_kind, occurred_at } of timeline) {
    if (event_kind === 'attempt_suspended') since ??= Date.parse(occurred_at);
    else if (since !== undefined) {
      spans.push({ from: since, to: Date.parse(occurred_at) });
      since = undefined;
    }
  }
  return since === undefined ? spans : [...spans, { from: since, to: end }];
}

/** The times when a bar was busy: a pending call is nobody's work. */
export function busyOf({ from, to, pended_at }: Bar): readonly Span[] {
  if (pended_at === undefined) return [{ from, to }];
  return [
    { from, to: pended_at },
    { from: to, to },
  ];
}
