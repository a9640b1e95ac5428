import type { TransportFacts } from '../contract/source.js';
import { type FailedCall, isTransient } from '../core/protocol/failure.js';
import { boundWait, readRetryAfter } from './response-headers.js';
import { PART, readDuration, readMoment } from './told-moment.js';

/** A service names a wait near the beginning of its answer. */
const READ_BYTES_MAX = 65_536;

/**
 * How long a service asks to be left alone: by its headers (`Retry-After`), else, where the failure may pass, by its body:
 * a member such as `retryDelay` or `retry_after`, or a sentence such as `try again in 1m30s`; else by the limits of its rate
 * that are used up (`x-ratelimit-reset-*`). A quota of a day is not over within a minute, whatever its service says.
 * @param now in milliseconds since 1970
 * @param failed what the failure is, which a plugin may know by more than a status
 * @returns milliseconds from now; undefined where nothing says so
 */
export function readWait(
  { http_status = 0, response_headers = {}, body }: TransportFacts,
  now: number,
  failed: FailedCall = { failure_class: 'http_status', http_status },
): number | undefined {
  const said = readRetryAfter(response_headers, now);
  if (said !== undefined || !isTransient(failed)) return said;
  const text = new TextDecoder().decode(body?.subarray(0, READ_BYTES_MAX));
  const wait =
    readMember(text, now) ?? readSentence(text) ?? readLimits(response_headers, now) ?? readMoment(momentIn(text), now);
  if (http_status === TOO_MANY && OF_A_DAY.test(text) && (wait ?? 0) < MINUTE_MS) return DAILY_WAIT_MS;
  return wait === undefined ? undefined : boundWait(wait);
}

const TOO_MANY = 429;

/** Words of a quota that is counted by the day. */
const OF_A_DAY = /per[_ -]?day|\bdaily\b|\b[TR]PD\b/i;
const MINUTE_MS = 60_000;
const DAILY_WAIT_MS = 3_600_000;

/** Members that hold a wait: as a number of the unit, else as what a text may say. */
const MEMBERS: readonly { readonly name: RegExp; readonly unit_ms: number }[] = [
  { name: /"retry[_-]?(?:after|delay)[_-]?ms"\s*:\s*"?([\d.]{1,16})"?\s*[,}\]]/i, unit_ms: 1 },
  {
    name: /"(?:retry[_-]?(?:after|delay|in)|resets?[_-]?in|wait(?:[_-]?time)?|estimated_time)(?:[_-]?sec(?:ond)?s)?"\s*:\s*(?:\{\s*"seconds"\s*:\s*)?(?:"([^"]{1,64})"|([\d.]{1,16}))\s*[,}\]]/i,
    unit_ms: 1_000,
  },
];

function readMember(text: string, now: number): number | undefined {
  for (const { name, unit_ms } of MEMBERS) {
    const [, ...values] = name.exec(text) ?? [];
    const wait = readMoment(values.find((value) => value !== undefined) ?? '', now);
    if (wait !== undefined) return (wait * unit_ms) / 1_000;
  }
  return undefined;
}

const SENTENCE = new RegExp(
  `\\b(?:(?:try(?: again)?|retry|available(?: again)?|resets?|your request)\\s{1,4}(?:in|after|for)|wait(?:\\s{1,4}(?:for|at least|another))?)\\s{1,4}(?:(?:about|approximately|around)\\s{1,4})?((?:${PART}(?:(?![a-z])[\\s,]{0,2}|(?=\\d))){1,4})`,
  'i',
);

function readSentence(text: string): number | undefined {
  const said = SENTENCE.exec(text)?.[1];
  return said === undefined ? undefined : readDuration(said);
}

/** Only a limit of which nothing remains is waited for; the longest of several. */
function readLimits(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const resets = Object.entries(headers).flatMap(([name, value]) => {
    if (name === 'ratelimit') return LIMIT_USED_UP.exec(value)?.[1] ?? [];
    const isUsedUp = name.includes('remaining') && value.trim() === '0';
    const reset = name.replace('remaining', 'reset');
    return isUsedUp ? (headers[reset] ?? headers[`${reset}-after`] ?? []) : [];
  });
  const waits = resets.flatMap((reset) => readMoment(reset, now) ?? []);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

/** A limit in the header of the IETF's draft, in its older and its newer form: `remaining=0, reset=2`, `"burst";r=0;t=2`. */
const LIMIT_USED_UP = /(?:^|[\s;,])(?:remaining|r)=0\s*[;,]\s*(?:reset|t)=(\d{1,9})/i;

/** Of a router that passes a limit on within its body, or of a sentence: when it is reset. */
const MOMENTS: readonly RegExp[] = [
  /"(?:x-ratelimit-reset|resets?_?(?:at|time)|retry_?at)"\s*:\s*(?:"([^"]{1,64})"|(\d{13}|\d{10})\b)/i,
  /\b(?:try again|retry|resets?|available(?: again)?)\s{1,4}(?:at|after)\s{1,4}(\d{4}-[\dT:.-]{6,20}Z)/i,
];

function momentIn(text: string): string {
  return (
    MOMENTS.flatMap(
      (moment) =>
        moment
          .exec(text)
          ?.slice(1)
          .find((said) => said !== undefined) ?? [],
    )[0] ?? ''
  );
}
