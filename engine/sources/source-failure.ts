import type { SourceFailureClass } from '../contract/failure-class.js';
import type { SourceFailure, TransportFacts } from '../contract/source.js';

/** How many causes deep a client library may bury the failure that it was given. */
const CAUSES_MAX = 8;

/** An Error, because client libraries wrap what they catch and only keep what is one. */
class ThrownSourceFailure extends Error implements SourceFailure {
  readonly source_failure = true;
  readonly failure_class: SourceFailureClass;
  readonly facts?: TransportFacts;

  constructor(failureClass: SourceFailureClass, message: string, facts?: TransportFacts) {
    super(message);
    this.name = 'SourceFailure';
    this.failure_class = failureClass;
    if (facts) this.facts = facts;
  }
}

/** Makes the failure that a plugin throws: `capabilities.failure`. */
export function makeSourceFailure(
  failureClass: SourceFailureClass,
  message: string,
  facts?: TransportFacts,
): SourceFailure {
  return new ThrownSourceFailure(failureClass, message, facts);
}

/** The failure of a call whose request its source cannot take. */
export function refuseRequest(reason: string): SourceFailure {
  return makeSourceFailure('schema_invalid', `the request cannot be sent: ${reason}`);
}

/** The source failure in what was thrown, or in one of its causes. */
export function findSourceFailure(thrown: unknown): SourceFailure | undefined {
  for (const cause of causesOf(thrown)) if (cause['source_failure'] === true) return cause as unknown as SourceFailure;
  return undefined;
}

/** The codes of what was thrown and of its causes, outermost first: `ECONNREFUSED`, `UND_ERR_SOCKET`. */
export function errorCodes(thrown: unknown): readonly string[] {
  return [...causesOf(thrown)].map(({ code }) => code).filter((code) => typeof code === 'string');
}

/** Lists an error and its causes, outermost first. */
function* causesOf(thrown: unknown): Iterable<Readonly<Record<string, unknown>>> {
  let cause = thrown;
  for (let depth = 0; depth < CAUSES_MAX && isObject(cause); depth += 1) {
    yield cause;
    cause = cause['cause'];
  }
}

/**
 * A thrown value and its causes, in a sentence. A parser's own words quote its input, and are not repeated. Any value
 * can be thrown, also one whose members cannot be read.
 */
export function describeThrown(thrown: unknown): string {
  try {
    return describeCauses(thrown);
  } catch {
    return 'something that cannot be looked at was thrown';
  }
}

function describeCauses(thrown: unknown): string {
  const errors = [...causesOf(thrown)].filter((cause) => cause instanceof Error);
  const sentences = errors.map((error) =>
    error instanceof SyntaxError ? 'what it read cannot be parsed' : error.message,
  );
  return sentences.length > 0 ? sentences.filter((sentence) => sentence !== '').join(': ') : String(thrown);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
