import type { Json, JsonObject } from '../../contract/json.js';
import type { Scenario } from '../../generated/scenario.js';
import { contentHash } from '../content/canonical.js';
import type { LinkedDocument } from '../workflow/link.js';
import { listReferences, replaceReferences } from '../workflow/link/references.js';
import type { ComposedScenario } from './compose.js';

/**
 * A hash of what a turn can read of a scenario. Two scenarios have the same where they differ in labels and descriptions
 * alone, or in entities that no agent perceives.
 */
export function hashOfReadable({ documents, scenario, hash }: ComposedScenario): string {
  const hidden = listHidden(scenario, documents);
  const hashes = new Map<string, string>();
  for (const document of documents) {
    const content = document.hash === hash ? withoutEntities(document.content, hidden) : document.content;
    const places = new Map(
      listReferences(document.kind, content).flatMap(({ pointer, target }) =>
        'hash' in target ? [[pointer, hashes.get(target.hash) ?? target.hash] as const] : [],
      ),
    );
    const read = replaceReferences(withoutNames(document, content), (pointer) => places.get(pointer));
    hashes.set(document.hash, contentHash(read));
  }
  return hashes.get(hash) ?? hash;
}

/** A schema's description is a part of what a model is shown. */
function withoutNames({ kind }: LinkedDocument, content: JsonObject): JsonObject {
  if (kind === 'json_schema' || kind === 'prompt_text') return content;
  const { label: _label, description: _description, ...rest } = content;
  return rest;
}

function withoutEntities(content: JsonObject, hidden: ReadonlySet<string>): JsonObject {
  const { entities } = content as unknown as Scenario;
  return { ...content, entities: entities.filter(({ id }) => !hidden.has(id)) as unknown as Json };
}

/** Marks of a workflow that sees more than the environments of its subjects. */
const WIDE = /"scope":"world"|"entity_id"|"environment_label"|\/world\//;

/** The entities that are in the environment of no subject, where no workflow looks further. */
function listHidden({ entities, cognition }: Scenario, documents: readonly LinkedDocument[]): ReadonlySet<string> {
  const workflows = documents.filter(({ kind }) => kind === 'cognition_workflow');
  const isWide = workflows.some(({ content }) => WIDE.test(JSON.stringify(content)));
  if (isWide) return new Set();
  const subjects = new Set(cognition.flatMap((entry) => entry.subjects));
  const places = new Set(entities.filter(({ id }) => subjects.has(id)).map(({ environment }) => environment));
  const isSeen = (id: string, environment: string | undefined): boolean =>
    subjects.has(id) || (environment !== undefined && places.has(environment));
  return new Set(entities.filter(({ id, environment }) => !isSeen(id, environment)).map(({ id }) => id));
}
