import { setTimeout } from 'node:timers/promises';
import type { Json } from '../../../../contract/json.js';
import {
  askBare,
  askBareWith,
  askThrough,
  describeEnd,
  describeOutcome,
  shorten,
  toCorrelation,
  withExchange,
} from '../ask.js';
import { type PlayedExample, placeFiles } from '../examples.js';
import { answerAs, fillToken, hasPlaceholder, makeToken, type Respond, type SeenRequest } from '../server.js';
import { complainOf, type Rule, type Scene, soon, withoutServer } from '../rule.js';
import { canonicalText } from '../../../../core/content/canonical.js';
import { toJson } from '../../../../core/content/i-json.js';
import type { BareEnd } from '../../../../ports/plugin-bench.js';
import type { CallResult } from '../../../../ports/sources.js';

/** The pipeline passes a frozen request; where it is not frozen, it must be unchanged afterwards. */
export const inputs: Rule = {
  rule: 'inputs',
  sentence: 'It changes nothing that it is handed',
  needs: ['conformance'],
  repair: 'Make a new value instead of changing request or interface: { ...request, more }.',
  check: ({ bench, examples }) =>
    complainOf(examples, (example) =>
      withExchange(bench, { example }, async ({ session }) => {
        const token = makeToken();
        const request = structuredClone(fillToken(example.request, token));
        const definition = structuredClone(example.interface);
        const source = session.open(definition);
        await placeFiles(example, token);
        const loose = await askBareWith(source, request, { token });
        const strict = await askBareWith(source, freeze(structuredClone(fillToken(example.request, token))), { token });
        if (!isSame(request, fillToken(example.request, token))) return [`${example.name}: the request was changed`];
        if (!isSame(definition, example.interface)) return [`${example.name}: the interface was changed`];
        return loose.kind === 'answered' && strict.kind === 'threw'
          ? [`${example.name}: with a frozen request ${describeEnd(strict)}`]
          : [];
      }),
    ),
};

function isSame(left: Json, right: Json): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function freeze<Value extends Json>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  Object.values(value).forEach(freeze);
  return Object.freeze(value);
}

/** A pending call needs a correlation id; and without the author's permission no call may be pending. */
export const pending: Rule = {
  rule: 'pending',
  sentence: 'A call that is answered later sends its correlation id to the service',
  needs: ['answers'],
  repair: 'Send context.correlation_id along, and answer { pending: {...} } only to say that the answer comes later.',
  skips: (scene) => (listPending(scene).length === 0 ? 'no example says that its answer comes later' : undefined),
  check: (scene) =>
    complainOf(listPending(scene), (example) =>
      withExchange(scene.bench, { example }, async ({ session, seen }) => {
        const token = makeToken();
        await askThrough(scene.bench, session, example, { token });
        const hasSentId = example.server === undefined || JSON.stringify(seen).includes(toCorrelation(token));
        const outcome = await askThrough(scene.bench, session, { ...example, expect: { value: null } });
        const isRefused = outcome.status === 'failed' && outcome.failure_class === 'schema_invalid';
        const wanted = `where no answer may come later it should fail as schema_invalid, and ${describeOutcome(outcome)}`;
        return [
          ...(hasSentId ? [] : [`${example.name}: no request holds the correlation_id of its call`]),
          ...(isRefused ? [] : [`${example.name}: ${wanted}`]),
        ];
      }),
    ),
};

function listPending({ examples }: Scene): readonly PlayedExample[] {
  return examples.filter(({ expect }) => 'pending' in expect);
}

/** A request that bypasses the given fetch bypasses limits, credentials and records. */
export const wayOut: Rule = {
  rule: 'way_out',
  sentence: 'It connects only through the fetch that it is handed',
  needs: ['answers'],
  repair: 'Call capabilities.origin.fetch, and hand it to client libraries too.',
  skips: withoutServer,
  check: ({ bench, model }) =>
    withExchange(bench, { example: model }, async ({ session, seen }) => {
      await askBare(session.open(model.interface), model);
      const around = seen.length - session.countFetches();
      return around > 0 ? [`${around} of ${seen.length} requests went another way`] : [];
    }),
};

const REFUSES: readonly (readonly [string, Respond])[] = [
  ['a server that answers with status 500', (_, response) => void response.writeHead(500).end('{}')],
  ['a server that closes the connection', (_, response) => void response.destroy()],
];

/** A call is recorded as one request; a second one would be invisible. */
export const once: Rule = {
  rule: 'once',
  sentence: 'It asks once, and does not try again by itself',
  needs: ['inputs'],
  repair: 'Throw the failure at once, and set the retries of client libraries to none.',
  skips: withoutServer,
  check: ({ bench, model }) =>
    complainOf(REFUSES, ([name, respond]) =>
      withExchange(bench, { example: model, respond }, async ({ session, seen }) => {
        await askThrough(bench, session, model);
        const most = countMost(seen);
        return most > 1 ? [`${name} was sent the same request ${most} times`] : [];
      }),
    ),
};

function countMost(seen: readonly SeenRequest[]): number {
  const texts = seen.map(({ method, path, query, text }) => JSON.stringify([method, path, query, text]));
  return Math.max(0, ...texts.map((text) => texts.filter((other) => other === text).length));
}

const CALLS = 8;

/** Concurrent calls of one source, answered in the opposite order. */
export const concurrency: Rule = {
  rule: 'concurrency',
  sentence: "Calls at the same time do not get each other's answers",
  needs: ['answers'],
  repair: 'Keep nothing of one call where another can find it: no variables outside of invoke.',
  skips: (scene) =>
    findEcho(scene) === undefined ? 'no example has {{call}} in its request and in its value' : undefined,
  check: async (scene) => {
    const example = findEcho(scene) ?? scene.model;
    return withExchange(scene.bench, { example, respond: lastFirst(answerAs(example)) }, async ({ session }) => {
      const tokens = Array.from({ length: CALLS }, makeToken);
      const outcomes = await Promise.all(tokens.map((token) => askThrough(scene.bench, session, example, { token })));
      return outcomes.flatMap((outcome, index) => findDifference(example, outcome, tokens[index] ?? '') ?? []);
    });
  },
};

function findEcho({ examples }: Scene): PlayedExample | undefined {
  return examples.find(
    ({ request, expect }) => hasPlaceholder(request) && 'value' in expect && hasPlaceholder(expect.value),
  );
}

function lastFirst(respond: Respond): Respond {
  let count = 0;
  return async (request, response) => {
    count += 1;
    await setTimeout(Math.max(0, CALLS - count) * 10);
    return respond(request, response);
  };
}

/** A source without `close` has nothing to end. */
export const close: Rule = {
  rule: 'close',
  sentence: 'Closing it ends, and nothing can be asked of it afterwards',
  needs: ['answers'],
  repair: 'End what the source holds, once; afterwards throw failure("unavailable", ...).',
  check: ({ bench, model }) =>
    withExchange(bench, { example: model }, async ({ session }) => {
      const source = session.open(model.interface);
      if (!source.close) return [];
      await askBare(source, model);
      const complaints: string[] = [];
      for (const time of ['once', 'a second time']) {
        const closing = source.close().then(
          () => 'ended',
          (thrown: unknown) => `it threw ${String(thrown)}`,
        );
        const ended = (await soon(closing)) ?? 'it did not end';
        if (ended !== 'ended') complaints.push(`closed ${time}, ${ended}`);
      }
      const after = await soon(askBare(source, model));
      if (after?.kind !== 'threw')
        complaints.push(`asked after it was closed, it ${after ? 'answered' : 'did not end'}`);
      return complaints;
    }),
};

/** Each example is played through the pipeline and without it. */
export const answers: Rule = {
  rule: 'answers',
  sentence: 'JSON goes in and JSON comes out, as each example says',
  needs: ['inputs'],
  repair: 'Correct the plugin, or the expectation of the example in conformance.json.',
  check: ({ bench, examples }) =>
    complainOf(examples, async (example) => {
      const token = makeToken();
      const found = await withExchange(bench, { example }, ({ session }) =>
        askThrough(bench, session, example, { token }),
      );
      const bare = await withExchange(bench, { example }, async ({ session }) =>
        'value' in example.expect ? askBare(session.open(example.interface), example) : undefined,
      );
      const complaints = [
        findDifference(example, found, token),
        bare && findUnplain(bare, bench.manifest.speaks === 'chat'),
      ];
      return complaints.flatMap((text) => (text === undefined ? [] : [`${example.name}: ${text}`]));
    }),
};

/** The difference between an outcome and an example's expectation. */
export function findDifference({ expect }: PlayedExample, outcome: CallResult, token: string): string | undefined {
  if ('pending' in expect) {
    const alias = expect.pending.correlation_id;
    const wanted = alias === undefined ? undefined : fillToken(alias, token);
    if (outcome.status === 'pending' && outcome.correlation_alias === wanted) return undefined;
    const named = wanted === undefined ? '' : ` for ${JSON.stringify(wanted)}`;
    return `it should say that the answer comes later${named}, and ${describeOutcome(outcome)}`;
  }
  if (!('value' in expect)) {
    const isExpected = outcome.status === 'failed' && outcome.failure_class === expect.failure_class;
    return isExpected ? undefined : `it should fail as ${expect.failure_class}, and ${describeOutcome(outcome)}`;
  }
  const wanted = fillToken(expect.value, token);
  if (outcome.status === 'succeeded' && canonicalText(outcome.answer) === canonicalText(wanted)) return undefined;
  return `it should answer ${shorten(JSON.stringify(wanted))}, and ${describeOutcome(outcome)}`;
}

/** Values that the pipeline would normalise: dates, class instances, undefined members. */
function findUnplain(end: BareEnd, isChat: boolean): string | undefined {
  if (end.kind === 'threw') return `without the pipeline ${describeEnd(end)}`;
  const { answer } = end;
  if (typeof answer !== 'object' || answer === null || !('value' in answer)) return 'it answered without a value';
  const { value } = answer;
  const json = toJson(value);
  if (!json.ok) return `its value is not JSON: ${json.problem.reason} (at ${json.problem.pointer})`;
  if (!isPlain(json.value)) return 'its value holds objects that are not plain JSON, such as a Date';
  if (!isChat) return undefined;
  const text = (json.value as { readonly text?: Json } | null)?.text;
  return end.chunks.length > 0 && end.chunks.join('') !== text ? 'what it streamed is not what it answered' : undefined;
}

function isPlain(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(value).every(isPlain);
}
