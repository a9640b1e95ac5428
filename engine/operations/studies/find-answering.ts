import { readFile } from 'node:fs/promises';
import { parseJson } from '../../core/content/parse-json.js';
import { type Answering, describeAnswering } from '../../core/study/sealing.js';
import type { Answers } from '../../generated/answers.js';
import { listSources } from '../running/chosen-model.js';
import type { Engine } from '../engine.js';
import type { StageRequest } from '../running/stage.js';
import type { ReadStudy } from './read-study.js';

/** Who is asked to answer the calls of a study. */
export interface AskedToAnswer extends Pick<StageRequest, 'answers_file'> {
  readonly is_queued?: boolean;
}

/** Who answers the calls of a study, in the words that are sealed with it. */
export async function findAnswering(
  engine: Pick<Engine, 'authoring' | 'findModel'>,
  read: ReadStudy,
  { answers_file, is_queued }: AskedToAnswer,
): Promise<string> {
  if (is_queued === true) return describeAnswering({ kind: 'workers' });
  if (answers_file !== undefined) return describeAnswering(await readScript(answers_file));
  const names = listSources(read.documents.values()).flatMap((source) => {
    const { name: plugin } = source.interface;
    const speaks = engine.authoring.catalogue.plugins.find(({ name }) => name === plugin)?.speaks;
    const { model } = engine.findModel({ plugin, interface: source.interface });
    return speaks === 'chat' && model !== null ? [model] : [];
  });
  return describeAnswering({ kind: 'models', names });
}

/** The script was read before, and is sound. */
async function readScript(answers_file: string): Promise<Answering> {
  const file = await readFile(answers_file);
  const parsed = parseJson(file.toString('utf8'));
  if (!parsed.ok) throw new Error(`${answers_file} is no JSON any more`);
  return { kind: 'script', label: (parsed.value as unknown as Answers).label, file };
}
