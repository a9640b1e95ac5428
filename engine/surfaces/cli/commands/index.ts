import type { Command } from 'commander';
import type { Perform } from '../session.js';
import { addAgentTurn } from './agent-turn.js';
import { addAgents } from './agents.js';
import { addAttempt } from './attempt.js';
import { addAttempts } from './attempts.js';
import { addDoctor } from './doctor.js';
import { addGet } from './get.js';
import { addInvocation } from './invocation.js';
import { addList } from './list.js';
import { addLlmCall } from './llm-call.js';
import { addMcp } from './mcp.js';
import { addMigrate } from './migrate.js';
import { addModel } from './model.js';
import { addNew } from './new.js';
import { addPark } from './park.js';
import { addPlugin } from './plugin.js';
import { addPut } from './put.js';
import { addRecord } from './record.js';
import { addReport } from './report.js';
import { addRun } from './run.js';
import { addSchemas } from './schemas.js';
import { addSearch } from './search.js';
import { addServe } from './serve.js';
import { addStop } from './stop.js';
import { addTest } from './test.js';
import { addToys } from './toys.js';
import { addUses } from './uses.js';
import { addValidate } from './validate.js';
import { addWorker } from './worker.js';
import { addWorld } from './world.js';

/** The list of all commands, in the order in which help shows them. */
const COMMANDS: readonly ((program: Command, perform: Perform) => void)[] = [
  addPark,
  addNew,
  addValidate,
  addTest,
  addPut,
  addGet,
  addList,
  addUses,
  addSchemas,
  addWorld,
  addRun,
  addWorker,
  addServe,
  addReport,
  addStop,
  addAttempts,
  addAttempt,
  addAgents,
  addAgentTurn,
  addInvocation,
  addLlmCall,
  addSearch,
  addRecord,
  addPlugin,
  addModel,
  addMcp,
  addToys,
  addMigrate,
  addDoctor,
];

/** Adds every command. */
export function addCommands(program: Command, perform: Perform): void {
  for (const add of COMMANDS) add(program, perform);
}
