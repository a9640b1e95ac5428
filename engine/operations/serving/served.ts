import { readFile, rm } from 'node:fs/promises';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../contract/json.js';
import { type Outcome, type Problem, refuse, type Refused, succeed } from '../../contract/problem.js';
import { isProblemCode } from '../../contract/problems/index.js';
import type { Composition, ServedAt, ServerOfHere } from '../composition.js';
import { type Archive, type Engine, whileOpen } from '../engine.js';
import { userName } from '../people/person-here.js';
import { findForeign, isOwnFolder } from '../authoring/own-files.js';
import type { Acknowledgement } from '../settling/reports.js';
import { COMMAND_SCHEME } from './tokens.js';
import { writeOwnFile } from '../write-files.js';

const FILE = 'serve.json';

/** Names the person whose command goes through the server, for the audit. */
export const USER_HEADER = 'x-chukwa-user';

/** Announces in a folder that this process serves its database. @returns a function that withdraws the announcement */
export async function announceServed(folder: string, served: ServedAt): Promise<Outcome<() => Promise<void>>> {
  const file = join(folder, FILE);
  const written = await writeOwnFile(file, `${JSON.stringify(served)}\n`, { replaces: true });
  return written.ok ? succeed(async () => rm(file, { force: true })) : written;
}

/**
 * Finds the server of a folder's database. The folder may come from anywhere, so an announcement is trusted only if it
 * names a server on this machine, is a private file of this user, and names a living process of this user.
 */
export async function findServed(folder: string): Promise<ServedAt | undefined> {
  try {
    const file = join(folder, FILE);
    if (!(await isOwnFolder(folder)) || (await findForeign(file)) !== undefined) return undefined;
    const { url, pid, command_token } = JSON.parse(await readFile(file, 'utf8')) as Readonly<Record<string, unknown>>;
    if (typeof url !== 'string' || typeof pid !== 'number' || typeof command_token !== 'string') return undefined;
    return isOnThisMachine(url) && isOwnProcess(pid) ? { url, pid, command_token } : undefined;
  } catch {
    return undefined;
  }
}

/** Adds the server's address to a problem of a database that `chukwa serve` holds. */
export async function nameServer(folder: string, problems: readonly Problem[]): Promise<readonly Problem[]> {
  const served = await findServed(folder);
  return problems.map((problem) => {
    if (served === undefined || problem.code !== 'DATABASE_LOCKED' || problem.details?.['pid'] !== served.pid)
      return problem;
    const repair = `chukwa serve uses the database. Look at the records in a browser, at ${served.url}; chukwa report, stop, run --queue, attempt settle, world fork, world delete and mcp --stdio go through it, by scenarios that are stored, and so do verify, ledger export, checkpoint, evidence and the commands that show one record or list. Run other commands when it has ended (process ${served.pid}). To share a database between processes, use CHUKWA_DATABASE_URL with PostgreSQL.`;
    return { ...problem, repair, details: { ...problem.details, served_at: served.url, may_pass: false } };
  });
}

/** Wildcard addresses, and the loopback address at which each is reached. */
const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' };

function isOnThisMachine(url: string): boolean {
  const { protocol, hostname: host, username, password } = new URL(url);
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address));
  const isOwn = host in EVERYWHERE || own.includes(host.replace(/^\[(.*)\]$/, '$1'));
  return protocol === 'http:' && isOwn && username === '' && password === '';
}

/** @throws where there is no such process, or it is another user's */
function isOwnProcess(pid: number): boolean {
  return Number.isSafeInteger(pid) && pid > 0 && process.kill(pid, 0);
}

interface Request {
  readonly path: string;
  readonly body: JsonObject;
}

/**
 * Acts on the database, or lets the server do so that holds it.
 * @param there left out for what no server is asked: a database that is held is refused then
 */
export async function hereOrThere<Value>(
  composition: Composition,
  here: (engine: Engine) => Promise<Outcome<Value>>,
  there: Request | undefined,
): Promise<Outcome<Value | Acknowledgement>> {
  const engine = await composition.openEngine();
  const served = engine.ok || there === undefined ? undefined : await through(composition, engine, there);
  return served ?? whileOpen(engine, here);
}

/** Works with the database, or has the server do so that holds it, which answers with the same value. */
export async function workHereOrThere<Value>(
  composition: Composition,
  here: (engine: Engine) => Promise<Outcome<Value>>,
  there: Request,
): Promise<Outcome<Value>> {
  const engine = await composition.openEngine();
  const asked = engine.ok ? undefined : await post(composition, engine, there);
  if (asked === undefined) return whileOpen(engine, here);
  return asked.ok ? succeed(asked.value.answer as Value) : asked;
}

/**
 * The server that holds a database which could not be opened. It is given the token of its process, which opens nothing
 * else, and no other: the folder, and so the server, may be anybody's.
 * @returns undefined where another program holds the database, or none
 */
export async function findHolder(
  composition: Pick<Composition, 'findServed'>,
  { problems }: Refused,
  path: string,
): Promise<ServerOfHere | undefined> {
  const served = await composition.findServed();
  const lock = problems.find(({ code }) => code === 'DATABASE_LOCKED');
  if (served === undefined || lock?.details?.['pid'] !== served.pid || lock.details['host'] !== hostname())
    return undefined;
  const place = new URL(path, served.url);
  const authorization = `${COMMAND_SCHEME} ${served.command_token}`;
  place.hostname = EVERYWHERE[place.hostname] ?? place.hostname;
  return { place, headers: { authorization, [USER_HEADER]: encodeURIComponent(userName()) } };
}

/** Sends a request to the server that holds the database. @returns undefined where another program holds it, or none */
async function through(
  composition: Composition,
  refused: Refused,
  there: Request,
): Promise<Outcome<Acknowledgement> | undefined> {
  const asked = await post(composition, refused, there);
  if (asked?.ok !== true) return asked;
  const { url, answer } = asked.value;
  return isAcknowledgement(answer) ? succeed(answer) : refuse(...toProblems(url, answer));
}

/**
 * Reads the database, or what the server shows of it that holds it.
 * @param path of a page of the server that shows the same
 */
export async function readHereOrThere<Value>(
  composition: Composition,
  here: (archive: Archive) => Promise<Outcome<Value>>,
  path: string,
): Promise<Outcome<Value>> {
  const archive = await composition.openArchive();
  const asked = archive.ok
    ? undefined
    : await ask(composition, archive, path, { headers: { accept: 'application/json' } });
  if (asked === undefined) return whileOpen(archive, here);
  return asked.ok ? succeed(asked.value.answer as Value) : asked;
}

function post(composition: Composition, refused: Refused, { path, body }: Request) {
  const headers = { 'content-type': 'application/json' };
  return ask(composition, refused, path, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** Asks the server that holds the database. @returns undefined where another program holds it, or none */
async function ask(
  composition: Composition,
  refused: Refused,
  path: string,
  {
    headers,
    ...request
  }: Pick<RequestInit, 'method' | 'body'> & { readonly headers: Readonly<Record<string, string>> },
): Promise<Outcome<{ readonly url: string; readonly answer: unknown }> | undefined> {
  const holder = await findHolder(composition, refused, path);
  if (holder === undefined) return undefined;
  const { place } = holder;
  try {
    const sent = { ...request, redirect: 'error', headers: { ...headers, ...holder.headers } } as const;
    const response = await fetch(place, sent);
    const answer: unknown = await response.json();
    return response.ok ? succeed({ url: place.origin, answer }) : refuse(...toProblems(place.origin, answer));
  } catch {
    return undefined;
  }
}

/** The server at the address may be another program. */
function isAcknowledgement(answer: unknown): answer is Acknowledgement {
  const { accepted, message } = Object(answer) as Readonly<Record<string, unknown>>;
  return typeof accepted === 'boolean' && typeof message === 'string';
}

/** The problems of a problem document: those that it lists, or the one that it is. */
function toProblems(url: string, document: unknown): readonly Problem[] {
  const { problems, detail, ...one } = Object(document) as Readonly<Record<string, unknown>>;
  return (Array.isArray(problems) ? problems : [{ ...one, message: detail }]).map((said) => toProblem(url, said));
}

function toProblem(url: string, said: unknown): Problem {
  const { code, message, repair, pointer } = Object(said) as Readonly<Record<string, unknown>>;
  return {
    code: isProblemCode(code) ? code : 'UNEXPECTED',
    message: typeof message === 'string' ? message : `The server at ${url} could not carry out the request.`,
    repair: typeof repair === 'string' ? repair : `See that chukwa serve is what answers at ${url}.`,
    ...(typeof pointer === 'string' ? { pointer } : {}),
  };
}
