import type { SourceFailureClass } from 'chukwa/plugin';

/** A status that is no success, with what came along. */
export interface Refusal {
  readonly http_status: number;
  readonly body: Uint8Array;
  readonly retry_after?: string | undefined;
}

/** The parts of a request that its failure names. */
export interface AskedOf {
  readonly method: string;
  /** The origin, and the path as the source writes it: values of the request and the URL's own path may be private. */
  readonly place: string;
  readonly url_variable: string;
  readonly keys: readonly string[];
}

/** Why a service did not answer, and the repair. */
export interface Refused {
  readonly failure_class: SourceFailureClass;
  readonly message: string;
}

/** Words of a service whose quota is used up: the same call would be refused again. */
const QUOTA =
  /insufficient[_ -]?(quota|balance|credit|funds)|exceeded your current quota|(quota|credits?) (is |are |has been )?(exhausted|used up)|(out of|not enough) credits|payment required/i;

/** Words of a rate limit, which may speak of quotas as well, but passes. */
const PASSES = /(try again|retry)[ _-]?(in|after|delay)|per (second|minute)/i;

const PAYMENT_REQUIRED = 402;

/** A gateway's answer leaves open what the service behind it did; it is never final. */
const REQUEST_TIMEOUT = 408;

/** The failure that a status means. */
export function readRefusal(refusal: Refusal, asked: AskedOf): Refused {
  const sentence = `${asked.method} ${asked.place} answered with status ${refusal.http_status}`;
  if (isQuota(refusal))
    return {
      failure_class: 'call_rejected',
      message: `${sentence}: its quota or credit is used up, and waiting does not help; paying or another key does`,
    };
  const repair = toRepair(refusal, asked);
  return { failure_class: 'http_status', message: repair === '' ? sentence : `${sentence}: ${repair}` };
}

function isQuota({ http_status, body, retry_after }: Refusal): boolean {
  if (http_status === PAYMENT_REQUIRED) return true;
  if (http_status < 400 || http_status >= 500 || http_status === REQUEST_TIMEOUT || retry_after !== undefined)
    return false;
  const text = new TextDecoder().decode(body);
  return QUOTA.test(text) && !PASSES.test(text);
}

type ToRepair = (asked: AskedOf) => string;

const REQUEST: ToRepair = () => 'it does not take this request; check the request_template, or the arguments schema';
const PLACE: ToRepair = ({ url_variable }) => `nothing is there; check path of the source, and ${url_variable}`;

const REPAIRS: Readonly<Record<number, ToRepair>> = {
  400: REQUEST,
  401: ({ keys }) => `it asks for authentication; ${toKeys(keys)}`,
  403: ({ keys }) => `it does not authorise this; ${toKeys(keys)}`,
  404: PLACE,
  405: ({ method }) => `it does not take ${method} there; check method and path of the source`,
  410: PLACE,
  415: () => 'it does not take JSON there; ask it where it does, or put a service before it that translates',
  422: REQUEST,
};

/** A Retry-After may be a date as well (RFC 9110, 10.2.3). */
const IS_SECONDS = /^\d{1,6}$/;

/** Statuses below 500 that may pass by themselves. No advice to try again: a side effect may be in doubt. */
const PASSING = [408, 425, 429];

function toRepair({ http_status, retry_after }: Refusal, asked: AskedOf): string {
  if (PASSING.includes(http_status) || http_status >= 500)
    return `this may pass${IS_SECONDS.test(retry_after ?? '') ? ` after ${retry_after} s` : ' by itself'}`;
  if (http_status < 400) return `redirects are not followed; set ${asked.url_variable} to where the service is`;
  return REPAIRS[http_status]?.(asked) ?? '';
}

function toKeys(keys: readonly string[]): string {
  return keys.length === 0 ? 'name a connection in the binding' : `check ${keys.join(', ')}`;
}
