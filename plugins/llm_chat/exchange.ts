import type { Capabilities, OriginFetch, SourceFailure, TransportFacts } from 'chukwa/plugin';
import { type AskedOf, readRefusal } from './answer.js';
import { toSentHeaders } from './request.js';

/** What is kept of a body that is no answer. */
const BODY_BYTES_MAX = 65_536;

/** One request and what the wire showed of its response, beside the client, which wraps and drops what it is told. */
export interface Exchange {
  readonly fetch: OriginFetch;
  readonly facts: () => TransportFacts | undefined;
  /** The failure that the client was given in place of a response. */
  readonly failure: () => SourceFailure | undefined;
}

/** Opens the exchange of one call: refuses every response that cannot begin a stream. */
export function openExchange(fetch: OriginFetch, makeFailure: Capabilities['failure'], asked: AskedOf): Exchange {
  let facts: TransportFacts | undefined;
  let failure: SourceFailure | undefined;
  const exchange = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await fetch(url, { ...init, headers: toSentHeaders(init?.headers) });
    facts = factsOf(response);
    if (isStream(response)) return response;
    facts = { ...facts, ...(await readBody(response)) };
    throw failureOf(response, facts);
  };
  const failureOf = (response: Response, seen: TransportFacts): SourceFailure => {
    const text = new TextDecoder().decode(seen.body);
    const quote = (said: string): string => asked.quote(said, seen.is_body_cut ? 'cut' : 'whole');
    if (response.ok) return makeFailure('transport', describeNoStream(response), seen);
    const retry_after = response.headers.get('retry-after');
    const refusal = readRefusal(response.status, text, {
      ...asked,
      quote,
      ...(retry_after === null ? {} : { retry_after }),
    });
    return makeFailure(refusal.failure_class, refusal.message, seen);
  };
  return {
    fetch: (url, init) =>
      exchange(url, init).catch((thrown: unknown) => {
        if (isSourceFailure(thrown)) failure = thrown;
        throw thrown;
      }),
    facts: () => facts,
    failure: () => failure,
  };
}

export function isSourceFailure(thrown: unknown): thrown is SourceFailure {
  return typeof thrown === 'object' && thrown !== null && 'source_failure' in thrown;
}

function factsOf(response: Response): TransportFacts {
  return { http_status: response.status, response_headers: Object.fromEntries(response.headers.entries()) };
}

/** A server that says nothing of its content is believed. */
function isStream(response: Response): boolean {
  const type = response.headers.get('content-type');
  return response.ok && (type === null || type.toLowerCase().startsWith('text/event-stream'));
}

function describeNoStream(response: Response): string {
  return `the endpoint answered without a stream (${response.headers.get('content-type')}): does its base URL lead to an OpenAI-compatible API?`;
}

/** As much of a body as says why. One that breaks off still leaves the status to be told. */
async function readBody(response: Response): Promise<Required<Pick<TransportFacts, 'body' | 'is_body_cut'>>> {
  const body = new Uint8Array(BODY_BYTES_MAX);
  let length = 0;
  let isCut = true;
  try {
    // Leaving the loop hangs up.
    for await (const piece of response.body ?? []) {
      const part = (piece as Uint8Array).subarray(0, BODY_BYTES_MAX - length);
      body.set(part, length);
      length += part.length;
      if (length === BODY_BYTES_MAX) break;
    }
    isCut = length === BODY_BYTES_MAX;
  } catch {
    // What arrived before is kept.
  }
  return { body: body.slice(0, length), is_body_cut: isCut };
}
