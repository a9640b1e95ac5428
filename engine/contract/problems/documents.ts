import { content } from './entry.js';
import { typeName, typeNames } from './phrases.js';

/** How many names or values one sentence shows, and how much of one that an author wrote. */
export const SHOWN_MAX = 100;
const TEXT_MAX = 400;

function cut(text: string): string {
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}...` : text;
}

function shown(texts: readonly string[], count = texts.length): readonly string[] {
  const rest = count > SHOWN_MAX ? [`and ${count - SHOWN_MAX} more`] : [];
  return [...texts.slice(0, SHOWN_MAX).map(cut), ...rest];
}

/** Whether a name may be shown depends on its place, which ends before one that is very long. */
function sayName(name: string): string {
  return name.length > TEXT_MAX ? `of ${name.length} characters` : JSON.stringify(name);
}

/** A member whose name is at fault, and not its value. */
export interface OfName {
  readonly name?: string | undefined;
}

function saySubject({ name }: OfName): string {
  return name === undefined ? '' : `the name ${sayName(name)} `;
}

/** A value that would pass, as JSON text, where the schema or its format has one to show. */
export interface Shown {
  readonly example?: string | undefined;
}

function sayExample(example: string): string {
  return cut(`Write for example ${example}.`);
}

export interface MissingMember extends Shown {
  readonly name: string;
  readonly description?: string | undefined;
}

function sayHowToAdd({ name, example, description }: MissingMember): string {
  if (example === undefined)
    return description === undefined ? `Add ${JSON.stringify(name)}.` : `Add it: ${description}`;
  return `Add it, such as ${JSON.stringify(name)}: ${example}.${description === undefined ? '' : ` ${description}`}`;
}

/** What may stand in a place. */
export interface OneOf extends OfName {
  readonly expected: readonly string[];
  /** Of all that is expected: very many are not all written out. */
  readonly count: number;
  readonly nearest: string | undefined;
  /** The value that was probably meant, as JSON text. */
  readonly meant?: string | undefined;
  readonly example?: string | undefined;
}

function sayOneOf({ expected, count }: OneOf): string {
  const listed = shown(expected, count);
  return `must be ${count > 2 ? `one of: ${listed.join(', ')}` : listed.join(' or ')}`;
}

function chooseOne({ expected, count, nearest, meant, example }: OneOf): string {
  if (nearest !== undefined) return `Did you mean "${nearest}"?`;
  if (count === 1) return `Write ${shown(expected, count)[0]}.`;
  if (meant !== undefined) return `Write ${cut(meant)}.`;
  return example === undefined ? 'Write one of these.' : `Write for example ${example}.`;
}

/** A rule that a value breaks: never the value, which redaction may hide from the reader. */
export interface BrokenRule extends OfName, Shown {
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** What the author says of the field, where that says the rule. */
  readonly description?: string | undefined;
  /** Whether a moment only lacks its offset: it looks right. */
  readonly lacks_offset: boolean;
  /** The words of the validator, for a rule without any here. */
  readonly otherwise: string | undefined;
}

interface RuleTexts {
  readonly message?: (rule: BrokenRule) => string;
  readonly advice: string;
}

const NUMBER_RULE: RuleTexts = { advice: 'Write such a number.' };

const RULES: Readonly<Record<string, RuleTexts>> = {
  pattern: { message: sayPattern, advice: 'Write such a text.' },
  not: { message: () => 'may not stand here', advice: 'Write something else.' },
  format: {
    message: ({ params, lacks_offset }) =>
      `must be a ${String(params['format'])}${lacks_offset ? ', and ends without Z or an offset such as +02:00' : ''}`,
    advice: 'Write a text of that format.',
  },
  minLength: { message: (rule) => sayLeast(rule, 'characters'), advice: 'Write more.' },
  maxLength: {
    message: ({ params }) => `must have at most ${String(params['limit'])} characters`,
    advice: 'Write less.',
  },
  minItems: { message: (rule) => sayLeast(rule, 'items'), advice: 'Write more.' },
  maxItems: { message: ({ params }) => `must have at most ${String(params['limit'])} items`, advice: 'Write less.' },
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

function ruleOf(keyword: string): RuleTexts {
  return (Object.hasOwn(RULES, keyword) ? RULES[keyword] : undefined) ?? { advice: 'Write something else.' };
}

function sayLeast({ params }: BrokenRule, what: string): string {
  const limit = String(params['limit']);
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
function sayPattern({ params, description }: BrokenRule): string {
  const pattern = String(params['pattern']);
  const isDescribed = description !== undefined && pattern.length > PATTERN_READ_MAX;
  const said = Object.hasOwn(SAID, pattern) ? SAID[pattern] : undefined;
  return said ?? (isDescribed ? 'is not written as this field wants it' : `must match ${cut(pattern)}`);
}

function toSentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}

/** Violations of a document's schema. */
export const DOCUMENT_PROBLEMS = {
  MISSING_FIELD: content<MissingMember>({
    message: ({ name }) => `the field "${cut(name)}" is missing`,
    repair: (facts) => cut(sayHowToAdd(facts)),
    example: { name: 'goal', example: '"Find the key."' },
  }),
  UNKNOWN_FIELD: content<{
    readonly name: string;
    readonly nearest: string | undefined;
    readonly known: readonly string[];
  }>({
    message: ({ name }) => `${name.length > TEXT_MAX ? 'a name ' : ''}${sayName(name)} is not a field here`,
    repair: ({ nearest, known }) =>
      nearest === undefined ? `Known here: ${shown(known).join(', ') || 'nothing'}.` : `Did you mean "${nearest}"?`,
    example: { name: 'gaol', nearest: 'goal', known: ['goal', 'memory'] },
  }),
  WRONG_TYPE: content<
    OfName &
      Shown & {
        readonly types: readonly string[];
        readonly found: string;
      }
  >({
    meaning: 'A value has the wrong type.',
    message: (facts) => `${saySubject(facts)}must be ${typeNames(facts.types)}, not ${typeName(facts.found)}`,
    repair: ({ types, example }) => (example === undefined ? `Write ${typeNames(types)}.` : sayExample(example)),
    example: { types: ['integer'], found: 'string', example: '3' },
  }),
  UNEXPECTED_VALUE: content<OneOf | OfName>({
    meaning: 'A value is not allowed here.',
    message: (facts) => `${saySubject(facts)}${'expected' in facts ? sayOneOf(facts) : 'nothing may stand here'}`,
    repair: (facts) => ('expected' in facts ? chooseOne(facts) : 'Remove it.'),
    example: { expected: ['"agent"', '"prop"'], count: 2, nearest: 'agent' },
  }),
  BAD_VALUE: content<BrokenRule>({
    meaning: 'A value breaks a rule, such as a pattern or a limit.',
    message: (rule) =>
      `${saySubject(rule)}${ruleOf(rule.keyword).message?.(rule) ?? rule.otherwise ?? `breaks the rule "${rule.keyword}"`}`,
    repair: ({ keyword, description, example }) => {
      const said = [description, example && sayExample(example)].filter((part) => part !== undefined);
      return said.length === 0 ? ruleOf(keyword).advice : said.map((part) => toSentence(cut(part))).join(' ');
    },
    example: { keyword: 'maxLength', params: { limit: 64 }, lacks_offset: false, otherwise: undefined },
  }),
  NO_ALTERNATIVE: content<
    | OneOf
    | {
        readonly messages: readonly string[];
        /** How many more alternatives complain. */
        readonly more: number;
      }
  >({
    meaning: 'A value fits none of the allowed forms.',
    message: (facts) => {
      if ('expected' in facts) return `${saySubject(facts)}${sayOneOf(facts)}`;
      const more = facts.more > 0 ? [`${facts.more} more alternatives`] : [];
      return [...new Set(facts.messages), ...more].join(', or ');
    },
    repair: (facts) => ('expected' in facts ? chooseOne(facts) : 'Write one of these.'),
    example: { messages: ['must be a string, not an integer', 'must be null, not an integer'], more: 0 },
  }),
  TOO_MANY_PROBLEMS: content({
    message: ({ listed }) => `there are more problems than the ${listed} that are listed`,
    repair: 'Correct the others first.',
    example: { listed: 200 },
  }),
};
