import { RESOURCES } from '../../../catalogue/index.js';
import { isViewed } from '../../../catalogue/resource.js';
import type { Page } from '../page.js';
import { toPage } from '../resource-page.js';
import { agentTurn } from './agent-turns.js';
import { attemptDiff } from './attempt-diff.js';
import { attempt, attemptAgentTurns } from './attempts.js';
import { attemptInvocations, invocation, invocationList, llmCall, llmCallList } from './calls.js';
import { diff } from './diff.js';
import { documentPages } from './documents.js';
import { inbox, overview, worldList } from './overview.js';
import { search } from './search.js';
import { turn, turnEntities, turnPatches } from './turns.js';
import { world, worldAgents, worldAttempts } from './worlds.js';

/** Every page. Routes, documents in JSON and links follow from it and from the table of places. */
export const CATALOGUE: readonly Page[] = [
  overview,
  worldList,
  world,
  worldAttempts,
  worldAgents,
  turn,
  turnPatches,
  turnEntities,
  diff,
  attempt,
  attemptDiff,
  attemptInvocations,
  attemptAgentTurns,
  agentTurn,
  invocationList,
  invocation,
  llmCallList,
  llmCall,
  inbox,
  search,
  ...documentPages,
  ...RESOURCES.filter(isViewed).map(toPage),
];
