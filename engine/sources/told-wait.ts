import type { TransportFacts } from '../contract/source.js';
import { isTransient } from '../core/protocol/failure.js';
import { boundWait, readRetryAfter } from './response-headers.js';

/** A service names a wait near the beginning of its answer. */
const READ_BYTES_MAX = 65_536;

/**
 * How long a service asks to be left alone: by its headers (`Retry-After`), else, where its status says that the failure may
 * pass, by its body: a member such as `retryDelay` or `retry_after`, or a sentence such as `try again in 1m30s`; else by
 * the limits of its rate that are used up (`x-ratelimit-reset-*`). A quota of a day is not over within a minute, whatever
 * its service says.
 * @param now in milliseconds since 1970
 * @returns milliseconds from now; undefined where nothing says so
 */
export function readWait(
  { http_status = 0, response_headers = {}, body }: TransportFacts,
  now: number,
): number | undefined {
  const said = readRetryAfter(response_headers, now);
  if (said !== undefined || !isTransient({ failure_class: 'http_status', http_status })) return said;
  const text = new TextDecoder().decode(body?.subarray(0, READ_BYTES_MAX));
  const wait =
    readMember(text) ?? readSentence(text) ?? readReset(response_headers) ?? readEpoch(response_headers, text, now);
  if (http_status === TOO_MANY && OF_A_DAY.test(text) && (wait ?? 0) < MINUTE_MS) return DAILY_WAIT_MS;
  return wait === undefined ? undefined : boundWait(wait);
}

const TOO_MANY = 429;

/** Words of a quota that is counted by the day. */
const OF_A_DAY = /per[_ -]?day|\bdaily\b|\b[TR]PD\b/i;
const MINUTE_MS = 60_000;
const DAILY_WAIT_MS = 3_600_000;

/** Of a router that passes a limit on within its body, too: when it is reset, in seconds or milliseconds since 1970. */
const RESET_IN_BODY = /"x-ratelimit-reset"\s*:\s*"?(\d{10}|\d{13})\b/i;

function readEpoch(headers: Readonly<Record<string, string>>, text: string, now: number): number | undefined {
  const isUsedUp = headers['x-ratelimit-remaining'] === '0';
  const said = isUsedUp ? headers['x-ratelimit-reset'] : RESET_IN_BODY.exec(text)?.[1];
  if (said === undefined || !/^\d{1,13}$/.test(said)) return undefined;
  if (said.length < 10) return Number(said) * 1_000;
  return Math.max(0, Number(said) * (said.length === 13 ? 1 : 1_000) - now);
}

/** A number, and the duration that it is where no unit follows it. */
const MEMBERS: readonly { readonly name: RegExp; readonly unit_ms: number }[] = [
  { name: /"retry_?(?:after|delay)_?ms"\s*:\s*"?([\d.]{1,16})"?/i, unit_ms: 1 },
  { name: /"retry_?(?:after|delay)(?:_?seconds)?"\s*:\s*"?([\d.]{1,16}s?)"?/i, unit_ms: 1_000 },
  { name: /"retry_?delay"\s*:\s*\{\s*"seconds"\s*:\s*"?(\d{1,12})"?/i, unit_ms: 1_000 },
];

function readMember(text: string): number | undefined {
  for (const { name, unit_ms } of MEMBERS) {
    const amount = Number.parseFloat(name.exec(text)?.[1] ?? '');
    if (Number.isFinite(amount)) return amount * unit_ms;
  }
  return undefined;
}

const SENTENCE =
  /\b(?:try again|retry|wait)\s{1,4}(?:in|after|for)\s{1,4}((?:\d{1,9}(?:\.\d{1,9})?\s?(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|h|days?|d)(?![a-z])[\s,]{0,2}|\d{1,9}(?:\.\d{1,9})?(?:d|h|m)(?=\d)){1,4})/i;

function readSentence(text: string): number | undefined {
  const said = SENTENCE.exec(text)?.[1];
  return said === undefined ? undefined : readDuration(said);
}

/** The milliseconds of a unit, by its beginning: the first that fits is meant. */
const UNITS: readonly (readonly [begins: string, ms: number])[] = [
  ['ms', 1],
  ['mil', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
];

/** `1m30s`, `7.66s`, `200ms`, `2 minutes`; undefined where the text holds no duration. */
function readDuration(text: string): number | undefined {
  const parts = [...text.toLowerCase().matchAll(/(\d{1,9}(?:\.\d{1,9})?)\s?([a-z]+)/g)];
  if (parts.length === 0) return undefined;
  return parts.reduce((sum, [, amount, unit = '']) => {
    const [, ms] = UNITS.find(([begins]) => unit.startsWith(begins)) ?? ['', 0];
    return sum + Number(amount) * ms;
  }, 0);
}

/** Only a limit of which nothing remains is waited for; the longest of several. */
function readReset(headers: Readonly<Record<string, string>>): number | undefined {
  const waits = ['requests', 'tokens'].flatMap((limit) => {
    if (headers[`x-ratelimit-remaining-${limit}`] !== '0') return [];
    const reset = headers[`x-ratelimit-reset-${limit}`] ?? '';
    return readDuration(/^\d+(\.\d+)?$/.test(reset) ? `${reset}s` : reset) ?? [];
  });
  return waits.length === 0 ? undefined : Math.max(...waits);
}
