import Table from 'cli-table3';

/** What a figure is of, and its target where it has one. */
interface Target {
  /** For people. */
  readonly what: string;
  readonly unit: 'µs' | 'ms' | 's' | 'KB' | 'MB' | 'x';
  readonly at_most?: number;
  readonly at_least?: number;
}

const SERVED = 'turn on PostgreSQL, over the same calls unrecorded';
const EMBEDDED = 'turn on the embedded database, over the same calls unrecorded';
const CROWD = '1000 concurrent subjects, each with a generation of 200 ms';

/** Every figure that has a target, by its name for programs. */
const TARGETS = {
  start_empty: { what: 'start to answer, empty folder', unit: 's', at_most: 4 },
  start_existing: { what: 'start to answer, existing folder', unit: 's', at_most: 2 },
  park_memory_empty: { what: 'peak memory of the park, empty folder', unit: 'MB', at_most: 550 },
  park_memory_existing: { what: 'peak memory of the park, existing folder', unit: 'MB', at_most: 450 },
  served_time_1: { what: `${SERVED}, one at a time: time`, unit: 'x', at_most: 2 },
  served_cpu_1: { what: `${SERVED}, one at a time: CPU`, unit: 'x', at_most: 1.6 },
  served_database_1: { what: "PostgreSQL's CPU of a turn, over a record fused by hand", unit: 'x', at_most: 2.8 },
  served_time_16: { what: `${SERVED}, 16 worlds at once: time`, unit: 'x', at_most: 1.9 },
  served_cpu_16: { what: `${SERVED}, 16 worlds at once: CPU`, unit: 'x', at_most: 1.6 },
  served_database_16: { what: 'the same, 16 worlds at once', unit: 'x', at_most: 2.8 },
  served_log: { what: 'write-ahead log of a turn on PostgreSQL', unit: 'KB', at_most: 20 },
  embedded_rate: { what: 'turns/s on the embedded database, over a hand-written record', unit: 'x', at_least: 0.8 },
  embedded_time_1: { what: `${EMBEDDED}, one at a time: time`, unit: 'x', at_most: 2.2 },
  embedded_time_16: { what: `${EMBEDDED}, 16 worlds at once: time`, unit: 'x', at_most: 2.5 },
  subjects_time: { what: `turn of ${CROWD}`, unit: 's', at_most: 5 },
  subjects_memory: { what: `peak memory of the engine's process, ${CROWD}`, unit: 'MB', at_most: 600 },
  pages_p99: { what: 'lists and details with a million calls stored: p99', unit: 'ms', at_most: 50 },
  pages_cpu: { what: 'one of these pages: CPU', unit: 'ms', at_most: 8 },
  pages_search: { what: 'a search among a million texts: slowest', unit: 'ms', at_most: 200 },
  long_attempt_time: { what: 'an attempt with 10,000 calls: time', unit: 'ms', at_most: 1_000 },
  long_attempt_size: { what: 'an attempt with 10,000 calls: size', unit: 'MB', at_most: 2 },
  live_cpu_1: { what: 'a turn before 1 reader over one before none: CPU', unit: 'x', at_most: 1.05 },
  live_time_1: { what: 'a turn before 1 reader over one before none: time', unit: 'x', at_most: 1.1 },
  live_cpu_10: { what: 'a turn before 10 readers over one before none: CPU', unit: 'x', at_most: 1.05 },
  live_time_10: { what: 'a turn before 10 readers over one before none: time', unit: 'x', at_most: 1.1 },
  first_page: { what: 'the first page over an embedded database', unit: 'ms', at_most: 100 },
  policy_named: { what: 'decision by a policy of 1000 rules of a hundred tools', unit: 'µs', at_most: 20 },
  policy_general: { what: 'decision by 1000 rules that each select every call', unit: 'µs', at_most: 20 },
  policy_origins: { what: 'decision by 1000 rules on origins, each for every call', unit: 'µs', at_most: 20 },
  pipeline: { what: 'one call through all stages, without what is outside', unit: 'µs', at_most: 70 },
  tools_list: { what: 'the list of tools for an operator, over HTTP', unit: 'ms', at_most: 20 },
  tool_read: { what: 'what a tool that reads adds to the same read as JSON: CPU', unit: 'ms', at_most: 5 },
  sessions_memory: { what: 'memory of 200 open sessions of assistants', unit: 'MB', at_most: 200 },
  seal_time: { what: 'turn of the park on PostgreSQL, over the same without its seal: time', unit: 'x', at_most: 1.05 },
  seal_log: { what: 'write-ahead log of the seal of such a turn', unit: 'KB', at_most: 1 },
  verify_embedded: { what: 'verification of a world on the embedded database: CPU', unit: 's', at_most: 2 },
  verify_served: { what: 'verification of a world on PostgreSQL: CPU', unit: 's', at_most: 2 },
  proof_gathered: { what: 'proof of one claim on the embedded database, gathered: CPU', unit: 'ms', at_most: 50 },
  proof_verified: { what: 'proof of one claim, verified', unit: 'ms', at_most: 50 },
  estimate: { what: 'estimate of a prompt of 80 KB before its call', unit: 'ms', at_most: 0.1 },
} as const satisfies Readonly<Record<string, Target>>;

/** One line of the table. */
export interface Row extends Target {
  readonly id: string;
  readonly value: number;
  /** The basis of the figure. */
  readonly note: string;
  readonly verdict?: 'good' | 'missed';
}

/** A measured value with its target. */
export function toRow(id: keyof typeof TARGETS, value: number, note = ''): Row {
  const target: Target = TARGETS[id];
  const { at_most = Infinity, at_least = -Infinity } = target;
  return { id, ...target, value, note, verdict: value <= at_most && value >= at_least ? 'good' : 'missed' };
}

/** The rows as a table for people. */
export function renderTable(rows: readonly Row[]): string {
  const table = new Table({
    head: ['what', 'measured', 'target', 'verdict', 'taken from'],
    colAligns: ['left', 'right', 'right', 'left', 'left'],
    // Long texts wrap: the table fits a wide terminal.
    colWidths: [52, null, null, null, 72],
    wordWrap: true,
    style: { head: [], border: [] },
  });
  for (const { what, value, unit, at_most, at_least, verdict = '', note } of rows) {
    const target = at_most === undefined ? at_least : at_most;
    const sign = at_most === undefined ? '>=' : '<=';
    const aim = target === undefined ? '' : `${sign} ${renderNumber(target)} ${unit}`;
    table.push([what, `${renderNumber(value)} ${unit}`, aim, verdict, note]);
  }
  return `${table.toString()}\n`;
}

/** Three digits that mean something. */
export function renderNumber(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return String(Number(value.toFixed(digits)));
}
