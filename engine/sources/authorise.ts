import type { Identity } from '../contract/source.js';
import type { InvocationKind } from '../core/protocol/command.js';
import type { EffectClass } from '../core/protocol/program.js';
import { shorten } from '../core/content/shorten.js';
import { runOperatorCommand } from './operator-command.js';

/** A call that somebody wants to make: what the operator's authorisation is asked. */
export interface AuthorisationQuestion extends Identity {
  readonly action: 'tool.execute';
  readonly tool: {
    /** The name of the tool, or the id of another binding. */
    readonly id: string;
    readonly kind: InvocationKind;
    readonly effect: EffectClass;
    readonly source: string;
    /** The id of its connection, where it has one. */
    readonly connection?: string;
  };
  readonly client_request_id: string;
}

export type Authorisation = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

/** Whether those for whom a call is made may make it; or why not. */
export type Authorise = (question: AuthorisationQuestion, signal: AbortSignal) => Promise<Authorisation>;

/** How long an answer may take. */
const ANSWER_MS_MAX = 5_000;
const ANSWER_BYTES_MAX = 65_536;
const REASON_LENGTH_MAX = 400;

/** Asks, and takes no answer, a late one or an unusable one for a no. */
export async function withinTime(
  ask: Authorise,
  question: AuthorisationQuestion,
  patience_ms = ANSWER_MS_MAX,
): Promise<Authorisation> {
  const limit = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`it did not answer within ${patience_ms} ms`));
      limit.abort();
    }, patience_ms);
  });
  try {
    return readAnswer(await Promise.race([ask(question, limit.signal), late]));
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it failed';
    const reason = `the operator's authorisation could not be asked: ${shorten(why, REASON_LENGTH_MAX)}`;
    return { allowed: false, reason };
  } finally {
    clearTimeout(timer);
  }
}

function readAnswer(said: unknown): Authorisation {
  const { allowed, reason } = Object(said) as Readonly<Record<string, unknown>>;
  if (allowed === true) return { allowed };
  if (allowed !== false) throw new Error('it did not answer {"allowed": true} or {"allowed": false, "reason": "..."}');
  const why = typeof reason === 'string' && reason !== '' ? reason : 'the operator does not allow it';
  return { allowed, reason: shorten(why, REASON_LENGTH_MAX) };
}

/** The operator's authorisation: a URL that takes the question by POST, or behind `|` a command that reads it. */
export type Authoriser =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'command'; readonly command: string };

/** Asks a service or a program of the operator. Both answer with JSON. */
export function askAuthoriser(authoriser: Authoriser): Authorise {
  return async (question, signal) => {
    const text = JSON.stringify(question);
    const said =
      authoriser.kind === 'url'
        ? post(authoriser.url, text, signal)
        : runOperatorCommand(authoriser.command, text, signal);
    return JSON.parse(await said) as Authorisation;
  };
}

async function post(url: string, body: string, signal: AbortSignal): Promise<string> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const response = await fetch(url, { method: 'POST', body, headers, signal, redirect: 'error' }).catch(() => {
    throw new Error('its service is out of reach');
  });
  if (!response.ok) throw new Error(`its service answered with status ${response.status}`);
  let text = '';
  const decoder = new TextDecoder();
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > ANSWER_BYTES_MAX) throw new Error('its answer is too long');
  }
  return text;
}
