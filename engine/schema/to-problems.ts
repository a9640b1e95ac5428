import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Json, JsonObject } from '../contract/json.js';
import type { Problem } from '../contract/problem.js';
import { appendToken, isList } from '../core/content/json-pointer.js';
import { nearestName } from '../core/content/nearest-name.js';
import { NO_ALTERNATIVE } from './alternatives.js';
import { exampleOf, FORMAT_EXAMPLES, writeJson } from './hints.js';

/** The most that is said of one value. */
export const PROBLEM_MAX = 200;

/** What a validator found, as sentences at their places. */
export function toProblems(errors: readonly ErrorObject[]): readonly Problem[] {
  const problems = foldAlternatives(errors).flatMap(toProblem);
  if (problems.length <= PROBLEM_MAX) return problems;
  const rest = {
    code: 'TOO_MANY_PROBLEMS',
    message: `and ${problems.length - PROBLEM_MAX} more problems`,
    pointer: '',
    repair: 'Mend the others first.',
  };
  return [...problems.slice(0, PROBLEM_MAX), rest];
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
  const parts = error.flatMap(toSingleProblem);
  const [first] = parts;
  if (!first || parts.length === 1) return parts;
  const message = [...new Set(parts.map((part) => part.message))].join(', or ');
  return [{ code: 'NO_ALTERNATIVE', message, pointer: error[0]?.instancePath ?? '', repair: 'Write one of these.' }];
}

function toSingleProblem(error: ErrorObject): readonly Problem[] {
  const complaint = complain(error);
  if (!complaint) return [];
  const isName = error.propertyName !== undefined && complaint.member === undefined;
  const member = isName ? error.propertyName : complaint.member;
  const pointer = member === undefined ? error.instancePath : appendToken(error.instancePath, member);
  const { code, repair } = complaint;
  const message = isName ? `the name ${JSON.stringify(member)} ${complaint.message}` : complaint.message;
  return [{ code, message, pointer, repair }];
}

interface Complaint {
  readonly code: string;
  readonly message: string;
  readonly repair: string;
  /** The member at fault, where it is one below the place. */
  readonly member?: string | undefined;
}

function complain(error: ErrorObject): Complaint | undefined {
  switch (error.keyword) {
    case 'if':
    case 'propertyNames':
      return undefined;
    case 'additionalProperties':
      return unknownField(error, String(error.params['additionalProperty']));
    case 'unevaluatedProperties':
      return unknownField(error, String(error.params['unevaluatedProperty']));
    case 'required':
    case 'dependentRequired':
      return missingField(error, String(error.params['missingProperty']));
    case 'type':
      return {
        code: 'WRONG_TYPE',
        message: `must be ${typeNames(error.params['type'])}, not ${typeName(typeOf(error.data))}`,
        repair: sayExample(error) ?? `Write ${typeNames(error.params['type'])}.`,
      };
    case 'const':
    case 'enum':
      return unexpectedValue(error);
    case NO_ALTERNATIVE:
      return noAlternative(error);
    case 'false schema':
      return { code: 'UNEXPECTED_VALUE', message: 'nothing may stand here', repair: 'Take it away.' };
    default:
      return badValue(error);
  }
}

function unknownField(error: ErrorObject, name: string): Complaint {
  const known = Object.keys((error.parentSchema?.['properties'] ?? {}) as object);
  const nearest = nearestName(name, known);
  const repair = nearest === undefined ? `Known here: ${known.join(', ') || 'nothing'}.` : `Did you mean "${nearest}"?`;
  return { code: 'UNKNOWN_FIELD', message: `${JSON.stringify(name)} is not a field here`, repair, member: name };
}

function missingField(error: ErrorObject, name: string): Complaint {
  const properties = (error.parentSchema?.['properties'] ?? {}) as Readonly<Record<string, JsonObject>>;
  const member = Object.hasOwn(properties, name) ? properties[name] : undefined;
  const repair = (member === undefined ? undefined : sayHowToAdd(name, member)) ?? `Add ${JSON.stringify(name)}.`;
  return { code: 'MISSING_FIELD', message: `the field "${name}" is missing`, repair };
}

function sayHowToAdd(name: string, member: JsonObject): string | undefined {
  const { description } = member;
  const example = exampleOf(member);
  if (example === undefined) return typeof description === 'string' ? `Add it: ${description}` : undefined;
  const meaning = typeof description === 'string' ? ` ${description}` : '';
  return `Add it, such as ${JSON.stringify(name)}: ${writeJson(example)}.${meaning}`;
}

function unexpectedValue(error: ErrorObject): Complaint {
  const allowed: readonly Json[] =
    error.keyword === 'const' ? [error.params['allowedValue']] : error.params['allowedValues'];
  return oneOf(
    error.data as Json,
    allowed.map((value) => JSON.stringify(value)),
    allowed.filter((value) => typeof value === 'string'),
  );
}

function noAlternative(error: ErrorObject): Complaint {
  const expected = error.schema as readonly string[];
  const texts = expected.filter((text) => text.startsWith('"')).map((text) => JSON.parse(text) as string);
  return { ...oneOf(error.data as Json, expected, texts), code: 'NO_ALTERNATIVE' };
}

function oneOf(value: Json, expected: readonly string[], texts: readonly string[]): Complaint {
  const nearest = typeof value === 'string' ? nearestName(value, texts) : undefined;
  const isOne = expected.length === 1;
  const message = `must be ${expected.length > 2 ? `one of: ${expected.join(', ')}` : expected.join(' or ')}`;
  return {
    code: 'UNEXPECTED_VALUE',
    message,
    repair:
      nearest === undefined ? (isOne ? `Write ${expected[0]}.` : 'Write one of these.') : `Did you mean "${nearest}"?`,
  };
}

function badValue(error: ErrorObject): Complaint {
  const description = error.parentSchema?.['description'];
  const rule = error.keyword === 'pattern' && typeof description === 'string' ? description : undefined;
  const said = [rule, sayExample(error)].filter((part) => part !== undefined);
  const repair = said.length === 0 ? adviseOn(error.keyword) : said.map(toSentence).join(' ');
  return { code: 'BAD_VALUE', message: badValueMessage(error), repair };
}

function adviseOn(keyword: string): string {
  switch (keyword) {
    case 'pattern':
      return 'Write a text that matches.';
    case 'format':
      return 'Write a text of that format.';
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return 'Write more.';
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
      return 'Write less.';
    case 'uniqueItems':
      return 'Take one of them away.';
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
    case 'multipleOf':
      return 'Write such a number.';
    default:
      return 'Write something else.';
  }
}

function toSentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}

/** A value that would pass, where the schema or its format has one to show. */
function sayExample({ keyword, params, parentSchema }: ErrorObject): string | undefined {
  const ofFormat = keyword === 'format' ? FORMAT_EXAMPLES[String(params['format'])] : undefined;
  const example = exampleOf(parentSchema ?? {}) ?? ofFormat;
  return example === undefined ? undefined : `Write for example ${writeJson(example)}.`;
}

/** What is wrong, without the value: it may be one that redaction hides from whoever reads this. */
function badValueMessage(error: ErrorObject): string {
  const limit = String(error.params['limit']);
  switch (error.keyword) {
    case 'pattern':
      return `must match ${String(error.params['pattern'])}`;
    case 'format':
      return `must be a ${String(error.params['format'])}`;
    case 'minLength':
      return limit === '1' ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `must have at most ${limit} characters`;
    case 'minItems':
      return limit === '1' ? 'must not be empty' : `must have at least ${limit} items`;
    case 'maxItems':
      return `must have at most ${limit} items`;
    case 'uniqueItems':
      return `items ${String(error.params['j'])} and ${String(error.params['i'])} are the same`;
    default:
      return error.message ?? `breaks the rule "${error.keyword}"`;
  }
}

function typeNames(types: string | readonly string[]): string {
  return (typeof types === 'string' ? [types] : types).map(typeName).join(' or ');
}

function typeName(type: string): string {
  if (type === 'null') return 'null';
  if (type === 'array') return 'a list';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return isList(value as Json) ? 'array' : typeof value;
}
