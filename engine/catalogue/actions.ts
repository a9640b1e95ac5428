// Made by tools/generate-catalogue.ts from the declarations: do not edit, run `npm run generate`.
import type { Action } from './action.js';
import { decideCall, grantCalls, revokeGrant } from './actions/approvals.js';
import { stopAttempt, settleCall, settleCallOfAttempt, reportCall } from './actions/calls.js';
import { runTurns, takeBackTurns, forkWorld, purgeMemories, editWorld, deleteWorld } from './actions/worlds.js';

/** Everything that a person or a program can do to what is recorded. Routes, forms and tools follow from it. */
export const ACTIONS = [
  decideCall,
  grantCalls,
  revokeGrant,
  stopAttempt,
  settleCall,
  settleCallOfAttempt,
  reportCall,
  runTurns,
  takeBackTurns,
  forkWorld,
  purgeMemories,
  editWorld,
  deleteWorld,
] as readonly Action[];
