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

/** All commands, in the groups and the order in which help shows them. */
const GROUPS: Readonly<Record<string, readonly ((program: Command, perform: Perform) => void)[]>> = {
  'Start here:': [addPark],
  'Documents:': [addNew, addValidate, addTest, addPut, addGet, addList, addUses, addSchemas],
  'Worlds:': [addWorld, addRun, addWorker, addServe, addReport, addStop],
  'What happened:': [addAttempts, addAttempt, addAgents, addAgentTurn, addInvocation, addLlmCall, addSearch, addRecord],
  'Plugins:': [addPlugin],
  'Set-up:': [addModel, addMcp, addToys, addMigrate, addDoctor],
};

/** Adds every command. */
export function addCommands(program: Command, perform: Perform): void {
  for (const [title, adds] of Object.entries(GROUPS)) {
    const before = program.commands.length;
    for (const add of adds) add(program, perform);
    for (const command of program.commands.slice(before)) placeInGroup(command, title);
  }
}

function placeInGroup(command: Command, title: string): void {
  command.helpGroup(title);
  for (const child of command.commands) placeInGroup(child, title);
}
