import { present } from '../contract/present.js';
import { readFile, rm } from 'node:fs/promises';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../contract/json.js';
import { type Outcome, type Problem, refuse, type Refused, succeed } from '../contract/problem.js';
import { isProblemCode } from '../contract/problems/index.js';
import { isUuid } from '../core/content/uuid.js';
import { isUndriven } from '../core/protocol/work-state.js';
import type { Composition, ServedAt } from './composition.js';
import { type Engine, whileOpen } from './engine.js';
import { type Actor, act, audit } from './act.js';
import { personHere, userName } from './person-here.js';
import { findForeign, isOwnFolder } from './own-files.js';
import { attemptUnknown } from './records.js';
import { type Acknowledgement, askToStop, type SaidReport, withQueued } from './reports.js';
import { continueAttempt } from './run-worker.js';
import { findSlugProblem } from './worlds.js';
import { COMMAND_SCHEME } from './tokens.js';
import { writeOwnFile } from './write-files.js';

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
    const repair = `chukwa serve uses the database. Look at the records in a browser, at ${served.url}; chukwa report, stop, run --queue, attempt settle, world fork and world delete go through it, by scenarios that are stored. Run other commands when it has ended (process ${served.pid}). To share a database between processes, use CHUKWA_DATABASE_URL with PostgreSQL.`;
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

/** Reports the end of a call by hand, here or through the server that holds the database. */
export async function report(
  composition: Composition,
  correlation: string,
  said: SaidReport,
): Promise<Outcome<Acknowledgement>> {
  return hereOrThere(
    composition,
    (engine) => act(engine, { kind: 'report_call', correlation_id: correlation, said }, personHere()),
    {
      path: `/source-invocations/${encodeURIComponent(correlation)}/report`,
      body: said.kind === 'answered' ? { answer: said.value } : { reason: said.message },
    },
  );
}

/**
 * Stops an attempt, here or through the server that holds the database. A suspended one ends at once.
 * @param reason kept in the record
 */
export async function stop(
  composition: Composition,
  attempt_id: string,
  reason?: string,
): Promise<Outcome<Acknowledgement>> {
  const stopped = await hereOrThere(composition, (engine) => stopHere(engine, attempt_id, personHere(reason)), {
    path: `/attempts/${encodeURIComponent(attempt_id)}/stop`,
    body: present({ reason }),
  });
  return stopped.ok && stopped.value.reason === 'unknown' ? refuse(noSuchAttempt(attempt_id)) : stopped;
}

/** Removes the queued turns of a world that have not begun, here or through the server that holds the database. */
export async function takeBack(composition: Composition, world_slug: string): Promise<Outcome<Acknowledgement>> {
  return hereOrThere(composition, (engine) => act(engine, { kind: 'take_back_turns', world_slug }, personHere()), {
    path: `/worlds/${encodeURIComponent(world_slug)}/queue/stop`,
    body: {},
  });
}

/** A name in place of an id is probably that of a world. */
function noSuchAttempt(id: string): Problem {
  if (isUuid(id) || findSlugProblem(id) !== undefined) return attemptUnknown(id);
  const repair = `Name an attempt that chukwa attempts ${id} lists; chukwa stop ${id} --queued takes back the queued turns of a world.`;
  return { ...attemptUnknown(id), repair };
}

/** Stops an attempt as `stop` does, on this engine. */
export async function stopHere(engine: Engine, attempt_id: string, person: Actor): Promise<Outcome<Acknowledgement>> {
  const attempt = await engine.store.records.attempt(attempt_id);
  if (attempt === undefined) return refuse(noSuchAttempt(attempt_id));
  const { world_slug } = attempt;
  const entry = { world_slug, attempt_id, source_invocation_id: null, action: 'stop_attempt', details: {} } as const;
  return audit(
    engine,
    entry,
    person,
    (reason) => stopToEnd(engine, attempt_id, reason),
    (stopped) => stopped,
  );
}

/** No driver may be running, so a suspended attempt is resumed here until its end. */
async function stopToEnd(
  engine: Engine,
  attempt_id: string,
  reason: string | undefined,
): Promise<Outcome<Acknowledgement>> {
  const asked = await askToStop(engine, attempt_id, present({ reason }));
  if (!asked.ok || asked.value.world === undefined || asked.value.reason === 'late') return asked;
  const attempt = await engine.store.records.attempt(attempt_id);
  if (attempt !== undefined && isUndriven(attempt)) return succeed(withoutDriver(asked.value));
  if (attempt?.status !== 'suspended') return asked;
  const end = await continueAttempt(engine, asked.value.world);
  if (end.kind !== 'failed') return asked;
  const { failure_class } = end.failure;
  const message =
    failure_class === 'stopped'
      ? 'The attempt has been stopped.'
      : `The attempt failed before it could be stopped: ${failure_class}. See it: chukwa attempt ${attempt_id}`;
  return succeed(await withQueued(engine, { ...asked.value, message }));
}

function withoutDriver(acknowledgement: Acknowledgement): Acknowledgement {
  return {
    ...acknowledgement,
    message: `${acknowledgement.message} Its driver is gone, so a run is needed: chukwa run ${acknowledgement.world ?? ''}`,
  };
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

/**
 * Sends a request to the server that holds the database, with the token of its process, which opens nothing else. No other
 * token is sent: the folder, and so the server, may be anybody's.
 * @returns undefined where another program holds the database, or none
 */
async function through(
  composition: Composition,
  refused: Refused,
  { path, body }: Request,
): Promise<Outcome<Acknowledgement> | undefined> {
  const served = await composition.findServed();
  const lock = refused.problems.find(({ code }) => code === 'DATABASE_LOCKED');
  if (served === undefined || lock?.details?.['pid'] !== served.pid || lock.details['host'] !== hostname())
    return undefined;
  const place = new URL(path, served.url);
  const authorization = `${COMMAND_SCHEME} ${served.command_token}`;
  place.hostname = EVERYWHERE[place.hostname] ?? place.hostname;
  try {
    const response = await fetch(place, {
      method: 'POST',
      redirect: 'error',
      headers: { 'content-type': 'application/json', authorization, [USER_HEADER]: encodeURIComponent(userName()) },
      body: JSON.stringify(body),
    });
    const answer: unknown = await response.json();
    if (response.ok && isAcknowledgement(answer)) return succeed(answer);
    return refuse(...toProblems(served, answer));
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
function toProblems(served: ServedAt, document: unknown): readonly Problem[] {
  const { problems, detail, ...one } = Object(document) as Readonly<Record<string, unknown>>;
  return (Array.isArray(problems) ? problems : [{ ...one, message: detail }]).map((said) => toProblem(served, said));
}

function toProblem({ url }: ServedAt, said: unknown): Problem {
  const { code, message, repair, pointer } = Object(said) as Readonly<Record<string, unknown>>;
  return {
    code: isProblemCode(code) ? code : 'UNEXPECTED',
    message: typeof message === 'string' ? message : `The server at ${url} could not carry out the request.`,
    repair: typeof repair === 'string' ? repair : `See that chukwa serve is what answers at ${url}.`,
    ...(typeof pointer === 'string' ? { pointer } : {}),
  };
}
