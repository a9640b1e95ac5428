import type { Json, JsonObject } from '../../contract/json.js';
import type { Scenario } from '../../generated/scenario.js';
import { contentHash } from '../content/canonical.js';
import type { LinkedDocument } from '../workflow/link.js';
import { listReferences, replaceReferences } from '../workflow/link/references.js';
import { type ComposedScenario, rosterOf } from './compose.js';

/** A scenario with other documents: each is changed by itself, and whatever refers to it gets its new hash. */
export function rewriteDocuments(
  { documents }: ComposedScenario,
  change: (document: LinkedDocument) => JsonObject,
): ComposedScenario {
  const hashes = new Map<string, string>();
  const rewritten = documents.map((document): LinkedDocument => {
    const content = replaceHashes(document, change(document), hashes);
    const hash = contentHash(content);
    hashes.set(document.hash, hash);
    const refers_to = document.refers_to.map((one) => ({ ...one, hash: hashes.get(one.hash) ?? one.hash }));
    return { ...document, content, hash, refers_to };
  });
  return toComposed(rewritten);
}

/** A scenario that is changed itself. */
export function changeScenario(
  { documents, scenario }: ComposedScenario,
  change: (scenario: Scenario) => Scenario,
): ComposedScenario {
  const content = change(scenario) as unknown as JsonObject;
  const last = documents.at(-1);
  if (last === undefined) throw new Error('a composed scenario is the last of its documents');
  return toComposed([...documents.slice(0, -1), { ...last, content, hash: contentHash(content) }]);
}

function toComposed(documents: readonly LinkedDocument[]): ComposedScenario {
  const last = documents.at(-1);
  if (last === undefined) throw new Error('a composed scenario is the last of its documents');
  const scenario = last.content as unknown as Scenario;
  return { hash: last.hash, scenario, documents, roster: rosterOf(scenario) };
}

function replaceHashes({ kind }: LinkedDocument, content: JsonObject, hashes: ReadonlyMap<string, string>): JsonObject {
  const places = new Map(
    listReferences(kind, content as Json).flatMap(({ pointer, target }) =>
      'hash' in target ? [[pointer, hashes.get(target.hash) ?? target.hash] as const] : [],
    ),
  );
  return replaceReferences(content, (pointer) => places.get(pointer));
}
