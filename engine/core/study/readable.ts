import type { Json, JsonObject } from '../../contract/json.js';
import type { Scenario } from '../../generated/scenario.js';
import type { LinkedDocument } from '../workflow/link.js';
import type { ComposedScenario } from './compose.js';
import { rewriteDocuments } from './rewrite.js';

/**
 * A hash of what a turn can read of a scenario. Two scenarios have the same where they differ in labels and descriptions
 * alone, or in entities that no agent perceives.
 */
export function hashOfReadable(composed: ComposedScenario): string {
  const hidden = listHidden(composed.scenario, composed.documents);
  return rewriteDocuments(composed, (document) => {
    const content = document.kind === 'scenario' ? withoutEntities(document.content, hidden) : document.content;
    return withoutNames(document, content);
  }).hash;
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
