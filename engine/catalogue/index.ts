import type { Resource } from './resource.js';
import { agentTurn } from './resources/agent-turn.js';
import * as attempts from './resources/attempts.js';
import * as calls from './resources/calls.js';
import { cost } from './resources/cost.js';
import { diff } from './resources/diff.js';
import { DOCUMENTS } from './resources/documents.js';
import { entity } from './resources/entity.js';
import { event } from './resources/event.js';
import { invocation } from './resources/invocation.js';
import * as ledger from './resources/ledger.js';
import { llmCall } from './resources/llm-call.js';
import { search } from './resources/search.js';
import * as worlds from './resources/worlds.js';

/** Everything that a person or a program can look at. Commands, pages, JSON, tools and links follow from it. */
export const RESOURCES: readonly Resource[] = [
  ...Object.values(worlds),
  entity,
  diff,
  cost,
  ...Object.values(attempts),
  agentTurn,
  event,
  ...Object.values(calls),
  invocation,
  llmCall,
  ledger.workOrders,
  ledger.workOrder,
  ledger.worldLedger,
  ledger.attemptVerification,
  ledger.worldVerification,
  search,
  ...DOCUMENTS,
];
