import { access, constants } from 'node:fs/promises';
import { connect, isIP } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { platform } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import type { ExamineOrigin, OriginReport } from '../ports/sources.js';
import { parseCommand } from './command.js';
import { hasScheme, type LookUpVariable, parseOrigin } from './origin.js';
import { describeTlsFault } from './origin-fetch.js';
import { findProxy, parseProxy, PROXY_VARIABLES } from './proxy.js';
import { errorCodes } from './source-failure.js';

const PATIENCE_MS = 2000;

/**
 * Checks whether a variable's value leads to a listening server, or to a program. No request is sent; to one of https,
 * the handshake of TLS. What is asked through a proxy is not looked for.
 */
export function createExamineOrigin(lookUp: LookUpVariable): ExamineOrigin {
  return async (variable, value, example, search_path) => {
    if (search_path !== undefined && !hasScheme(value)) return examineCommand(variable, value, search_path);
    const isProxy = Object.values(PROXY_VARIABLES).flat().includes(variable);
    const parsed = isProxy ? parseProxy(variable, value) : parseOrigin(variable, value);
    const proxy = isProxy || !parsed.ok ? undefined : findProxy(new URL(parsed.origin.url), lookUp);
    if (!parsed.ok)
      return { ok: false, message: parsed.message, repair: `Set ${variable} to a URL such as ${example}` };
    if (proxy?.ok && proxy.origin)
      return {
        ok: true,
        origin: `${new URL(parsed.origin.url).origin}, through the proxy of ${proxy.origin.variable}`,
      };
    return examinePlace(variable, new URL(parsed.origin.url));
  };
}

async function examinePlace(variable: string, url: URL): Promise<OriginReport> {
  const { origin } = url;
  const reason = await knock(variable, url);
  if (reason === undefined) return { ok: true, origin };
  return {
    ok: false,
    message: `${origin} cannot be reached: ${reason}`,
    repair: `Start the service, or correct ${variable}.`,
  };
}

/** The value is never shown: it may hold a secret. */
async function examineCommand(variable: string, value: string, search_path: string): Promise<OriginReport> {
  const parsed = parseCommand(variable, value);
  if (!parsed.ok) return { ok: false, message: parsed.message, repair: `Correct ${variable}.` };
  const program = findProgram([parsed.command.file, ...parsed.command.arguments]);
  const places = /[/\\]/.test(program) ? [program] : search_path.split(delimiter).map((place) => join(place, program));
  const found = await Promise.all(places.flatMap((place) => ENDINGS.map((ending) => isExecutable(place + ending))));
  if (found.includes(true)) return { ok: true, origin: 'a command, whose program is found' };
  const repair = `Install it, or correct ${variable}.`;
  return { ok: false, message: `the program that ${variable} names is not found, or may not be executed`, repair };
}

/** Endings that the system adds to a program's name. */
const ENDINGS = platform() === 'win32' ? ['', '.exe', '.com'] : [''];

/** `env NAME=value program`: the program that is meant. An option of `env` may have a word of its own. */
function findProgram([file = '', ...rest]: readonly string[]): string {
  const next = basename(file) === 'env' ? rest.find((word) => !word.includes('=')) : undefined;
  return next === undefined || next.startsWith('-') ? file : next;
}

function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Opens a connection and closes it. @returns the reason why no server was there */
function knock(variable: string, { protocol, hostname, port }: URL): Promise<string | undefined> {
  return new Promise((resolve) => {
    const is_secure = protocol === 'https:';
    const host = hostname.replace(/^\[|\]$/g, '');
    const door = { host, port: Number(port) || (is_secure ? 443 : 80), timeout: PATIENCE_MS };
    const named = isIP(host) === 0 ? { ...door, servername: host } : door;
    const socket = is_secure ? connectSecurely(named) : connect(door);
    const end = (reason?: string): void => {
      socket.destroy();
      resolve(reason);
    };
    socket.once(is_secure ? 'secureConnect' : 'connect', () => end());
    socket.once('timeout', () => end(`nobody answered within ${PATIENCE_MS / 1000} s`));
    socket.once('error', (error) => {
      const fault = describeTlsFault(errorCodes(error), error, variable);
      end(fault === undefined ? toReason(error) : `it ${fault}`);
    });
  });
}

/** Several addresses of one host fail as one nameless error that holds the real ones. */
function toReason(error: Error): string {
  const [first] = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [];
  return first instanceof Error ? first.message : error.message;
}
