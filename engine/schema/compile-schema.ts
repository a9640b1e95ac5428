import type { AddedFormat } from 'ajv/dist/types/index.js';
import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Json, JsonObject } from '../contract/json.js';
import { type Outcome, problem, refuse } from '../contract/problem.js';
import { isError } from '../core/protocol/document-problem.js';
import type { Validate } from '../core/protocol/program.js';
import type { CompileSchema } from '../ports/validation.js';
import { NO_ALTERNATIVE, withChosenAlternatives } from './alternatives.js';
import { checkRequired, checkSchema, checkSize, DIALECT, withKnownKeywords } from './check-schema.js';
import { withHints } from './hints.js';
import { addLinearKeywords, withLinearKeywords } from './linear-keywords.js';
import { compileLinearPattern } from './linear-pattern.js';
import { addStepKeyword, isOfContained, StepCounter, STEPS_MAX, StepsSpent, withSteps } from './steps.js';
import { COMPLAINTS_MAX, toProblems } from './to-problems.js';

/** Makes the compiler of authors' schemas. Each is compiled once, by its hash; nothing is ever fetched. */
export function createCompileSchema(): CompileSchema {
  const compiled = new Map<string, ReturnType<CompileSchema>>();
  const metaschema = createMetaschemaCheck();
  return (hash, schema) => {
    const known = compiled.get(hash);
    if (known) return known;
    const result = compileAuthored(schema, metaschema);
    compiled.set(hash, result);
    return result;
  };
}

/** Compiles a schema of our own. @throws Error where it is not sound: that is a bug */
export function compileShipped(schema: JsonObject): Validate {
  return toValidate(schema, {});
}

function compileAuthored(schema: JsonObject, metaschema: Validate): ReturnType<CompileSchema> {
  // A schema of too many characters is not even held against the metaschema.
  const tooLarge = checkSize(schema);
  const found = tooLarge.length > 0 ? tooLarge : [...metaschema(schema), ...checkSchema(schema, FORMATS)];
  const findings = found.some(isError) ? found : [...found, ...checkRequired(schema)];
  const problems = findings.filter(isError);
  const notes = findings.filter((finding) => finding.severity === 'note');
  if (problems.length > 0) return refuse(...findings);
  return { ...tryCompile(schema), notes };
}

function tryCompile(schema: JsonObject): Outcome<Validate> {
  try {
    return {
      ok: true,
      value: toValidate(withKnownKeywords(schema), { steps_max: STEPS_MAX, patterns: linearPatterns }),
    };
  } catch (error) {
    const facts = { reason: (error as Error).message };
    return refuse(problem('SCHEMA_NOT_COMPILABLE', facts, { pointer: '' }));
  }
}

interface Bounds {
  /** The most steps that one check may take; left out for our own schemas, which take linear time. */
  readonly steps_max?: number;
  readonly patterns?: PatternEngine;
}

/**
 * A value that fits is looked at once, and nothing is gathered. Of one that does not, a second validator gathers what is
 * wrong, until there is enough of it.
 */
function toValidate(schema: JsonObject, { steps_max = Number.POSITIVE_INFINITY, patterns }: Bounds): Validate {
  const { $id: _, $schema: __, ...rest } = schema;
  const counter = new StepCounter();
  const meant = withHints(withLinearKeywords(withChosenAlternatives(rest)));
  const make = (allErrors: boolean): ValidateFunction =>
    newAjv(counter, allErrors, patterns?.(counter)).compile(withSteps(meant, allErrors));
  let check = make(false);
  let explain: ValidateFunction | undefined;
  return (value) => {
    let found = run(check, value, counter, steps_max);
    if (found === 'too deep') {
      check = explain ??= make(true);
      found = run(check, value, counter, steps_max);
    }
    if (found === 'broken') return [problem('CHECK_BROKEN', undefined, { pointer: '' })];
    if (typeof found === 'string') return [problem('CHECK_TOO_COSTLY', { steps_max }, { pointer: '' })];
    if (found.length === 0) return [];
    explain ??= make(true);
    const gathered = run(explain, value, counter, steps_max);
    return toProblems(typeof gathered === 'string' ? found.filter((one) => !isOfContained(one)) : gathered);
  };
}

/**
 * Why a value was not checked. The validator's own code is `broken` for some schemas of authors: where `unevaluatedProperties`
 * meets alternatives, it writes to what is not there.
 */
type Unchecked = 'too costly' | 'too deep' | 'broken';

/**
 * The complaints of a validator, or why it has none. One that stops at the first complaint holds each rule within the
 * one before it: of a schema of very many rules it is nested too deeply to run, and the one that gathers all is not.
 */
function run(
  validate: ValidateFunction,
  value: Json,
  counter: StepCounter,
  stepsMax: number,
): readonly ErrorObject[] | Unchecked {
  counter.left = stepsMax;
  try {
    return validate(value) ? [] : (validate.errors as ErrorObject[]);
  } catch (error) {
    if (error instanceof StepsSpent) return 'too costly';
    if (error instanceof RangeError) return 'too deep';
    if (stepsMax === Number.POSITIVE_INFINITY) throw error;
    return 'broken';
  } finally {
    // The last complaints hold on to the value.
    validate.errors = null;
  }
}

type AjvPatterns = NonNullable<NonNullable<Options['code']>['regExp']>;
type PatternEngine = (counter: StepCounter) => AjvPatterns;

/** Authors write the patterns, and models the texts: together they must not be able to stop the process. */
const linearPatterns: PatternEngine = (counter) =>
  Object.assign(
    (pattern: string) => {
      const compiled = compileLinearPattern(pattern);
      if (!compiled.ok) throw new Error(`${JSON.stringify(pattern)} cannot be matched in linear time`);
      const { test, size } = compiled.pattern;
      const steps = 1 + Math.ceil(size / INSTRUCTIONS_A_STEP);
      const counted = (text: string): boolean => {
        counter.spend(STEPS_A_MATCH + text.length * steps);
        return test(text);
      };
      return { test: counted, toString: () => `/${pattern}/` };
    },
    { code: 'no code is ever written out' },
  );

/** The cost of matching, for each character of the text: of the worst patterns an instruction takes 30 to 40 ns. */
const INSTRUCTIONS_A_STEP = 4;
const STEPS_A_MATCH = 10;

/** One for each schema, so that equal names never meet. Our own patterns are left to the built-in engine, which is faster. */
function newAjv(counter: StepCounter, allErrors: boolean, regExp?: AjvPatterns): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors,
    verbose: true,
    strict: false,
    logger: false,
    meta: false,
    validateSchema: false,
    inlineRefs: false,
    // Every object inherits a `constructor`; no document has one unless it is written there.
    ownProperties: true,
    // Optimising takes the square of the schema's size, and so does finding the names of blocks within blocks.
    code: { optimize: false, es5: true, ...(regExp ? { regExp } : {}) },
  });
  addFormats.default(ajv);
  for (const [name, format] of Object.entries(ajv.formats)) countFormat(ajv, name, format, counter);
  ajv.addKeyword({ keyword: NO_ALTERNATIVE, schemaType: 'array', validate: () => false });
  addLinearKeywords(ajv, counter);
  addStepKeyword(ajv, { counter, complaints_max: COMPLAINTS_MAX });
  return ajv;
}

/** Formats of texts take steps too. Of all of them `url` alone takes time that grows with the square of the text. */
function countFormat(ajv: Ajv2020, name: string, format: AddedFormat | undefined, counter: StepCounter): void {
  const test = toTest(format);
  if (test === undefined) return;
  const isSquare = name === 'url';
  ajv.addFormat(name, {
    type: 'string',
    validate: (text) => {
      if (isSquare && text.length > URL_CHARACTERS_MAX) return false;
      counter.spend(text.length * (isSquare ? 4 + (text.length >> 4) : 4));
      return test(text);
    },
  });
}

/** @returns undefined for formats of numbers, and for those that accept everything */
function toTest(format: AddedFormat | undefined): ((text: string) => boolean) | undefined {
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === 'function') return format;
  if (typeof format !== 'object' || format.type === 'number' || format.async === true) return undefined;
  const { validate } = format;
  if (typeof validate === 'function') return validate as (text: string) => boolean;
  return toTest(validate as AddedFormat);
}

const URL_CHARACTERS_MAX = 2048;

/** Of a longer schema that breaks the metaschema, the first fault is reported only: to gather all takes the square of them. */
const GATHERED_CHARACTERS_MAX = 32_768;

function createMetaschemaCheck(): Validate {
  const first = metaschemaOf(false);
  const all = metaschemaOf(true);
  return (schema: Json) => {
    const check = first();
    if (check(schema)) return [];
    if (JSON.stringify(schema).length > GATHERED_CHARACTERS_MAX) return toProblems(check.errors as ErrorObject[]);
    const gather = all();
    return gather(schema) ? [] : toProblems(gather.errors as ErrorObject[]);
  };
}

/** Compiled when it is first needed. */
function metaschemaOf(allErrors: boolean): () => ValidateFunction {
  const ajv = new Ajv2020({ allErrors, verbose: true, strict: false, logger: false });
  addFormats.default(ajv);
  return () => {
    const validate = ajv.getSchema(DIALECT);
    if (!validate) throw new Error('the metaschema is not there');
    return validate;
  };
}

const FORMATS: ReadonlySet<string> = new Set(Object.keys(addFormats.default(new Ajv2020()).formats));
