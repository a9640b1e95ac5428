import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import { checkPaths, refuseFindings } from '../authoring/author.js';
import { getComponent } from '../authoring/components.js';
import type { Composition } from '../composition.js';
import type { Place } from '../documents/index.js';
import { type Authoring, whileOpen } from '../engine.js';
import type { TriedSource } from './try-model.js';

const HASH = /^[0-9a-f]{8,64}$/;

/** Finds a source: that of a file, or a stored one by its hash. */
export async function findTriedSource(
  composition: Pick<Composition, 'openArchive'>,
  authoring: Authoring,
  name: string,
  place: Place,
): Promise<Outcome<TriedSource>> {
  if (HASH.test(name)) return findStored(composition, name);
  const { ok, findings, components } = await checkPaths(authoring, { paths: [name], place });
  if (!ok) return refuseFindings(findings.filter(({ severity }) => severity === 'error'));
  const [source] = components.filter(({ kind }) => kind === 'response_source');
  if (source !== undefined && components.length === 1) return succeed(source.content as unknown as TriedSource);
  return refuse(problem('SOURCE_IS_NO_MODEL', { name }));
}

async function findStored(composition: Pick<Composition, 'openArchive'>, hash: string): Promise<Outcome<TriedSource>> {
  return whileOpen(await composition.openArchive(), async (archive) => {
    const found = await getComponent(archive, { kind: 'response_source', hash });
    return found.ok ? succeed(found.value.content as unknown as TriedSource) : found;
  });
}
