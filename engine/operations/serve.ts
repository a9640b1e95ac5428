import { act } from './act.js';
import { browseOverview } from './browse/overview.js';
import type { Composition, HttpDesk, ServePlace } from './composition.js';
import { type Done, type Engine, succeed, whileReachable } from './engine.js';
import { reportCall } from './reports.js';
import { withStagedEngine } from './run-world.js';
import { keepCaughtUp } from './search.js';
import { runWorker, type WorkRequest } from './run-worker.js';
import type { StageRequest } from './stage.js';
import type { LoadedTokens } from './tokens.js';

/** The grace for requests under way at the end; less where the worker's ends sooner. */
const ANSWERED_MS = 2_000;

interface ServeRequest extends Omit<WorkRequest, 'worlds' | 'onReady'> {
  readonly place: Partial<ServePlace>;
  /** The services and the model of a previous run, for queued turns. */
  readonly stage?: StageRequest;
  readonly onReady: (about: Served) => void;
}

interface Served {
  readonly url: string;
  readonly database: string;
  readonly tokens: LoadedTokens;
  readonly sign_in_link: string;
}

/** Serves HTTP and works as a worker, until it is stopped: attempts that get a message are resumed. */
export async function serve(composition: Composition, request: ServeRequest): Promise<Done<undefined>> {
  const place = composition.servePlace();
  if (!place.ok) return place;
  const tokens = await composition.loadTokens();
  if (!tokens.ok) return tokens;
  const { stage = { with_toys: false } } = request;
  return withStagedEngine(composition, stage, async (engine) => {
    let is_lost = false;
    const onEvent: WorkRequest['onEvent'] = (event) => {
      if (event.kind === 'database_lost') is_lost = true;
      if (event.kind === 'database_found') is_lost = false;
      request.onEvent(event);
    };
    const desk = toDesk(engine, () => !is_lost);
    const server = await composition.listen(desk, tokens.value, { ...place.value, ...request.place });
    if (!server.ok) return server;
    const remaining = countGrace(request);
    const served = new AbortController();
    const caughtUp = keepCaughtUp(engine, served.signal);
    const announced = await composition.announceServed(server.value.url);
    try {
      if (!announced.ok) return announced;
      const onReady: WorkRequest['onReady'] = ({ database }) => {
        request.onReady({
          url: server.value.url,
          database,
          tokens: tokens.value,
          sign_in_link: server.value.makeSignInLink(),
        });
        void warmUp(engine);
      };
      return await whileReachable(engine, (working) => runWorker(working, { ...request, onEvent, onReady }));
    } finally {
      served.abort();
      await caughtUp;
      if (announced.ok) await announced.value();
      await server.value.close(Math.min(ANSWERED_MS, remaining()));
    }
  });
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

/**
 * The operations that a server offers over HTTP.
 * @param canWork whether the server's worker can do its jobs: a full database may still be read
 */
export function toDesk(engine: Engine, canWork: () => boolean = () => true): HttpDesk {
  return {
    report: (correlation, said) => whileReachable(engine, () => reportCall(engine, correlation, said)),
    act: (action, actor) => whileReachable(engine, () => act(engine, action, actor)),
    look: (operation) => whileReachable(engine, () => operation(engine)),
    isReady: async () =>
      canWork() && (await whileReachable(engine, async () => succeed(await engine.store.inbox.count()))).ok,
  };
}
