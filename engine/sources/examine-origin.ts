import { connect } from 'node:net';
import type { ExamineOrigin } from '../ports/sources.js';
import { parseOrigin } from './origin.js';

const PATIENCE_MS = 2000;

/** Checks whether a variable's value leads to a listening server. No request is sent. */
export const examineOrigin: ExamineOrigin = async (variable, value, example) => {
  const parsed = parseOrigin(variable, value);
  if (!parsed.ok) return { ok: false, message: parsed.message, repair: `Set ${variable} to a URL such as ${example}` };
  const { origin, protocol, hostname, port } = new URL(parsed.origin.url);
  const reason = await knock(hostname.replace(/^\[|\]$/g, ''), Number(port) || (protocol === 'https:' ? 443 : 80));
  if (reason === undefined) return { ok: true, origin };
  return {
    ok: false,
    message: `${origin} cannot be reached: ${reason}`,
    repair: `Start the service, or correct ${variable}.`,
  };
};

/** Opens a connection and closes it. @returns the reason why no server was there */
function knock(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: PATIENCE_MS });
    const end = (reason?: string): void => {
      socket.destroy();
      resolve(reason);
    };
    socket.once('connect', () => end());
    socket.once('timeout', () => end(`nobody answered within ${PATIENCE_MS / 1000} s`));
    socket.once('error', (error) => end(toReason(error)));
  });
}

/** Several addresses of one host fail as one nameless error that holds the real ones. */
function toReason(error: Error): string {
  const [first] = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [];
  return first instanceof Error ? first.message : error.message;
}
