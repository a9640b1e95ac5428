import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Json } from '../../../contract/json.js';
import { describeTextFault, parseJson } from '../../../core/content/parse-json.js';
import type { Validate } from '../../../core/protocol/program.js';
import type { Example, PluginConformance } from '../../../generated/plugin-conformance.js';
import type { PluginBench } from '../../../ports/plugin-bench.js';
import { fillToken, hasPlaceholder, makeToken } from './server.js';
import { tmpdir } from 'node:os';
import type { PluginManifest } from '../../../generated/plugin-manifest.js';

/** An example, and the folder of its files while it is played. */
export interface PlayedExample extends Example {
  readonly folder?: string;
}

export const EXAMPLES_FILE = 'conformance.json';

export type Examples =
  | { readonly ok: true; readonly examples: readonly Example[]; readonly model: Example }
  | { readonly ok: false; readonly complaints: readonly string[] };

/** Reads a plugin's examples, and checks that each is one of this plugin. */
export async function loadExamples(folder: string, bench: PluginBench, validate: Validate): Promise<Examples> {
  const read = await readExamples(join(folder, EXAMPLES_FILE));
  if (!read.ok) return { ok: false, complaints: [`${EXAMPLES_FILE} ${read.reason}`] };
  const problems = validate(read.value).filter(({ severity }) => severity !== 'note');
  if (problems.length > 0) {
    const complaints = problems.map(({ message, pointer }) => `${EXAMPLES_FILE}: ${message} (at ${pointer || '/'})`);
    return { ok: false, complaints };
  }
  const { examples } = read.value as unknown as PluginConformance;
  const complaints = examples.flatMap((example) => findComplaints(example, bench));
  if (complaints.length > 0) return { ok: false, complaints };
  const model = findModel(examples, bench);
  if (model) return { ok: true, examples, model };
  const wanted = bench.manifest.origin ? 'a server and an expected value' : 'an expected value';
  return { ok: false, complaints: [`${EXAMPLES_FILE} has no example with ${wanted}`] };
}

type Read = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly reason: string };

async function readExamples(file: string): Promise<Read> {
  try {
    const parsed = parseJson(await readFile(file, 'utf8'));
    return parsed.ok ? parsed : { ok: false, reason: `cannot be read: ${describeTextFault(parsed.fault)}` };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return { ok: false, reason: isMissing ? 'is not there' : `cannot be read: ${(error as Error).message}` };
  }
}

/** The model example must succeed: a failing one shows little of a call. */
function findModel(examples: readonly Example[], { manifest }: PluginBench): Example | undefined {
  return examples.find(({ server, expect }) => 'value' in expect && (server !== undefined || !manifest.origin));
}

function findComplaints(example: Example, { manifest, validateInterface }: PluginBench): readonly string[] {
  const complaints = validateInterface(example.interface)
    .filter(({ severity }) => severity !== 'note')
    .map(({ message, pointer }) => `its interface schema refuses the interface: ${message} (at ${pointer || '/'})`);
  if (example.interface.name !== manifest.name)
    complaints.push(`its interface names ${example.interface.name}, and the plugin is ${manifest.name}`);
  const known = [...(manifest.variables ?? []), ...(manifest.secret_variables ?? [])];
  for (const name of Object.keys(example.variables ?? {}))
    if (!known.includes(name)) complaints.push(`the manifest does not name the variable ${name}`);
  for (const [path, text] of Object.entries(example.files ?? {}))
    if (hasPlaceholder(text) && !hasPlaceholder(path))
      complaints.push(
        `${path} holds {{call}}, so its path has to hold it too: calls at the same time need a file each`,
      );
  if (manifest.speaks === 'chat' && !isChatRequest(fillToken(example.request, makeToken())))
    complaints.push('its request is not {"messages": [{"role", "content"}]}');
  return complaints.map((complaint) => `${example.name}: ${complaint}`);
}

function isChatRequest(request: Json): boolean {
  const messages = (request as { readonly messages?: unknown } | null)?.messages;
  if (!Array.isArray(messages)) return false;
  return messages.every(
    (message: { readonly role?: unknown; readonly content?: unknown } | null) =>
      typeof message?.role === 'string' && typeof message.content === 'string',
  );
}

/** Runs a task with an example that has a folder of its own, which its variables name. */
export async function withFolder<Value>(
  { folder: named }: PluginManifest,
  example: PlayedExample,
  task: (example: PlayedExample) => Promise<Value>,
): Promise<Value> {
  const variable = named && example.interface[named.interface_field];
  if (typeof variable !== 'string') return task(example);
  const folder = await mkdtemp(join(tmpdir(), 'chukwa-conformance-'));
  try {
    return await task({ ...example, folder, variables: { ...example.variables, [variable]: folder } });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes the files that one call of an example reads. @returns their paths */
export async function placeFiles({ folder, files = {} }: PlayedExample, token: string): Promise<readonly string[]> {
  if (folder === undefined) return [];
  const placed = Object.entries(fillToken(files, token)).map(([path, text]) => [join(folder, path), text] as const);
  for (const [path, text] of placed) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  return placed.map(([path]) => path);
}

/** Runs a task with examples whose files are in folders of their own. */
export async function withFolders<Value>(
  manifest: PluginManifest,
  [example, ...others]: readonly PlayedExample[],
  task: (examples: readonly PlayedExample[]) => Promise<Value>,
): Promise<Value> {
  if (example === undefined) return task([]);
  return withFolder(manifest, example, (first) => withFolders(manifest, others, (rest) => task([first, ...rest])));
}
