import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Outcome, problem, type Problem, refuse, succeed } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import { parseSource } from '../../core/content/source-text.js';
import { nearestName } from '../../core/content/nearest-name.js';
import type { AnswerAsPerson, Composition, Stage } from '../composition.js';
import { locateIn } from '../settling/read-answer-file.js';

export interface StageRequest {
  readonly with_toys: boolean;
  /** Absolute; starts the scripted model. */
  readonly answers_file?: string;
  readonly person?: AnswerAsPerson | undefined;
  readonly model?: string;
  /** The first port; free ones by default. */
  readonly port_base?: number;
}

export async function startStage(composition: Composition, request: StageRequest): Promise<Outcome<Stage>> {
  const stages: Stage[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(stages.map((stage) => stage.close()));
  };
  try {
    if (request.with_toys) stages.push(await composition.startToys(request.port_base));
    if (request.person !== undefined) stages.push(await composition.startPerson(request.person));
    if (request.answers_file !== undefined) {
      const model = await composition.startScriptedModel(request.answers_file, request.port_base);
      if (!model.ok) {
        await close();
        return { ...model, problems: await inFile(request.answers_file, model.problems) };
      }
      stages.push(model.value);
    }
  } catch (error) {
    await close();
    const taken = findTakenPort(error);
    if (taken === undefined) throw error;
    return refuse(problem('PORT_TAKEN', { port: taken }, { details: { port: taken } }));
  }
  const variables = Object.assign({}, ...stages.map((stage) => stage.variables)) as Stage['variables'];
  const model_at = stages.find((stage) => stage.model_at)?.model_at;
  return succeed(present({ variables, model_at, close }));
}

function findTakenPort(error: unknown): number | undefined {
  const { code, port } = (error instanceof Error ? error : {}) as { readonly code?: unknown; readonly port?: unknown };
  return (code === 'EADDRINUSE' || code === 'EACCES') && typeof port === 'number' ? port : undefined;
}

/**
 * Finds the file of a script: a shipped one by its name, any other by its path.
 * @param name such as `park`, or `./my-answers.json`
 */
export async function findScript(
  composition: Pick<Composition, 'package_root'>,
  workingFolder: string,
  name: string,
): Promise<Outcome<string>> {
  const folder = join(composition.package_root, 'fixtures', 'scripts');
  const shipped = (await readdir(folder)).filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -5));
  if (shipped.includes(name)) return succeed(join(folder, `${name}.json`));
  const path = resolve(workingFolder, name);
  const facts = await stat(path).catch(() => undefined);
  if (facts?.isFile()) return succeed(path);
  const unknown = { name, nearest: nearestName(name, shipped), shipped: shipped.toSorted() };
  return refuse(problem('SCRIPT_UNKNOWN', unknown));
}

async function inFile(path: string, problems: readonly Problem[]): Promise<readonly Problem[]> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return problems;
  const source = parseSource(path, text);
  return source.ok ? locateIn(source.value, problems) : source.problems;
}
