import { checkPaths } from '../author.js';
import { getComponent } from '../components.js';
import type { Composition } from '../composition.js';
import type { Place } from '../documents/index.js';
import { type Authoring, type Done, refuse } from '../engine.js';
import type { TriedSource } from './try-model.js';

const HASH = /^[0-9a-f]{8,64}$/;

/** Finds a source: that of a file, or a stored one by its hash. */
export async function findTriedSource(
  composition: Pick<Composition, 'openArchive'>,
  authoring: Authoring,
  name: string,
  place: Place,
): Promise<Done<TriedSource>> {
  if (HASH.test(name)) return findStored(composition, name);
  const { ok, findings, components } = await checkPaths(authoring, { paths: [name], place });
  if (!ok) {
    return refuse(
      ...findings
        .filter(({ severity }) => severity === 'error')
        .map(({ file, line, column, ...problem }) => ({ ...problem, location: { file, line, column } })),
    );
  }
  const [source] = components.filter(({ kind }) => kind === 'response_source');
  if (source !== undefined && components.length === 1)
    return { ok: true, value: source.content as unknown as TriedSource };
  return refuse({
    code: 'SOURCE_IS_NO_MODEL',
    message: `${name} is not one response source.`,
    repair: 'Name the file of a source, such as workflows/sources/chat.json, or the hash of a stored one.',
  });
}

async function findStored(composition: Pick<Composition, 'openArchive'>, hash: string): Promise<Done<TriedSource>> {
  const archive = await composition.openArchive();
  if (!archive.ok) return archive;
  try {
    const found = await getComponent(archive.value, { kind: 'response_source', hash });
    return found.ok ? { ok: true, value: found.value.content as unknown as TriedSource } : found;
  } finally {
    await archive.value.close();
  }
}
