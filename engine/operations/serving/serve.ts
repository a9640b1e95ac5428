import { type Outcome, succeed } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import { browseOverview } from '../browse/overview.js';
import type { Composition, HttpDesk, ServePlace } from '../composition.js';
import { type Engine, whileReachable } from '../engine.js';
import { keepCheckpointed, type MadeCheckpoint } from '../evidence/checkpoint.js';
import { checkReadable } from '../running/load-program.js';
import { type Acknowledgement, reportCall } from '../settling/reports.js';
import { withStagedEngine } from '../running/run-world.js';
import { keepCaughtUp } from '../browse/search.js';
import { findHolder } from './served.js';
import { runWorker, type WorkRequest } from '../running/run-worker.js';
import type { StageRequest } from '../running/stage.js';
import type { LoadedTokens } from './tokens.js';

/** The grace for requests under way at the end; less where the worker's ends sooner. */
const ANSWERED_MS = 2_000;

interface ServeRequest extends Omit<WorkRequest, 'onReady'> {
  /**
   * Over an embedded database, whose folder may have been downloaded: turns run in these worlds, and in those for which a
   * report or an operator asks here. Left out for all worlds.
   */
  readonly worlds?: readonly string[];
  readonly place: Partial<ServePlace>;
  /** The services and the model of a previous run, for queued turns. */
  readonly stage?: StageRequest;
  readonly onReady: (about: Served) => void;
  readonly onFault?: NonNullable<HttpDesk['onFault']>;
  /** Told of checkpoints, where an anchor keeps them. */
  readonly onCheckpoint: (made: Outcome<MadeCheckpoint>) => void;
}

interface Served {
  readonly url: string;
  readonly database: string;
  readonly tokens: LoadedTokens;
  readonly sign_in_link: string;
  /** How many open messages, such as queued turns, wait until somebody asks for their worlds. */
  readonly waiting: number;
}

/** Serves HTTP and works as a worker, until it is stopped: attempts that get a message are resumed. */
export async function serve(composition: Composition, request: ServeRequest): Promise<Outcome<undefined>> {
  const place = composition.servePlace();
  if (!place.ok) return place;
  const tokens = await composition.loadTokens();
  if (!tokens.ok) return tokens;
  const signer = composition.has_anchor ? await composition.openSigner() : succeed(undefined);
  if (!signer.ok) return signer;
  const { stage = { with_toys: false } } = request;
  return withStagedEngine(composition, stage, async (engine) => {
    const { worlds: asked, onCheckpoint, onFault, ...rest } = request;
    const worlds = asked === undefined || engine.store.shared !== undefined ? undefined : [...asked];
    let is_lost = false;
    const onEvent: WorkRequest['onEvent'] = (event) => {
      if (event.kind === 'database_lost') is_lost = true;
      if (event.kind === 'database_found') is_lost = false;
      request.onEvent(event);
    };
    const { openSigner } = composition;
    const whole = { ...toDesk(engine, () => !is_lost), openSigner, ...present({ onFault }) };
    const desk = worlds === undefined ? whole : whileAsked(whole, worlds);
    const server = await composition.listen(desk, tokens.value, { ...place.value, ...request.place });
    if (!server.ok) return server;
    const remaining = countGrace(request);
    const served = new AbortController();
    const caughtUp = Promise.all([
      keepCaughtUp(engine, served.signal),
      signer.value && keepCheckpointed(engine, signer.value, served.signal, onCheckpoint),
    ]);
    const announced = await composition.announceServed(server.value);
    try {
      if (!announced.ok) return announced;
      const counts = worlds === undefined ? [] : await engine.store.inbox.count();
      const waiting = counts.reduce((sum, { count }) => sum + count, 0);
      const onReady: WorkRequest['onReady'] = ({ database }) => {
        request.onReady({
          url: server.value.url,
          database,
          tokens: tokens.value,
          sign_in_link: server.value.makeSignInLink(),
          waiting,
        });
        void warmUp(engine);
      };
      return await whileReachable(engine, (working) =>
        runWorker(working, { ...rest, ...present({ worlds }), onEvent, onReady }),
      );
    } finally {
      served.abort();
      await caughtUp;
      if (announced.ok) await announced.value();
      await server.value.close(Math.min(ANSWERED_MS, remaining()));
    }
  });
}

interface ParentRequest extends Omit<WorkRequest, 'onReady' | 'worlds'> {
  readonly reader: 'consumer' | 'operator';
}

/**
 * Serves the process that started this one, and runs the turns that it queues, until either ends. Where a server of this
 * machine holds the database, that one does both.
 */
export async function serveParent(composition: Composition, request: ParentRequest): Promise<Outcome<undefined>> {
  const served = await serveHere(composition, request);
  const path = request.reader === 'operator' ? '/operator-mcp' : '/mcp';
  const holder = served.ok ? undefined : await findHolder(composition, served, path);
  if (holder === undefined) return served;
  await composition.forwardParent(holder, request.signal);
  return succeed(undefined);
}

function serveHere(composition: Composition, request: ParentRequest): Promise<Outcome<undefined>> {
  return withStagedEngine(composition, { with_toys: false }, async (engine) => {
    const { reader, signal, ...rest } = request;
    const ended = new AbortController();
    const stop = (): void => ended.abort();
    signal.addEventListener('abort', stop, { once: true });
    const worlds: string[] = [];
    const serving = composition.serveParent(whileAsked(toDesk(engine), worlds), reader, ended.signal).finally(stop);
    const caughtUp = keepCaughtUp(engine, ended.signal);
    try {
      const work = { ...rest, worlds, signal: ended.signal, onReady: () => {} };
      return await whileReachable(engine, (working) => runWorker(working, work));
    } finally {
      stop();
      await Promise.all([serving, caughtUp]);
    }
  });
}

/** Adds to the worlds each one for which a report or an operator asks. */
function whileAsked(desk: HttpDesk, worlds: string[]): HttpDesk {
  const note = ({ accepted, world }: Acknowledgement): void => {
    if (accepted && world !== undefined && !worlds.includes(world)) worlds.push(world);
  };
  return {
    ...desk,
    async report(correlation, said) {
      const done = await desk.report(correlation, said);
      if (done.ok) note(done.value);
      return done;
    },
    async act(asked, actor) {
      const done = await desk.act(asked, actor);
      if (done.ok && asked.kind !== 'take_back_turns') note(done.value);
      return done;
    },
  };
}

/** Reads what the first page shows: a session plans each statement when it first meets it, which no reader has to wait for. */
async function warmUp(engine: Engine): Promise<void> {
  await browseOverview(engine, 'operator').catch(() => {});
}

function countGrace({ signal, grace_ms }: Pick<ServeRequest, 'signal' | 'grace_ms'>): () => number {
  let asked_at: number | undefined;
  const begin = (): void => void (asked_at ??= performance.now());
  if (signal.aborted) begin();
  signal.addEventListener('abort', begin, { once: true });
  return () => (asked_at === undefined ? grace_ms : Math.max(0, grace_ms - (performance.now() - asked_at)));
}

/** After a write that the database has refused, it counts as not ready for so long: a full one may still be read. */
const UNREADY_MS = 30_000;

/**
 * The operations that a server offers over HTTP.
 * @param canWork whether the server's worker can do its jobs: a full database may still be read
 */
export function toDesk(engine: Engine, canWork: () => boolean = () => true): HttpDesk {
  const { clock } = engine.runtime;
  let refused_at = -Infinity;
  const write = async <Value>(work: () => Promise<Outcome<Value>>): Promise<Outcome<Value>> => {
    const done = await whileReachable(engine, work);
    if (!done.ok && done.problems.some(({ code }) => code.startsWith('DATABASE_'))) refused_at = clock.now();
    return done;
  };
  return {
    report: (correlation, said) => write(() => reportCall(engine, correlation, said)),
    act: (asked, actor) => write(() => asked.perform(engine, actor)),
    look: (operation) => whileReachable(engine, () => operation(engine)),
    use: (operation) => write(() => operation(engine)),
    checkReadable: (place) => whileReachable(engine, () => checkReadable(engine, place)),
    isReady: async () =>
      canWork() &&
      clock.now() - refused_at > UNREADY_MS &&
      (await whileReachable(engine, async () => succeed(await engine.store.inbox.count()))).ok,
  };
}
