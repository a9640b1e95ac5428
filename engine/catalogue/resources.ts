// Made by tools/generate-catalogue.ts from the declarations: do not edit, run `npm run generate`.
import type { Resource } from './resource.js';
import { agentTurn } from './resources/agent-turn.js';
import { approval, approvals, approvalStatistics } from './resources/approvals.js';
import { attemptDiff } from './resources/attempt-diff.js';
import { attempt } from './resources/attempt.js';
import { attemptCalls, attemptAgentTurns } from './resources/attempts.js';
import { invocationList, llmCallList } from './resources/calls.js';
import { cost } from './resources/cost.js';
import { diff } from './resources/diff.js';
import { DOCUMENTS } from './resources/documents.js';
import { entity } from './resources/entity.js';
import { event } from './resources/event.js';
import { grants, grant } from './resources/grants.js';
import { inbox } from './resources/inbox.js';
import { invocation } from './resources/invocation.js';
import { knowledge } from './resources/knowledge.js';
import { workOrders, workOrder, worldLedger, attemptVerification, worldVerification } from './resources/ledger.js';
import { llmCall } from './resources/llm-call.js';
import { overview } from './resources/overview.js';
import { policy } from './resources/policy.js';
import { search } from './resources/search.js';
import { studyList, study } from './resources/studies.js';
import { turn, turnPatches } from './resources/turn.js';
import { world } from './resources/world.js';
import { worldList, worldAttempts, worldAgents, turnEntities } from './resources/worlds.js';

/** Everything that a person or a program can look at. Commands, pages, JSON, tools and links follow from it. */
export const RESOURCES: readonly Resource[] = [
  agentTurn,
  approval,
  approvals,
  approvalStatistics,
  attemptDiff,
  attempt,
  attemptCalls,
  attemptAgentTurns,
  invocationList,
  llmCallList,
  cost,
  diff,
  ...DOCUMENTS,
  entity,
  event,
  grants,
  grant,
  inbox,
  invocation,
  knowledge,
  workOrders,
  workOrder,
  worldLedger,
  attemptVerification,
  worldVerification,
  llmCall,
  overview,
  policy,
  search,
  studyList,
  study,
  turn,
  turnPatches,
  world,
  worldList,
  worldAttempts,
  worldAgents,
  turnEntities,
];
