import type { Json } from '../../../../contract/json.js';
import { canonicalText } from '../../../../core/content/canonical.js';
import { toJson } from '../../../../core/content/i-json.js';
import type { Example } from '../../../../generated/plugin-conformance.js';
import type { BareEnd } from '../../../../ports/plugin-bench.js';
import type { CallResult } from '../../../../ports/sources.js';
import { askBare, askThrough, withExchange } from '../ask.js';
import { describeEnd, describeOutcome, shorten } from '../describe.js';
import { fillToken, makeToken } from '../placeholders.js';
import { complainOf, type Rule } from '../rule.js';

/** Each example is played through the pipeline and without it. */
export const answers: Rule = {
  rule: 'answers',
  sentence: 'JSON goes in and JSON comes out, as each example says',
  needs: ['inputs'],
  repair: 'Mend the plugin, or what the example in conformance.json expects.',
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
export function findDifference({ expect }: Example, outcome: CallResult, token: string): string | undefined {
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
