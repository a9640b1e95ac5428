import type { Json, JsonObject } from '../../contract/json.js';
import type { Study } from '../../generated/study.js';
import { isList, isObject } from '../content/json-pointer.js';
import { sha256 } from '../content/sha256.js';
import { escapeUnseen } from '../prompt/quote.js';
import { listConditions } from './design.js';
import type { Summary } from './summary.js';
import type { Judgement } from './verdict.js';

/** A world of a study, as it is exported. */
export interface ExportedWorld {
  readonly world_slug: string;
  /** `shared` of turns that conditions share. */
  readonly role: 'run' | 'shared' | 'probe';
  readonly condition: string | null;
  readonly seed: number;
  readonly probe: string | null;
  readonly scenario_hash: string;
  readonly parent: { readonly world_slug: string; readonly turn: number } | null;
  readonly until_turn: number;
  readonly turn: number | null;
  readonly roster: readonly string[];
  /** Of runs. */
  readonly state: string | null;
  readonly failure_class: string | null;
  readonly values: Readonly<Record<string, number | null>>;
}

/** A study with all that it has found out. */
export interface ExportedStudy {
  readonly study: Study;
  readonly study_hash: string;
  /** Who was sealed as answering its calls. */
  readonly answered_by: string;
  readonly sealed_at: string;
  readonly worlds: readonly ExportedWorld[];
  readonly summaries: readonly Summary[];
  readonly judgements: readonly Judgement[];
  /** The models that have answered, as the calls name them. */
  readonly models: readonly string[];
  readonly tokens: number;
  readonly usd: number | null;
}

interface ExportedFile {
  readonly path: string;
  readonly text: string;
}

/** The files of an export. The same record gives the same bytes. */
export function writeExport(exported: ExportedStudy): readonly ExportedFile[] {
  const observations = listObservations(exported);
  const files = [
    { path: 'design.yaml', text: toYaml(exported.study as unknown as Json) },
    { path: 'manifest.jsonl', text: toLines(exported.worlds) },
    { path: 'observations.csv', text: toCsv(columnsOf(exported.study), observations) },
    { path: 'observations.jsonl', text: toLines(observations) },
    { path: 'sweep_meta.json', text: `${JSON.stringify(toMeta(exported), undefined, 2)}\n` },
    { path: 'card.md', text: writeCard(exported) },
  ].toSorted((one, other) => (one.path < other.path ? -1 : 1));
  // As `sha256sum --check` reads them.
  const checksums = files.map(({ path, text }) => `${sha256(text)}  ${path}\n`).join('');
  return [...files, { path: 'checksums.sha256', text: checksums }];
}

/** A row for each measure of each run: failed runs have one too, without a value. */
function listObservations({ study, worlds }: ExportedStudy): readonly JsonObject[] {
  const levels = new Map(listConditions(study).map((condition) => [condition.id, condition.levels]));
  const runs = worlds.filter(({ role }) => role === 'run');
  return runs.flatMap(({ condition, seed, world_slug, state, failure_class, values }) =>
    study.measures.map(({ id: measure }) => ({
      condition,
      ...levels.get(condition ?? ''),
      seed,
      measure,
      value: values[measure] ?? null,
      state,
      failure_class,
      world_slug,
    })),
  );
}

function columnsOf({ variables = {} }: Study): readonly string[] {
  const names = Object.keys(variables).toSorted();
  return ['condition', ...names, 'seed', 'measure', 'value', 'state', 'failure_class', 'world_slug'];
}

function toLines(values: readonly object[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

/** Comma-separated values by RFC 4180; nothing stands for null. */
function toCsv(columns: readonly string[], rows: readonly JsonObject[]): string {
  const cellOf = (value: Json | undefined): string => {
    if (value === undefined || value === null) return '';
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column]))];
  return lines.map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');
}

/** YAML in blocks, whose scalars are JSON: no value is taken for another. */
function toYaml(value: Json, indent = ''): string {
  const items: readonly (readonly [string, Json])[] = isList(value)
    ? value.map((item) => ['-', item] as const)
    : Object.entries(value as JsonObject).map(([name, item]) => [`${JSON.stringify(name)}:`, item] as const);
  return items
    .map(([head, item]) => {
      const isEmpty = (isList(item) && item.length === 0) || (isObject(item) && Object.keys(item).length === 0);
      if (isEmpty || typeof item !== 'object' || item === null) return `${indent}${head} ${JSON.stringify(item)}\n`;
      return `${indent}${head}\n${toYaml(item, `${indent}  `)}`;
    })
    .join('');
}

function toMeta({ study, worlds, ...exported }: ExportedStudy) {
  const runs = worlds.filter(({ role }) => role === 'run');
  const count = (state: string): number => runs.filter((run) => run.state === state).length;
  return {
    label: study.label,
    question: study.question,
    study_hash: exported.study_hash,
    answered_by: exported.answered_by,
    sealed_at: exported.sealed_at,
    conditions: listConditions(study),
    runs: runs.length,
    runs_done: count('done'),
    runs_failed: count('failed'),
    turns: study.turns,
    models: exported.models,
    tokens: exported.tokens,
    usd: exported.usd,
    measures: exported.summaries,
    hypotheses: exported.judgements,
  };
}

/** What a reader must know to judge a study, on one page. */
function writeCard({ study, worlds, ...exported }: ExportedStudy): string {
  const runs = worlds.filter(({ role }) => role === 'run');
  const failed = runs.filter(({ state }) => state === 'failed').length;
  const done = runs.filter(({ state }) => state === 'done').length;
  const hypotheses = new Map((study.hypotheses ?? []).map((one) => [one.id, one]));
  return [
    `# Simulation card: ${toText(study.label)}`,
    toText(study.question),
    ...(study.description === undefined ? [] : [toText(study.description)]),
    '## Design',
    toList([
      `Conditions: ${listConditions(study)
        .map(({ id }) => id)
        .join(', ')}`,
      `Runs: ${runs.length}, of ${study.turns} turns each; ${done} done, ${failed} failed, ${runs.length - done - failed} not ended. Failed runs are listed, and are in no mean.`,
      `Order of agents: ${study.roster === 'shuffled' ? 'shuffled by seed, and recorded in the manifest' : 'as the scenario lists them, in every run'}. Order of runs: shuffled.`,
      `Sealed ${exported.sealed_at}, before the first run, with the hash ${exported.study_hash}.`,
      `Answered by ${toText(exported.answered_by)}, sealed with it.`,
      `Models, as calls name them: ${exported.models.map(toText).join(', ') || 'none has answered'}. A script answers by the name of the model that it stands in for.`,
      `Use: ${exported.tokens} tokens${exported.usd === null ? '' : `, ${exported.usd} US dollars`}.`,
    ]),
    '## Verdicts',
    exported.judgements.length === 0
      ? 'No hypothesis was stated.'
      : toList(
          exported.judgements.map(({ hypothesis, verdict, n, because, caution }) => {
            const says = toText(hypotheses.get(hypothesis)?.says ?? hypothesis);
            return [`${says} ${verdict.replaceAll('_', ' ')} with ${n} seeds: ${because}`, caution ?? []]
              .flat()
              .join(' ');
          }),
        ),
    '## Measures',
    toTable(exported.summaries),
    'Intervals hold the mean with a confidence of 95 %, by a seeded bootstrap over runs. Differences are of runs of the same seed.',
    '## What this does not say',
    toList([
      'A seed fixes the order of agents and the pairing of runs. It does not fix what a model answers: that changes with its provider, its version and the day.',
      'An interval tells how far other seeds would move the mean. Only an audit tells how far other words would.',
      'Agents are not people: a finding is one about these models, or the script in their place, in this scenario.',
    ]),
  ]
    .join('\n\n')
    .concat('\n');
}

function toList(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

function toTable(summaries: readonly Summary[]): string {
  const rows = summaries.map(({ condition, measure, n, failed, empty, mean, interval }) =>
    [condition, measure, n, failed, empty, mean ?? '', interval === null ? '' : interval.map(round).join(' to ')]
      .map((cell) => (typeof cell === 'number' ? round(cell) : cell))
      .join(' | '),
  );
  const head = ['condition', 'measure', 'n', 'failed', 'nothing measured', 'mean', '95 % interval'];
  return [head.join(' | '), head.map(() => '---').join(' | '), ...rows].map((row) => `| ${row} |`).join('\n');
}

const DIGITS = 4;

function round(value: number): string {
  return String(Number(value.toPrecision(DIGITS)));
}

/** A text of others in one line, which Markdown shows as it is; a character that nobody sees is written out. */
function toText(text: string): string {
  return escapeUnseen(text.replaceAll(/\s+/g, ' ')).replaceAll(/([\\`*_[\]<>|#&])/g, '\\$1');
}
