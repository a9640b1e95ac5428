import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { JsonObject } from '../../../engine/contract/json.js';
import { checkPaths } from '../../../engine/operations/author.js';
import type { Composition } from '../../../engine/operations/composition.js';
import {
  type DocumentParts,
  loadDocuments,
  validateLoaded,
  type Validation,
} from '../../../engine/operations/documents/index.js';
import type { Authoring } from '../../../engine/operations/engine.js';
import { compileScenario } from '../../../engine/operations/load-program.js';
import { type Row, toRow } from '../row.js';
import { median } from '../statistics.js';
import { listLongWorkflow, listWorldFiles, spoil } from './documents.js';

const DOCUMENTS = 1000;
const BROKEN_EVERY = 5;
const NODES = 50;
const SAMPLES = 5;

/** How long an author waits: for the check of a large folder, sound and broken, and for a long workflow to be compiled. */
export async function measureAuthoring(composition: Composition): Promise<readonly Row[]> {
  const sound = listWorldFiles(DOCUMENTS);
  const broken = new Map(
    [...sound].map(([name, content], index) => [name, index % BROKEN_EVERY === 0 ? spoil(content) : content] as const),
  );
  const whole = await timeValidation(composition, sound);
  const faulty = await timeValidation(composition, broken);
  if (!whole.validation.ok) throw new Error(JSON.stringify(whole.validation.findings.slice(0, 3)));
  const found = new Set(faulty.validation.findings.map(({ file }) => file)).size;
  const compiled = await timeCompilation(composition);
  return [
    toRow({
      id: 'validate_1000',
      what: 'validate 1,000 ordinary documents',
      value: whole.cpu_seconds,
      unit: 's',
      goal: { kind: 'at_most', value: 3, stretch: 1.5 },
      note: `CPU, in a program that is loaded; ${DOCUMENTS / 10} scenarios; ${whole.seconds.toFixed(1)} s by the clock`,
    }),
    toRow({
      id: 'validate_1000_broken',
      what: 'validate 1,000 documents of which 200 are broken',
      value: faulty.cpu_seconds,
      unit: 's',
      goal: { kind: 'at_most', value: 5, stretch: 1.5 },
      note: `CPU; ${found} of ${DOCUMENTS / BROKEN_EVERY} found; ${faulty.seconds.toFixed(1)} s by the clock`,
    }),
    toRow({
      id: 'compile_50_nodes',
      what: 'compile a workflow of 50 nodes',
      value: compiled.first_ms,
      unit: 'ms',
      goal: { kind: 'at_most', value: 50 },
      note: `CPU, its schemas too; ${compiled.again_ms.toFixed(1)} ms where they have been compiled`,
    }),
  ];
}

interface Timed {
  readonly seconds: number;
  readonly cpu_seconds: number;
}

/** Takes the time by the clock and by the CPU: only the second is the same on a busy machine. */
function startTimer(): () => Timed {
  const begun = performance.now();
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return { seconds: (performance.now() - begun) / 1000, cpu_seconds: (user + system) / 1e6 };
  };
}

async function timeValidation(
  composition: Composition,
  files: ReadonlyMap<string, JsonObject>,
): Promise<Timed & { readonly validation: Validation }> {
  return inFolder(files, async (folder) => {
    const asked = { place: { working_folder: folder }, paths: ['.'] };
    const authoring = await composition.openAuthoring();
    const elapsed = startTimer();
    const validation = await checkPaths(authoring, asked);
    return { ...elapsed(), validation };
  });
}

/** The median of several compilers that know nothing yet, and of each doing it again. */
async function timeCompilation(
  composition: Composition,
): Promise<{ readonly first_ms: number; readonly again_ms: number }> {
  const { hash, find } = await linkLongWorkflow(await composition.openAuthoring());
  const first: number[] = [];
  const again: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const authoring = await composition.openAuthoring();
    for (const times of [first, again]) {
      const elapsed = startTimer();
      const compiled = compileScenario(authoring, hash, find);
      times.push(elapsed().cpu_seconds * 1000);
      if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems.slice(0, 3)));
    }
  }
  return { first_ms: median(first), again_ms: median(again) };
}

type Find = Parameters<DocumentParts['checkScenario']>[0];

async function linkLongWorkflow(authoring: Authoring): Promise<{ readonly hash: string; readonly find: Find }> {
  return inFolder(listLongWorkflow(NODES), async (folder) => {
    const place = { working_folder: folder };
    const parts: DocumentParts = {
      place,
      shipped: authoring.shippedSchemas,
      validateDocument: authoring.validateDocument,
      checkScenario: () => [],
    };
    const { components } = await validateLoaded(parts, await loadDocuments(['.'], place, authoring.shippedSchemas));
    const contents = new Map(components.map(({ kind, hash, content }) => [`${kind} ${hash}`, content]));
    const scenario = components.find(({ kind }) => kind === 'scenario');
    if (scenario === undefined) throw new Error('the long workflow has no scenario');
    return { hash: scenario.hash, find: (kind, hash) => contents.get(`${kind} ${hash}`) };
  });
}

async function inFolder<Value>(
  files: ReadonlyMap<string, JsonObject>,
  task: (folder: string) => Promise<Value>,
): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), 'chukwa-bench-'));
  try {
    for (const [name, content] of files) {
      await mkdir(join(folder, dirname(name)), { recursive: true });
      await writeFile(join(folder, name), `${JSON.stringify(content, null, 2)}\n`);
    }
    return await task(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
