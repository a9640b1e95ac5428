import { present } from '../contract/present.js';
import { type Outcome, refuse } from '../contract/problem.js';
import { isUuid } from '../core/content/uuid.js';
import type { HeartbeatSettings } from '../ports/heartbeat.js';
import {
  decideApproval,
  expireApprovals,
  findApproval,
  listApprovals,
  listApprovalsOf,
  listApprovalStatistics,
} from './approvals.js';
import { addGrant, findGrant, listGrants, revokeGrant } from './grants.js';
import { attemptStore } from './attempts/attempt-store.js';
import { freeWorlds } from './attempts/fence.js';
import { addTask, findTask, takeBackTask } from './assistant-tasks.js';
import { bind } from './bind.js';
import { budgetStore } from './budgets.js';
import { countComponents, findStartingWith, findUses, listComponents, listComponentsAfter } from './component-lists.js';
import { findComponent, listClosure, putComponents } from './components.js';
import type { OpenDatabase } from './database.js';
import { CACHE_MB_TO_READ, DESCRIPTION_IN_MEMORY, isMade, openInFolder, openInMemory } from './embedded.js';
import { findFaultProblem, isPassing } from './database-fault.js';
import { deleteWorld } from './delete-world.js';
import { forkWorld } from './fork-world.js';
import { listEffects, listEntityEffects, listPatches } from './history.js';
import { claim, defer, discard, hold } from './inbox/claim.js';
import { enqueueTurns } from './inbox/enqueue.js';
import { glance } from './inbox/glance.js';
import { listQueues, takeBack } from './inbox/queue.js';
import { consumeUnhandled, listUnhandled, messagesOf, report, stop } from './inbox/report.js';
import { countMessages, lapsed, tidy } from './inbox/watchdog.js';
import { beginAction, endAction, findDeletion, listActions } from './operator-actions.js';
import { expireCalls, findCalls, listAwaited } from './pending/pending-calls.js';
import { plantWorld } from './plant-world.js';
import { loadMigrations, migrate, type Migration } from './migrations.js';
import { findAgentTurn, listAgentHeads, listTurnsBeside } from './records/agent-records.js';
import { followAttempt, followLatest, followNext, readFacts } from './records/attempt-facts.js';
import {
  findAttempt,
  findRanAttempt,
  listAttempts,
  listAttemptsAtTurn,
  countAttempts,
  listLatestAttempts,
} from './records/attempt-record.js';
import {
  findUse,
  listCalls,
  countStatuses,
  listCallsBefore,
  listFirstGenerations,
  listGenerations,
  listInbox,
  listReadings,
} from './records/browse-lists.js';
import { readFactsOf } from './records/facts.js';
import { findInvocation, listExchanges } from './records/invocation-record.js';
import { listToolCalls } from './records/tool-calls.js';
import { findLlmCall } from './records/llm-call-record.js';
import { listMeteredCalls, listSentPrompts, listUsed } from './records/metered-calls.js';
import {
  findMisplacedValue,
  listTurnFaults,
  findSessions,
  hasWorld,
  listEndedAttempts,
  listSeals,
  readSealedContents,
} from './records/sealed.js';
import { readTextRecord } from './records/text-record.js';
import { listWaitingAttempts } from './records/waiting-attempts.js';
import { listActivity, listStirred } from './records/world-activity.js';
import { catchUp } from './search/catch-up.js';
import { findTexts, listNames } from './search/find-texts.js';
import { openServerDoorbell } from './doorbell/server-doorbell.js';
import { startThreadHeartbeat } from './heartbeat/thread-heartbeat.js';
import { openServer } from './server.js';
import { exportWorlds } from './transfer/export-worlds.js';
import { importWorlds } from './transfer/import-worlds.js';
import type { FindDocumentFault } from '../ports/transfer.js';
import type { Runner } from './statement.js';
import { purgeMemories } from './purge-memories.js';
import { findStudy, findStudyBudget, listStudies, listStudyWorlds, sealStudy } from './studies.js';
import { readStudyFacts } from './study-facts.js';
import { growLog, listFaultyLeaves, listLoggedSeals, listPatchTexts } from './seal-log.js';
import { changeScenario, listScenarios } from './world-scenarios.js';
import { createWorld, findWorld, listEvents, listFamily, listWorlds, listWorldsAfter, readSnapshot } from './worlds.js';

export interface StoreConfiguration {
  /** `postgres://...`, or `memory:`; left out for the embedded database in `data_dir`. */
  readonly url?: string;
  readonly data_dir: string;
  readonly migrations_dir: string;
  /** An already migrated embedded database, packed; without it the first start takes seconds more. */
  readonly template_file?: string;
  /** How much the embedded database keeps in memory. */
  readonly cache_mb?: number;
}

/**
 * Opens the store and brings its database up to date.
 * @returns a problem where the database is locked, out of reach, or not this program's
 */
export async function openStore(configuration: StoreConfiguration): Promise<Outcome<Store>> {
  const database = await openConfigured(configuration);
  if (!database.ok) return database;
  try {
    const migrations = await loadMigrations(configuration.migrations_dir);
    const applied = await migrate(database.value, migrations);
    if (applied.ok) {
      if (database.value.is_exclusive) await freeWorlds(database.value);
      return { ok: true, value: toStore(database.value, applied.value, migrations) };
    }
    await database.value.close();
    return applied;
  } catch (error) {
    await database.value.close();
    const problem = findFaultProblem(database.value.description, error);
    if (problem === undefined) throw error;
    return refuse({ ...problem, details: { may_pass: isPassing(error) } });
  }
}

/** Opens the store to read it: an embedded database that has not been made stays so, and an empty one is read in its place. */
export async function openToRead(configuration: StoreConfiguration): Promise<Outcome<Store>> {
  const { url, data_dir } = configuration;
  if (url !== undefined && url !== '') return openStore(configuration);
  const made = await isMade(data_dir);
  if (!made.ok) return made;
  if (made.value) return openStore({ ...configuration, cache_mb: CACHE_MB_TO_READ });
  const opened = await openStore({ ...configuration, url: 'memory:' });
  if (!opened.ok) return opened;
  const database = { ...opened.value.database, description: `embedded, in ${data_dir}, and not made yet` };
  return { ok: true, value: { ...opened.value, database } };
}

/** Opens the database that is configured; makes the embedded one where there is none. */
export async function openConfigured(configuration: StoreConfiguration): Promise<Outcome<OpenDatabase>> {
  const { url, data_dir, template_file, cache_mb } = configuration;
  if (url === undefined || url === '') return openInFolder(data_dir, template_file, present({ cache_mb }));
  return url === 'memory:' ? tryInMemory(template_file) : openServer(url);
}

async function tryInMemory(template_file: string | undefined): Promise<Outcome<OpenDatabase>> {
  try {
    return { ok: true, value: await openInMemory(template_file) };
  } catch (error) {
    const problem = findFaultProblem(DESCRIPTION_IN_MEMORY, error);
    if (problem === undefined) throw error;
    return refuse(problem);
  }
}

/** Of an id that may be any text: one that is none names nothing. */
const byId =
  <More extends unknown[], Found>(find: (runner: Runner, id: string, ...more: More) => Promise<Found>) =>
  async (runner: Runner, id: string, ...more: More): Promise<Found | undefined> =>
    isUuid(id) ? find(runner, id, ...more) : undefined;

// The functions of the larger rooms, by the names by which operations call them.

const COMPONENTS = {
  put: putComponents,
  find: findComponent,
  closure: listClosure,
  list: listComponents,
  count: countComponents,
  startingWith: findStartingWith,
  uses: findUses,
};

const WORLDS = {
  create: createWorld,
  plant: plantWorld,
  fork: forkWorld,
  delete: deleteWorld,
  find: findWorld,
  list: listWorlds,
  events: listEvents,
  snapshot: readSnapshot,
  scenarios: listScenarios,
  changeScenario,
  patches: listPatches,
  effects: listEffects,
  entityEffects: listEntityEffects,
  purgeMemories,
};

const INBOX = {
  enqueueTurns,
  glance,
  claim,
  defer,
  hold,
  discard,
  report,
  stop,
  takeBack,
  queues: listQueues,
  messagesOf,
  unhandledReports: listUnhandled,
  consumeUnhandled,
  lapsed,
  tidy,
  count: countMessages,
};

const RECORDS = {
  ranAttempt: byId(findRanAttempt),
  attempt: byId(findAttempt),
  attempts: listAttempts,
  invocation: byId(findInvocation),
  exchanges: listExchanges,
  toolCalls: listToolCalls,
  llmCall: byId(findLlmCall),
  agentTurn: byId(findAgentTurn),
  agentTurnsBeside: listTurnsBeside,
  agents: listAgentHeads,
  textRecord: readTextRecord,
};

const LOG = {
  grow: growLog,
  faulty: listFaultyLeaves,
  seals: listLoggedSeals,
  patches: listPatchTexts,
};

const APPROVALS = {
  find: findApproval,
  list: listApprovals,
  of: listApprovalsOf,
  statistics: listApprovalStatistics,
  decide: decideApproval,
};

const GRANTS = { add: addGrant, find: findGrant, list: listGrants, revoke: revokeGrant };

const LEDGER = {
  facts: readFactsOf,
  seals: listSeals,
  contents: readSealedContents,
  ended: listEndedAttempts,
  hasWorld,
  sessions: findSessions,
  misplaced: findMisplacedValue,
  turnFaults: listTurnFaults,
};

const STUDIES = {
  seal: sealStudy,
  find: findStudy,
  list: listStudies,
  worlds: listStudyWorlds,
  budgetOf: findStudyBudget,
  facts: readStudyFacts,
};

const BROWSE = {
  worlds: listWorldsAfter,
  family: listFamily,
  attempts: listLatestAttempts,
  attemptsAtTurn: listAttemptsAtTurn,
  attemptStatuses: countAttempts,
  calls: listCalls,
  invocations: listCallsBefore,
  llmCalls: listGenerations,
  metered: listMeteredCalls,
  used: listUsed,
  prompts: listSentPrompts,
  statuses: countStatuses,
  inbox: listInbox,
  waitingAttempts: listWaitingAttempts,
  activity: listActivity,
  stirred: listStirred,
  documents: listComponentsAfter,
  useOf: findUse,
  readings: listReadings,
  firstGenerations: listFirstGenerations,
};

/** Ends what nobody has answered or decided in time: two statements. @param inbox_ids fresh: one for each that may be found */
async function expireWaits(database: OpenDatabase, inbox_ids: readonly string[]): Promise<number> {
  const calls = await expireCalls(database, inbox_ids);
  return calls + (await expireApprovals(database, inbox_ids.slice(calls)));
}

/** Everything that is stored: the functions of each room, with the database. */
export type Store = ReturnType<typeof toStore>;

export type FactReader = Store['facts'];

/**
 * The store of an open, migrated database.
 * @param applied the migrations that opening it has applied
 * @param migrations all of this program, for imports of earlier ones
 */
export function toStore(database: OpenDatabase, applied: readonly string[], migrations: readonly Migration[] = []) {
  return {
    database: {
      description: database.description,
      /** False for one in memory, which nobody can read afterwards. */
      is_kept: database.is_kept,
      /** The names of the migrations that were applied now. */
      migrate: async () => applied,
      /** The problem, where an error of the store is a fault of its surroundings: the database is lost, or full. */
      findFault: (error: unknown) => findFaultProblem(database.description, error),
      close: database.close,
    },
    components: bind(database, COMPONENTS),
    worlds: bind(database, WORLDS),
    attempts: attemptStore(database),
    budgets: budgetStore(database),
    inbox: bind(database, INBOX),
    pending: bind(database, { find: findCalls, awaitedBy: listAwaited, expire: expireWaits }),
    records: bind(database, RECORDS),
    actions: bind(database, { begin: beginAction, end: endAction, list: listActions, deletion: findDeletion }),
    tasks: bind(database, { add: addTask, find: findTask, takeBack: takeBackTask }),
    browse: bind(database, BROWSE),
    ledger: bind(database, LEDGER),
    approvals: bind(database, APPROVALS),
    grants: bind(database, GRANTS),
    studies: bind(database, STUDIES),
    facts: bind(database, { attempt: followAttempt, next: followNext, latest: followLatest, read: readFacts }),
    log: bind(database, LOG),
    search: bind(database, { find: findTexts, names: listNames, catchUp }),
    transfer: {
      ...bind(database, { export: exportWorlds }),
      import: (lines: AsyncIterable<string>, findFault: FindDocumentFault) =>
        importWorlds(database, lines, migrations, findFault),
    },
    shared: toShared(database),
  };
}

/** What a database offers that several processes share; undefined for one that belongs to this process alone. */
function toShared({ server_url }: OpenDatabase) {
  if (server_url === undefined) return undefined;
  return {
    /** It connects at the first listener. */
    openDoorbell: () => openServerDoorbell(server_url),
    startHeartbeat: ({ program, ...settings }: HeartbeatSettings) =>
      startThreadHeartbeat(program, { ...settings, connectionString: server_url }),
  };
}
