/**
 * A validator that tries every branch of a `oneOf` complains about all of them, and the author meant one. Where the
 * branches exclude each other by what a value plainly shows (its JSON type, a member with a fixed value, a member that
 * only one branch has), the choice is written as `if`/`then` before compiling: the same values pass, and only the branch
 * that the value chose complains. Any other `oneOf` or `anyOf` stays as it is.
 */
import type { Json, JsonObject } from '../contract/json.js';
import { present } from '../contract/present.js';
import { canonicalText } from '../core/content/canonical.js';
import { isList, isObject } from '../core/content/json-pointer.js';
import { followReference, listSubschemas, mapChildren } from '../core/content/subschemas.js';

/** The keyword that always fails, and says what would have passed. */
export const NO_ALTERNATIVE = 'chukwa:no_alternative';

interface Branch {
  /** As the list has it. */
  readonly written: Json;
  /** Its schema, with a reference followed. */
  readonly meant: JsonObject;
}

/** A schema that accepts the same, and complains of chosen branches only. */
export function withChosenAlternatives(root: JsonObject): JsonObject {
  return isReferredTo(root) ? root : rewriteObject(root, root);
}

const CHOICES = ['oneOf', 'anyOf'] as const;

/** A branch that something refers to has to stay where it is. */
function isReferredTo(root: JsonObject): boolean {
  return listSubschemas(root).some(
    ({ schema }) => isObject(schema) && typeof schema['$ref'] === 'string' && /\/(oneOf|anyOf)\//.test(schema['$ref']),
  );
}

function rewriteObject(root: JsonObject, schema: JsonObject): JsonObject {
  const inner = mapChildren(schema, (child) => (isObject(child) ? rewriteObject(root, child) : child));
  const shown = present({ examples: inner['examples'] });
  const choices: JsonObject[] = [];
  const rest = Object.entries(inner).filter(([keyword, branches]) => {
    const name = CHOICES.find((known) => known === keyword);
    const choice = name !== undefined && isList(branches) ? toChoice(root, name, branches, shown) : undefined;
    if (choice) choices.push(choice);
    return choice === undefined;
  });
  if (choices.length === 0) return inner;
  const { allOf } = inner;
  return { ...Object.fromEntries(rest), allOf: [...(isList(allOf) ? allOf : []), ...choices] };
}

function toChoice(
  root: JsonObject,
  keyword: (typeof CHOICES)[number],
  written: readonly Json[],
  shown: JsonObject = {},
): JsonObject | undefined {
  const branches = written.map((branch) => toBranch(root, branch));
  if (!branches.every((branch) => branch !== undefined)) return undefined;
  return chooseByShape(branches, shown) ?? chooseAmongConstants(keyword, branches);
}

/** Branches that say nothing but constants are one list of values; with `oneOf`, a value that two of them list fits neither. */
function chooseAmongConstants(keyword: (typeof CHOICES)[number], branches: readonly Branch[]): JsonObject | undefined {
  const isConstant = ({ meant }: Branch): boolean => Object.keys(meant).every((name) => OF_CONSTANTS.has(name));
  const listed = branches.map((branch) => (isConstant(branch) ? fixedValues(branch.meant) : undefined));
  if (!listed.every((values) => values !== undefined)) return undefined;
  const counts = new Map<string, { readonly value: Json; readonly times: number }>();
  for (const values of listed) {
    const texts = new Map(values.map((value) => [canonicalText(value), value]));
    for (const [text, value] of texts) counts.set(text, { value, times: (counts.get(text)?.times ?? 0) + 1 });
  }
  const allowed = [...counts.values()].filter(({ times }) => keyword === 'anyOf' || times === 1);
  return allowed.length === 0 ? undefined : { enum: allowed.map(({ value }) => value) };
}

const OF_CONSTANTS = new Set(['const', 'enum', 'title', 'description', '$comment', 'examples']);

/** @param shown the examples of the whole choice, for a value that fits no branch */
function chooseByShape(branches: readonly Branch[], shown: JsonObject): JsonObject | undefined {
  const groups = new Map<string, Branch[]>();
  for (const branch of branches) {
    const type = typeOf(branch.meant);
    if (type === undefined) return undefined;
    groups.set(type, [...(groups.get(type) ?? []), branch]);
  }
  const choices = [...groups].map(([type, group]) => ({ type, choice: chooseWithin(type, group, shown) }));
  if (!choices.every(({ choice }) => choice !== undefined)) return undefined;
  const expected = branches.map(describe);
  return choices.reduceRight<JsonObject>(
    (otherwise, { type, choice }) =>
      conditional(conditionOf(type, choice as JsonObject), choice as JsonObject, otherwise),
    { ...shown, [NO_ALTERNATIVE]: expected },
  );
}

/** Fixed values are their own condition: a text that is none of them may still have missed another branch. */
function conditionOf(type: string, choice: JsonObject): JsonObject {
  const values = Object.keys(choice).length === 1 ? fixedValues(choice) : undefined;
  return values ? { enum: values } : { type };
}

function toBranch(root: JsonObject, written: Json): Branch | undefined {
  if (!isObject(written)) return undefined;
  const reference = written['$ref'];
  if (typeof reference !== 'string') return { written, meant: written };
  const meant = followReference(root, reference);
  return isObject(meant) && Object.keys(written).length === 1 ? { written, meant } : undefined;
}

function typeOf(schema: JsonObject): string | undefined {
  const fixed = fixedValues(schema);
  if (fixed) return fixed.every((value) => typeof value === 'string') ? 'string' : undefined;
  const type = schema['type'];
  if (type === 'integer') return 'number';
  return typeof type === 'string' ? type : undefined;
}

function fixedValues(schema: Json | undefined): readonly Json[] | undefined {
  if (!isObject(schema)) return undefined;
  if (Object.hasOwn(schema, 'const')) return [schema['const'] as Json];
  const values = schema['enum'];
  return isList(values) ? values : undefined;
}

function chooseWithin(type: string, branches: readonly Branch[], shown: JsonObject): JsonObject | undefined {
  const [only, ...others] = branches;
  if (only && others.length === 0) return only.written as JsonObject;
  if (type === 'object') return chooseByValue(branches) ?? chooseByMember(branches, shown);
  const listed = branches.map(({ meant }) => (Object.keys(meant).length === 1 ? fixedValues(meant) : undefined));
  if (!listed.every((values) => values !== undefined)) return undefined;
  return isDistinct(listed.flat()) ? { enum: listed.flat() } : undefined;
}

/** Each branch fixes another value of one member, as in `"type": "llm_json"`. */
function chooseByValue(branches: readonly Branch[]): JsonObject | undefined {
  const first = branches[0] ? requiredOf(branches[0]) : [];
  for (const member of first) {
    const values = branches.map((branch) =>
      requiredOf(branch).includes(member) ? fixedValues(propertiesOf(branch)[member]) : undefined,
    );
    if (!values.every((value) => value !== undefined) || !isDistinct(values.flat())) continue;
    const cases = branches.map((branch, index) => ({ branch, values: values[index] ?? [] }));
    return { required: [member], properties: { [member]: { enum: values.flat() } }, ...chooseCase(member, cases) };
  }
  return undefined;
}

/** Halves the cases until one is left, so that very many take few steps. */
function chooseCase(
  member: string,
  cases: readonly { readonly branch: Branch; readonly values: readonly Json[] }[],
): JsonObject {
  const [only, ...others] = cases;
  const half = others.length === 0 ? cases : cases.slice(0, Math.ceil(cases.length / 2));
  const values = half.flatMap((one) => one.values);
  const isMeant = { type: 'object', required: [member], properties: { [member]: { enum: values } } };
  if (only && others.length === 0) return conditional(isMeant, only.branch.written, true);
  return conditional(isMeant, chooseCase(member, half), chooseCase(member, cases.slice(half.length)));
}

/** Each closed branch has a required member that those after it refuse, as in `hash` or `path`. */
function chooseByMember(branches: readonly Branch[], shown: JsonObject): JsonObject | undefined {
  if (
    !branches.every(({ meant }) => meant['additionalProperties'] === false && meant['patternProperties'] === undefined)
  )
    return undefined;
  const chosen: { readonly member: string; readonly branch: Branch }[] = [];
  let remaining = branches;
  while (remaining.length > 0) {
    const next = findMarked(remaining);
    if (!next) return undefined;
    chosen.push(next);
    remaining = remaining.filter((branch) => branch !== next.branch);
  }
  return chosen.reduceRight<JsonObject>(
    (otherwise, { member, branch }) => conditional({ required: [member] }, branch.written, otherwise),
    { ...shown, [NO_ALTERNATIVE]: branches.map(describe) },
  );
}

function findMarked(branches: readonly Branch[]): { readonly member: string; readonly branch: Branch } | undefined {
  for (const branch of branches) {
    const others = branches.filter((other) => other !== branch);
    const member = requiredOf(branch).find((name) => !others.some((other) => Object.hasOwn(propertiesOf(other), name)));
    if (member !== undefined) return { member, branch };
  }
  return undefined;
}

function conditional(condition: Json, chosen: Json, otherwise: Json): JsonObject {
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema, and never a function
  return { if: condition, then: chosen, else: otherwise };
}

function requiredOf({ meant }: Branch): readonly string[] {
  const required = meant['required'];
  return isList(required) ? required.filter((name) => typeof name === 'string') : [];
}

function propertiesOf({ meant }: Branch): JsonObject {
  return isObject(meant['properties']) ? meant['properties'] : {};
}

function isDistinct(values: readonly Json[]): boolean {
  return values.every((value) => typeof value === 'string') && new Set(values).size === values.length;
}

function describe(branch: Branch): string {
  const fixed = fixedValues(branch.meant);
  if (fixed) return fixed.map((value) => JSON.stringify(value)).join(' or ');
  const required = requiredOf(branch);
  if (branch.meant['type'] === 'object') {
    return required.length === 0 ? 'an object' : `an object with ${required.map((name) => `"${name}"`).join(' and ')}`;
  }
  const type = typeOf(branch.meant);
  if (type === 'null') return type;
  return type === 'array' ? 'a list' : `a ${type}`;
}
