import type { Json, JsonObject } from '../contract/json.js';
import { type Problem, problem } from '../contract/problem.js';
import { contentHash } from '../core/content/canonical.js';
import { among } from '../core/content/nearest-name.js';
import { SCHEMA_OF_KIND } from '../core/workflow/link/document-kind.js';
import { checkProbe } from '../core/workflow/probe.js';
import { checkStudy } from '../core/study/check-study.js';
import { checkPopulation } from '../core/workflow-test/check-population.js';
import type { Validate } from '../core/protocol/program.js';
import type { Answers } from '../generated/answers.js';
import type { Probe } from '../generated/probe.js';
import type { Study } from '../generated/study.js';
import type { PluginDescription } from '../ports/sources.js';
import type { CompileSchema, ValidateDocument } from '../ports/validation.js';
import { isObject } from '../core/content/json-pointer.js';
import { typeOf } from './to-problems.js';
import { compileShipped } from './compile-schema.js';

/** The part of a plugin's description that checking a source needs. */
type KnownPlugin = Pick<PluginDescription, 'name' | 'validateInterface'>;

/**
 * Makes the check of documents against the schemas that ship; a source's `interface` is left to its plugin.
 * @param shipped by file name, such as `workflow.schema.json`
 */
export function createValidateShape(
  shipped: ReadonlyMap<string, JsonObject>,
  compileSchema: CompileSchema,
): ValidateDocument {
  const validators = new Map<string, Validate>();
  return (kind, document) => {
    if (kind === 'json_schema') return checkJsonSchema(document, compileSchema);
    const name = SCHEMA_OF_KIND[kind];
    const validate = validators.get(name) ?? compileShipped(getShipped(shipped, name));
    validators.set(name, validate);
    return validate(document);
  };
}

/** Adds what schemas cannot check: of each source, its `interface` by the plugin that it names; of answers, their population; of a probe, its
 * questions; of a study, its design. @param leftOut plugins that are found and not used */
export function createValidateDocument(
  validateShape: ValidateDocument,
  plugins: readonly KnownPlugin[],
  leftOut: readonly Problem[] = [],
): ValidateDocument {
  const byName = new Map(plugins.map((plugin) => [plugin.name, plugin]));
  return (kind, document) => {
    const problems = validateShape(kind, document);
    if (kind === 'answers' && problems.length === 0) return checkPopulation(document as unknown as Answers);
    if (kind === 'probe' && problems.length === 0) return checkProbe(document as unknown as Probe);
    if (kind === 'study' && problems.length === 0) return checkStudy(document as unknown as Study);
    if (kind !== 'response_source' || problems.length > 0 || !isObject(document)) return problems;
    return checkInterface(document['interface'] as JsonObject, byName, leftOut);
  };
}

function getShipped(shipped: ReadonlyMap<string, JsonObject>, name: string): JsonObject {
  const schema = shipped.get(name);
  if (!schema) throw new Error(`the schema ${name} does not ship`);
  return schema;
}

function checkJsonSchema(document: Json, compileSchema: CompileSchema): readonly Problem[] {
  if (!isObject(document)) {
    const facts = { types: ['object'], found: typeOf(document), example: '{}' };
    return [problem('WRONG_TYPE', facts, { pointer: '' })];
  }
  const compiled = compileSchema(contentHash(document), document);
  return compiled.ok ? (compiled.notes ?? []) : compiled.problems;
}

function checkInterface(
  definition: JsonObject,
  plugins: ReadonlyMap<string, KnownPlugin>,
  leftOut: readonly Problem[],
): readonly Problem[] {
  const name = definition['name'] as string;
  const plugin = plugins.get(name);
  const reason = leftOut.find(({ details }) => details?.['name'] === name);
  if (!plugin && reason) {
    const facts = { kind: 'left_out', name, code: reason.code } as const;
    return [problem('PLUGIN_UNKNOWN', facts, { pointer: '/interface/name' })];
  }
  if (!plugin) {
    const facts = { kind: 'unknown', name, ...among(name, [...plugins.keys()].sort()) } as const;
    return [problem('PLUGIN_UNKNOWN', facts, { pointer: '/interface/name' })];
  }
  return plugin
    .validateInterface(definition)
    .map((problem) => ({ ...problem, pointer: `/interface${problem.pointer ?? ''}` }));
}
