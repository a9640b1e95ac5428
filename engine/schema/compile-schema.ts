import { Ajv2020, type ErrorObject, type Options } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Json, JsonObject } from '../contract/json.js';
import type { Outcome, Problem } from '../contract/problem.js';
import type { Validate } from '../core/workflow/program.js';
import type { CompileSchema } from '../ports/validation.js';
import { NO_ALTERNATIVE, withChosenAlternatives } from './alternatives.js';
import { checkSchema, DIALECT } from './check-schema.js';
import { withHints } from './hints.js';
import { compileLinearPattern } from './linear-pattern.js';
import { toProblems } from './to-problems.js';

type CompiledSchema = ReturnType<CompileSchema>;

/** Makes the compiler of authors' schemas. Each is compiled once, by its hash; nothing is ever fetched. */
export function createCompileSchema(): CompileSchema {
  const compiled = new Map<string, CompiledSchema>();
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
  return toValidate(newAjv(), schema);
}

function compileAuthored(schema: JsonObject, metaschema: Validate): CompiledSchema {
  const ajv = newAjv(linearPatterns);
  const findings = [...metaschema(schema), ...checkSchema(schema, new Set(Object.keys(ajv.formats)))];
  const problems = findings.filter((finding) => finding.severity !== 'note');
  const notes = findings.filter((finding) => finding.severity === 'note');
  if (problems.length > 0) return { ok: false, problems: findings };
  return { ...tryCompile(ajv, schema), notes };
}

function tryCompile(ajv: Ajv2020, schema: JsonObject): Outcome<Validate> {
  try {
    return { ok: true, value: toValidate(ajv, schema) };
  } catch (error) {
    return { ok: false, problems: [notCompilable((error as Error).message)] };
  }
}

function notCompilable(reason: string): Problem {
  const repair = 'Write it otherwise; the message says what cannot be understood.';
  return { code: 'SCHEMA_NOT_COMPILABLE', message: `this schema cannot be compiled: ${reason}`, pointer: '', repair };
}

function toValidate(ajv: Ajv2020, schema: JsonObject): Validate {
  const { $id: _, $schema: __, ...rest } = schema;
  const validate = ajv.compile(withHints(withChosenAlternatives(rest)));
  return (value) => (validate(value) ? [] : toProblems(validate.errors as ErrorObject[]));
}

type PatternEngine = NonNullable<NonNullable<Options['code']>['regExp']>;

/** Authors write the patterns, and models the texts: together they must not be able to stop the process. */
const linearPatterns: PatternEngine = Object.assign(
  (pattern: string) => {
    const compiled = compileLinearPattern(pattern);
    if (!compiled.ok) throw new Error(`${JSON.stringify(pattern)} cannot be matched in linear time`);
    return { ...compiled.pattern, toString: () => `/${pattern}/` };
  },
  { code: 'no code is ever written out' },
);

/** One for each schema, so that equal names never meet. Our own patterns are left to the built-in engine, which is faster. */
function newAjv(regExp?: PatternEngine): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: false,
    logger: false,
    meta: false,
    validateSchema: false,
    inlineRefs: false,
    // Every object inherits a `constructor`; no document has one unless it is written there.
    ownProperties: true,
    ...(regExp ? { code: { regExp } } : {}),
  });
  addFormats.default(ajv);
  boundUrls(ajv);
  ajv.addKeyword({ keyword: NO_ALTERNATIVE, schemaType: 'array', validate: () => false });
  return ajv;
}

/** Of all formats this one alone takes time that grows with the square of the text. */
function boundUrls(ajv: Ajv2020): void {
  const format = ajv.formats['url'];
  if (!(format instanceof RegExp))
    throw new Error('the format url is no pattern any more: see whether it is linear now');
  ajv.addFormat('url', { type: 'string', validate: (text) => text.length <= URL_CHARACTERS_MAX && format.test(text) });
}

const URL_CHARACTERS_MAX = 2048;

function createMetaschemaCheck(): Validate {
  const ajv = new Ajv2020({ allErrors: true, verbose: true, strict: false, logger: false });
  addFormats.default(ajv);
  return (schema: Json) => {
    const validate = ajv.getSchema(DIALECT);
    if (!validate) throw new Error('the metaschema is not there');
    return validate(schema) ? [] : toProblems(validate.errors as ErrorObject[]);
  };
}
