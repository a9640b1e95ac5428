import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Json, JsonObject } from '../contract/json.js';
import type { Problem } from '../contract/problem.js';
import type { ProblemCode } from '../contract/problems/index.js';
import { appendToken, isList, isObject } from '../core/content/json-pointer.js';
import { listProblems, PROBLEMS_MAX } from '../core/content/listed-problems.js';
import { nearestName } from '../core/content/nearest-name.js';
import { NO_ALTERNATIVE } from './alternatives.js';
import { exampleOf, FORMAT_EXAMPLES, writeJson } from './hints.js';
import { writtenKeyword } from './linear-keywords.js';

/** A validator with more complaints stops looking: several complaints may give one problem. */
export const COMPLAINTS_MAX = PROBLEMS_MAX * 5;

/** The complaints of a validator, as sentences at their places. */
export function toProblems(errors: readonly ErrorObject[]): readonly Problem[] {
  const looked = errors.slice(0, countWithinRoom(errors));
  return listProblems(listFirst(foldAlternatives(looked)), errors.length === looked.length);
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
  const more = error.length > SHOWN_MAX ? [`${error.length - SHOWN_MAX} more alternatives`] : [];
  const message = [...new Set(parts.map((part) => part.message)), ...more].join(', or ');
  return [
    { code: 'NO_ALTERNATIVE', message, pointer: within(error[0]?.instancePath ?? ''), repair: 'Write one of these.' },
  ];
}

function toSingleProblem(error: ErrorObject): readonly Problem[] {
  const complaint = complain(error);
  if (!complaint) return [];
  const isName = error.propertyName !== undefined && complaint.member === undefined;
  const member = isName ? error.propertyName : complaint.member;
  const pointer = within(member === undefined ? error.instancePath : appendToken(error.instancePath, member));
  const { code, repair } = complaint;
  const message = isName ? `the name ${sayName(member ?? '')} ${complaint.message}` : complaint.message;
  return [{ code, message, pointer, repair }];
}

interface Complaint {
  readonly code: ProblemCode;
  readonly message: string;
  readonly repair: string;
  /** The member at fault, where it is one below the place. */
  readonly member?: string | undefined;
}

function complain(error: ErrorObject): Complaint | undefined {
  switch (writtenKeyword(error.keyword)) {
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
      return { code: 'UNEXPECTED_VALUE', message: 'nothing may stand here', repair: 'Remove it.' };
    default:
      return badValue(error);
  }
}

function unknownField(error: ErrorObject, name: string): Complaint {
  const known = Object.keys((error.parentSchema?.['properties'] ?? {}) as object);
  const nearest = nearestName(name, known);
  const repair =
    nearest === undefined ? `Known here: ${shown(known).join(', ') || 'nothing'}.` : `Did you mean "${nearest}"?`;
  return {
    code: 'UNKNOWN_FIELD',
    message: `${name.length > TEXT_MAX ? 'a name ' : ''}${sayName(name)} is not a field here`,
    repair,
    member: name,
  };
}

function missingField(error: ErrorObject, name: string): Complaint {
  const properties = (error.parentSchema?.['properties'] ?? {}) as Readonly<Record<string, JsonObject>>;
  const member = Object.hasOwn(properties, name) ? properties[name] : undefined;
  const repair = (member === undefined ? undefined : sayHowToAdd(name, member)) ?? `Add ${JSON.stringify(name)}.`;
  return { code: 'MISSING_FIELD', message: `the field "${cut(name)}" is missing`, repair: cut(repair) };
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
    allowed.slice(0, SHOWN_MAX + 1).map((value) => JSON.stringify(value)),
    allowed.filter((value) => typeof value === 'string'),
    allowed.length,
  );
}

/** Several fixed values of one alternative are given together. */
const ONE_TEXT = /^"(?:[^"\\]|\\.)*"$/;

function noAlternative(error: ErrorObject): Complaint {
  const expected = error.schema as readonly string[];
  const texts = expected.filter((text) => ONE_TEXT.test(text)).map((text) => JSON.parse(text) as string);
  const example = exampleOf(error.parentSchema ?? {});
  const advice = example === undefined ? undefined : sayMeant(error.data as Json, example);
  return { ...oneOf(error.data as Json, expected, texts, expected.length, advice), code: 'NO_ALTERNATIVE' };
}

/** A bare text in place of an object with one text, such as a path, has probably been meant as that text. */
function sayMeant(value: Json, example: Json): string {
  const [member, ...more] = isObject(example) ? Object.keys(example) : [];
  const isBare = typeof value === 'string' && member !== undefined && more.length === 0;
  return isBare ? `Write ${cut(writeJson({ [member]: value }))}.` : `Write for example ${writeJson(example)}.`;
}

/** @param count of all that is expected: very many are not all written out */
function oneOf(
  value: Json,
  expected: readonly string[],
  texts: readonly string[],
  count: number,
  advice = 'Write one of these.',
): Complaint {
  const nearest = typeof value === 'string' ? nearestName(value, texts) : undefined;
  const isOne = count === 1;
  const listed = shown(expected, count);
  const message = `must be ${count > 2 ? `one of: ${listed.join(', ')}` : listed.join(' or ')}`;
  return {
    code: 'UNEXPECTED_VALUE',
    message,
    repair: nearest === undefined ? (isOne ? `Write ${listed[0]}.` : advice) : `Did you mean "${nearest}"?`,
  };
}

function badValue(error: ErrorObject): Complaint {
  const description = error.parentSchema?.['description'];
  const hasRule = error.keyword === 'pattern' || error.keyword === 'not';
  const rule = hasRule && typeof description === 'string' ? description : undefined;
  const said = [rule, sayExample(error)].filter((part) => part !== undefined);
  const keyword = writtenKeyword(error.keyword);
  const texts = Object.hasOwn(RULES, keyword) ? RULES[keyword] : undefined;
  const advice = texts?.advice ?? 'Write something else.';
  const repair = said.length === 0 ? advice : said.map((part) => toSentence(cut(part))).join(' ');
  const message = texts?.message?.(error, String(error.params['limit'])) ?? error.message;
  return { code: 'BAD_VALUE', message: message ?? `breaks the rule "${error.keyword}"`, repair };
}

/** How many names or values one sentence shows, and how much of one that an author wrote. */
const SHOWN_MAX = 100;
const TEXT_MAX = 400;

function shown(texts: readonly string[], count = texts.length): readonly string[] {
  const rest = count > SHOWN_MAX ? [`and ${count - SHOWN_MAX} more`] : [];
  return [...texts.slice(0, SHOWN_MAX).map(cut), ...rest];
}

/** A pointer through names of very many characters ends before them. */
const POINTER_MAX = 4096;

function within(pointer: string): string {
  if (pointer.length <= POINTER_MAX) return pointer;
  const start = pointer.slice(0, POINTER_MAX);
  return start.slice(0, start.lastIndexOf('/'));
}

/** Whether a name may be shown depends on its place, which ends before one that is very long. */
function sayName(name: string): string {
  return name.length > TEXT_MAX ? `of ${name.length} characters` : JSON.stringify(name);
}

function cut(text: string): string {
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}...` : text;
}

function toSentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}

/** A moment without an offset looks right, so the message names the part that it lacks. */
function sayFormat({ params, data }: ErrorObject): string {
  const format = String(params['format']);
  const lacksOffset = format === 'date-time' && /^\d{4}-\d\d-\d\d[T ][\d:.]+$/.test(String(data));
  return `must be a ${format}${lacksOffset ? ', and ends without Z or an offset such as +02:00' : ''}`;
}

/** A value that would pass, where the schema or its format has one to show. */
function sayExample({ keyword, params, parentSchema }: ErrorObject): string | undefined {
  const ofFormat = keyword === 'format' ? FORMAT_EXAMPLES[String(params['format'])] : undefined;
  const example = exampleOf(parentSchema ?? {}) ?? ofFormat;
  return example === undefined ? undefined : cut(`Write for example ${writeJson(example)}.`);
}

/** The texts about a value that breaks a rule: never the value, which redaction may hide from their reader. */
interface RuleTexts {
  readonly message?: (error: ErrorObject, limit: string) => string;
  readonly advice: string;
}

const NUMBER_RULE: RuleTexts = { advice: 'Write such a number.' };

const RULES: Readonly<Record<string, RuleTexts>> = {
  pattern: {
    message: ({ params, parentSchema }) => sayPattern(String(params['pattern']), parentSchema?.['description']),
    advice: 'Write such a text.',
  },
  not: { message: () => 'may not stand here', advice: 'Write something else.' },
  format: { message: sayFormat, advice: 'Write a text of that format.' },
  minLength: { message: (_, limit) => sayLeast(limit, 'characters'), advice: 'Write more.' },
  maxLength: { message: (_, limit) => `must have at most ${limit} characters`, advice: 'Write less.' },
  minItems: { message: (_, limit) => sayLeast(limit, 'items'), advice: 'Write more.' },
  maxItems: { message: (_, limit) => `must have at most ${limit} items`, advice: 'Write less.' },
  minProperties: { advice: 'Write more.' },
  maxProperties: { advice: 'Write less.' },
  uniqueItems: {
    message: ({ params }) => `items ${String(params['j'])} and ${String(params['i'])} are the same`,
    advice: 'Remove one of them.',
  },
  minimum: NUMBER_RULE,
  maximum: NUMBER_RULE,
  exclusiveMinimum: NUMBER_RULE,
  exclusiveMaximum: NUMBER_RULE,
  multipleOf: NUMBER_RULE,
};

function sayLeast(limit: string, what: string): string {
  return limit === '1' ? 'must not be empty' : `must have at least ${limit} ${what}`;
}

/** The longest pattern that a person reads at a glance. */
const PATTERN_READ_MAX = 60;

/** Patterns of documents, in plain words. */
const SAID: Readonly<Record<string, string>> = {
  '^[a-z0-9]+([_-][a-z0-9]+)*$': 'must be lower-case letters and digits, joined by single hyphens or underscores',
  '^[a-z0-9_-]+([.][a-z0-9_-]+)*$': 'must be lower-case letters, digits, _ and -, in parts joined by dots',
  '^[a-z][a-z0-9_]{0,63}$': 'must be lower-case letters, digits and _, with a letter first',
  '^[A-Z][A-Z0-9_]{0,127}$': 'must be the name of a variable: capital letters, digits and _',
  '^[0-9a-f]{64}$': 'must be a hash: 64 characters of 0-9 and a-f',
  '^[1-9][0-9]*$': 'must be a number from 1 on',
  '^([1-9][0-9]*|\\*)$': 'must be a number from 1 on, or *',
};

/** A pattern that cannot be read at a glance is left to its description. */
function sayPattern(pattern: string, description: unknown): string {
  const said = Object.hasOwn(SAID, pattern) ? SAID[pattern] : undefined;
  const isDescribed = typeof description === 'string' && pattern.length > PATTERN_READ_MAX;
  return said ?? (isDescribed ? 'is not written as this field wants it' : `must match ${cut(pattern)}`);
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
