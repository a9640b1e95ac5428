import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Json, JsonObject } from '../contract/json.js';
import { type Problem, problem } from '../contract/problem.js';
import { SHOWN_MAX } from '../contract/problems/documents.js';
import { appendToken, isList, isObject } from '../core/content/json-pointer.js';
import { listProblems, PROBLEMS_MAX } from '../core/content/listed-problems.js';
import { among, nearestName } from '../core/content/nearest-name.js';
import { NO_ALTERNATIVE } from './alternatives.js';
import { exampleOf, FORMAT_EXAMPLES, writeJson } from './hints.js';
import { writtenKeyword } from './linear-keywords.js';

/** A validator with more complaints stops looking: several complaints may give one problem. */
export const COMPLAINTS_MAX = PROBLEMS_MAX * 5;

/** The complaints of a validator, as sentences at their places. */
export function toProblems(errors: readonly ErrorObject[]): readonly Problem[] {
  const looked = errors.slice(0, countWithinRoom(errors));
  return listProblems(listFirst(foldAlternatives(withoutMisspelt(looked))), errors.length === looked.length);
}

/** A field that is missing since another one misspells it: to add it would be the wrong repair. */
function withoutMisspelt(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const lacking = new Set(
    errors.filter(({ keyword }) => keyword === 'required').map(({ instancePath }) => instancePath),
  );
  const unknown = errors.filter(
    ({ keyword, instancePath }) => keyword === 'additionalProperties' && lacking.has(instancePath),
  );
  const misspelt = new Set(
    unknown.slice(0, PROBLEMS_MAX).map((error) => {
      const meant = nearestName(String(error.params['additionalProperty']), namesOf(error));
      return `${error.instancePath} ${meant}`;
    }),
  );
  return errors.filter(
    ({ keyword, instancePath, params }) =>
      keyword !== 'required' || !misspelt.has(`${instancePath} ${String(params['missingProperty'])}`),
  );
}

function namesOf({ parentSchema }: ErrorObject): readonly string[] {
  return Object.keys((parentSchema?.['properties'] ?? {}) as object);
}

/** One more problem than is shown at most, where there are so many: to word each takes time. */
function listFirst(complaints: ReturnType<typeof foldAlternatives>): readonly Problem[] {
  const problems: Problem[] = [];
  for (const complaint of complaints) {
    if (problems.length > PROBLEMS_MAX) break;
    problems.push(...toProblem(complaint));
  }
  return problems;
}

/** The most characters of all places together: those below a very long name are each as long as it. */
const PLACES_MAX = 1_000_000;

function countWithinRoom(errors: readonly ErrorObject[]): number {
  let room = PLACES_MAX;
  const past = errors.findIndex((error, index) => {
    room -= error.instancePath.length;
    return index >= COMPLAINTS_MAX || (room < 0 && index > 0);
  });
  return past === -1 ? errors.length : past;
}

/** Branches of one choice that complain about the very same place are one complaint. */
function foldAlternatives(errors: readonly ErrorObject[]): readonly (ErrorObject | readonly ErrorObject[])[] {
  const folded: (ErrorObject | readonly ErrorObject[])[] = [];
  for (const error of errors) {
    if (error.keyword !== 'anyOf' && error.keyword !== 'oneOf') {
      folded.push(error);
      continue;
    }
    const branches: ErrorObject[] = [];
    for (let last = folded.at(-1); isBranchError(last, error); last = folded.at(-1)) {
      branches.unshift(last);
      folded.pop();
    }
    const here = branches.filter((branch) => branch.instancePath === error.instancePath);
    folded.push(...branches.filter((branch) => branch.instancePath !== error.instancePath));
    folded.push(here.length > 0 ? here : error);
  }
  return folded;
}

function isBranchError(
  last: ErrorObject | readonly ErrorObject[] | undefined,
  error: ErrorObject,
): last is ErrorObject {
  if (last === undefined || !('keyword' in last)) return false;
  return last.instancePath === error.instancePath || last.instancePath.startsWith(`${error.instancePath}/`);
}

function toProblem(error: ErrorObject | readonly ErrorObject[]): readonly Problem[] {
  if ('keyword' in error) return toSingleProblem(error);
  const parts = error.slice(0, SHOWN_MAX).flatMap(toSingleProblem);
  const [first] = parts;
  if (!first || parts.length === 1) return parts;
  const facts = { messages: parts.map(({ message }) => message), more: Math.max(0, error.length - SHOWN_MAX) };
  return [problem('NO_ALTERNATIVE', facts, { pointer: within(error[0]?.instancePath ?? '') })];
}

function toSingleProblem(error: ErrorObject): readonly Problem[] {
  const { params, propertyName: name } = error;
  const keyword = writtenKeyword(error.keyword);
  const place = placeOf(error, name);
  switch (keyword) {
    case 'if':
    case 'propertyNames':
      return [];
    case 'additionalProperties':
      return [unknownField(error, String(params['additionalProperty']))];
    case 'unevaluatedProperties':
      return [unknownField(error, String(params['unevaluatedProperty']))];
    case 'required':
    case 'dependentRequired':
      return [problem('MISSING_FIELD', missingField(error, String(params['missingProperty'])), place)];
    case 'type': {
      const types = [params['type'] as string | readonly string[]].flat();
      return [problem('WRONG_TYPE', { name, types, found: typeOf(error.data), example: findExample(error) }, place)];
    }
    case 'const':
    case 'enum':
      return [problem('UNEXPECTED_VALUE', { name, ...fixedValues(error) }, place)];
    case NO_ALTERNATIVE:
      return [problem('NO_ALTERNATIVE', { name, ...noAlternative(error) }, place)];
    case 'false schema':
      return [problem('UNEXPECTED_VALUE', { name }, place)];
    default:
      return [problem('BAD_VALUE', { name, keyword, ...brokenRule(error) }, place)];
  }
}

function placeOf({ instancePath, propertyName }: ErrorObject, member: string | undefined) {
  if (member === undefined) return { pointer: within(instancePath) };
  return {
    pointer: within(appendToken(instancePath, member)),
    ...(member === propertyName && { of_name: true as const }),
  };
}

function unknownField(error: ErrorObject, name: string): Problem {
  return problem('UNKNOWN_FIELD', { name, ...among(name, namesOf(error)) }, placeOf(error, name));
}

function missingField(error: ErrorObject, name: string) {
  const properties = (error.parentSchema?.['properties'] ?? {}) as Readonly<Record<string, JsonObject>>;
  const member = (Object.hasOwn(properties, name) ? properties[name] : undefined) ?? {};
  return { name, description: describe(member), example: toText(exampleOf(member)) };
}

function describe(schema: { readonly [keyword: string]: unknown } | undefined): string | undefined {
  const description = schema?.['description'];
  return typeof description === 'string' ? description : undefined;
}

function toText(value: Json | undefined): string | undefined {
  return value === undefined ? undefined : writeJson(value);
}

function fixedValues({ keyword, params, data }: ErrorObject) {
  const allowed: readonly Json[] = keyword === 'const' ? [params['allowedValue']] : params['allowedValues'];
  const texts = allowed.filter((value) => typeof value === 'string');
  const expected = allowed.slice(0, SHOWN_MAX + 1).map((value) => JSON.stringify(value));
  return { expected, count: allowed.length, nearest: findNearest(data as Json, texts) };
}

function findNearest(value: Json, texts: readonly string[]): string | undefined {
  return typeof value === 'string' ? nearestName(value, texts) : undefined;
}

/** Several fixed values of one alternative are given together. */
const ONE_TEXT = /^"(?:[^"\\]|\\.)*"$/;

function noAlternative({ schema, data, parentSchema }: ErrorObject) {
  const expected = schema as readonly string[];
  const texts = expected.filter((text) => ONE_TEXT.test(text)).map((text) => JSON.parse(text) as string);
  const example = exampleOf(parentSchema ?? {});
  const meant = findMeant(data as Json, example);
  return {
    expected,
    count: expected.length,
    nearest: findNearest(data as Json, texts),
    meant: toText(meant),
    example: toText(example),
  };
}

/** A bare text in place of an object with one text, such as a path, has probably been meant as that text. */
function findMeant(value: Json, example: Json | undefined): Json | undefined {
  const [member, ...more] = isObject(example) ? Object.keys(example) : [];
  return typeof value === 'string' && member !== undefined && more.length === 0 ? { [member]: value } : undefined;
}

function brokenRule(error: ErrorObject) {
  const { keyword, params, parentSchema, data, message: otherwise } = error;
  const hasRule = keyword === 'pattern' || keyword === 'not';
  const lacks_offset = params['format'] === 'date-time' && /^\d{4}-\d\d-\d\d[T ][\d:.]+$/.test(String(data));
  const description = hasRule ? describe(parentSchema) : undefined;
  return { params, description, example: findExample(error), lacks_offset, otherwise };
}

/** A pointer through names of very many characters ends before them. */
const POINTER_MAX = 4096;

function within(pointer: string): string {
  if (pointer.length <= POINTER_MAX) return pointer;
  const start = pointer.slice(0, POINTER_MAX);
  return start.slice(0, start.lastIndexOf('/'));
}

/** A value that would pass, as JSON text, where the schema or its format has one to show. */
function findExample({ keyword, params, parentSchema }: ErrorObject): string | undefined {
  const ofFormat = keyword === 'format' ? FORMAT_EXAMPLES[String(params['format'])] : undefined;
  return toText(exampleOf(parentSchema ?? {}) ?? ofFormat);
}

/** The name that JSON Schema has for the type of a value. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return isList(value as Json) ? 'array' : typeof value;
}
