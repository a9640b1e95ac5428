import type { Command } from 'commander';
import { ACTIONS } from '../../../catalogue/actions.js';
import { RESOURCES } from '../../../catalogue/resources.js';
import { toCommands } from '../action-command.js';
import { toCommand } from '../resource-command.js';
import type { Perform } from '../session.js';
import { report, settleAttempt, stop, worldEdit } from './by-hand.js';
import { get, list, put, uses } from './components.js';
import { connections } from './connections.js';
import { addCommand, type CommandEntry } from './entry.js';
import { EVIDENCE_COMMANDS } from './evidence.js';
import { LEDGER_COMMANDS } from './ledger.js';
import { mcp } from './mcp.js';
import { newFiles } from './new.js';
import { park } from './park.js';
import { plugins } from './plugin.js';
import { POLICY_COMMANDS } from './policy.js';
import { probe } from './probe.js';
import { recordTest } from './record.js';
import { agents, attempt, attempts, invocation, search } from './records.js';
import { run } from './run.js';
import { schemas } from './schemas.js';
import { serveWorlds } from './serve.js';
import { doctor, migrate, models } from './set-up.js';
import { STUDY_COMMANDS } from './study.js';
import { test } from './test.js';
import { toys } from './toys.js';
import { validate } from './validate.js';
import { worker } from './worker.js';
import { WORLD_COMMANDS } from './world.js';

/** All commands, in the groups and the order in which help shows them. */
const GROUPS: Readonly<Record<string, readonly CommandEntry[]>> = {
  'Start here:': [park],
  'Documents:': [...newFiles, validate, test, put, get, list, uses, schemas],
  'Worlds:': [
    ...WORLD_COMMANDS,
    worldEdit,
    run,
    probe,
    worker,
    serveWorlds,
    report,
    { name: 'memory', says: 'What agents remember.' },
    ...ACTIONS.flatMap(toCommands),
    stop,
  ],
  'Studies:': STUDY_COMMANDS,
  'What happened:': [
    { name: 'ledger', says: 'What was decided and what was done, entry by entry.' },
    ...RESOURCES.flatMap((declared) => (declared.command === undefined ? [] : [toCommand(declared.command, declared)])),
    attempts,
    attempt,
    settleAttempt,
    agents,
    invocation,
    search,
    recordTest,
    ...LEDGER_COMMANDS,
    ...POLICY_COMMANDS,
  ],
  'Evidence:': EVIDENCE_COMMANDS,
  'Plugins:': plugins,
  'Set-up:': [...models, ...connections, ...mcp, toys, migrate, doctor],
};

export function addCommands(program: Command, perform: Perform): void {
  for (const [title, entries] of Object.entries(GROUPS))
    for (const entry of entries) addCommand(program, entry, perform).helpGroup(title);
}
