import { present } from '../../../contract/present.js';
import { type Outcome, problem, refuse, succeed } from '../../../contract/problem.js';
import { stat } from 'node:fs/promises';
import type { PreparedPlugin } from '../../../ports/plugin-bench.js';
import { type Examples, EXAMPLES_FILE, loadExamples, withFolders } from './examples.js';
import { scanImports } from './import-scan.js';
import { judge, PASSED, type Rule, type Scene, skip, type Verdict } from './rule.js';
import { RULES } from './rules/index.js';
import type { Workshop } from '../workshop.js';

export interface ConformanceReport {
  readonly ok: boolean;
  readonly folder: string;
  /** Absent where the manifest is unreadable. */
  readonly plugin?: string;
  readonly checks: readonly Check[];
}

export type Check = { readonly rule: string; readonly sentence: string } & Verdict;

interface Wanted {
  /** As it was named: a folder, or a plugin's name. */
  readonly asked: string;
  readonly path: string;
}

/** Tests a plugin against every rule. It runs the plugin's code. */
export async function testPlugin(workshop: Workshop, wanted: Wanted): Promise<Outcome<ConformanceReport>> {
  const folder = await findFolder(workshop, wanted);
  if (folder === undefined) return refuse(problem('PLUGIN_FOLDER_UNREADABLE', { asked: wanted.asked }));
  const unhandled = listenForUnhandled();
  try {
    return succeed(await runAll(workshop, folder, unhandled.list));
  } finally {
    unhandled.end();
  }
}

async function findFolder({ catalogue }: Workshop, { asked, path }: Wanted): Promise<string | undefined> {
  const facts = await stat(path).catch(() => undefined);
  if (facts?.isDirectory()) return path;
  return catalogue.plugins.find(({ name }) => name === asked)?.folder;
}

async function runAll(workshop: Workshop, folder: string, unhandled: readonly string[]): Promise<ConformanceReport> {
  const prepared = await workshop.preparePlugin(folder);
  const checks = await checkParts(prepared);
  const plugin = prepared.manifest?.name;
  const examples = prepared.bench ? await loadExamples(folder, prepared.bench, workshop.validateExamples) : undefined;
  checks.push({ ...CONFORMANCE, ...judgeExamples(examples) });
  const { bench } = prepared;
  if (bench && examples?.ok)
    await withFolders(bench.manifest, examples.examples, async (played) => {
      const model = played[examples.examples.indexOf(examples.model)] ?? examples.model;
      for (const rule of RULES) checks.push(await runRule(rule, checks, { bench, examples: played, model }));
    });
  else for (const rule of RULES) checks.push(await runRule(rule, checks, undefined));
  await new Promise((resolve) => setImmediate(resolve));
  checks.push({ ...UNHANDLED, ...(prepared.bench ? judge(unhandled, UNHANDLED_REPAIR) : skip('it cannot be loaded')) });
  const ok = checks.every(({ status }) => status !== 'failed');
  return present({ ok, folder, plugin, checks });
}

const CONFORMANCE = { rule: 'conformance', sentence: `${EXAMPLES_FILE} shows it at work` };
const UNHANDLED = { rule: 'unheard', sentence: 'It leaves no promise and no error unhandled' };
const UNHANDLED_REPAIR = 'Await every promise, or catch what it throws.';

/** The part of a plugin that each problem of loading is about. */
const PARTS: readonly (readonly [code: string, rule: string, sentence: string])[] = [
  ['PLUGIN_MANIFEST_INVALID', 'manifest', 'plugin.json is a manifest'],
  ['PLUGIN_INTERFACE_SCHEMA_INVALID', 'interface_schema', 'Its interface schema can be used'],
  ['PLUGIN_ENTRY_FAILED', 'entry', 'Its entry can be loaded, and opens sources'],
];

/** Loading stops at the first part that is broken. */
async function checkParts(prepared: PreparedPlugin): Promise<Check[]> {
  const at = PARTS.findIndex(([code]) => prepared.problems.some((problem) => problem.code === code));
  const checks = PARTS.map(([, rule, sentence], index): Check => {
    if (at === -1 || index < at) return { rule, sentence, ...PASSED };
    if (index > at) return { rule, sentence, ...skip('an earlier fault has to be corrected first') };
    const complaints = prepared.problems.map(({ message }) => message);
    return { rule, sentence, ...judge(complaints, prepared.problems[0]?.repair ?? 'Correct what the message names.') };
  });
  const scanned = prepared.manifest ? await scanImports(prepared.folder, prepared.manifest) : undefined;
  checks.push({
    rule: 'imports',
    sentence: 'It imports its own files and the packages that its manifest names, and nothing of Node.js',
    ...(scanned === undefined
      ? skip('there is no manifest that would name packages')
      : judge(scanned, 'Use what capabilities hand over, and name packages in "packages" of plugin.json.')),
  });
  return checks;
}

function judgeExamples(examples: Examples | undefined): Verdict {
  if (!examples) return skip('it cannot be loaded');
  return judge(examples.ok ? [] : examples.complaints, 'Write at least one example; docs/plugins.md shows how.');
}

async function runRule(
  { rule, sentence, needs, repair, skips, check }: Rule,
  before: readonly Check[],
  scene: Scene | undefined,
): Promise<Check> {
  const useless = scene && skips?.(scene);
  if (useless !== undefined) return { rule, sentence, ...skip(useless, false) };
  const missing = before.find((earlier) => needs.includes(earlier.rule) && earlier.status !== 'passed');
  if (!scene || missing) {
    const first = missing?.rule ?? 'loading';
    return { rule, sentence, ...skip(`${first} has to pass first`) };
  }
  try {
    return { rule, sentence, ...judge(await check(scene), repair) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { rule, sentence, ...judge([`it could not be asked: ${reason}`], 'open must take what the schema takes.') };
  }
}

/** An unhandled rejection of a plugin would else end the process. */
function listenForUnhandled(): { readonly list: readonly string[]; readonly end: () => void } {
  const list: string[] = [];
  const onRejection = (reason: unknown): void => void list.push(`a promise was left to fail: ${String(reason)}`);
  const onThrow = (error: unknown): void => void list.push(`an error was not caught: ${String(error)}`);
  process.on('unhandledRejection', onRejection);
  process.on('uncaughtException', onThrow);
  return {
    list,
    end: () => {
      process.off('unhandledRejection', onRejection);
      process.off('uncaughtException', onThrow);
    },
  };
}
