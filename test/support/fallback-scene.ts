import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import { editWorkflows } from './park-stage.js';

/** The failures after which the node of `simple` asks its second source. */
export const FALLBACK_ON = ['timeout', 'transport', 'http_429', 'http_5xx', 'unavailable'];

/**
 * The shipped workflows, in which `simple` has a second source.
 * @param first more of the first source
 * @param other more of the interface of the second one
 */
export async function withFallback(
  context: Pick<TestContext, 'after'>,
  { first = {}, other = {} }: { readonly first?: JsonObject; readonly other?: JsonObject } = {},
): Promise<string> {
  const folder = await editWorkflows(context, {
    'sources/chat.json': (source) => ({ ...source, ...first }),
    'simple/workflow.json': (workflow) => ({
      ...workflow,
      nodes: (workflow['nodes'] as readonly JsonObject[]).map((node) => ({
        ...node,
        fallback: { llm_source_ref: { path: '../sources/other.json' }, on: FALLBACK_ON },
      })),
    }),
  });
  const file = join(folder, 'sources/other.json');
  const source = JSON.parse(await readFile(join(folder, 'sources/chat.json'), 'utf8')) as {
    readonly interface: JsonObject;
  };
  const { model_env: _own, ...chat } = source.interface;
  const second = { version: 1, label: 'other', interface: { ...chat, model: 'other-model', ...other } };
  await writeFile(file, JSON.stringify(second));
  return folder;
}
