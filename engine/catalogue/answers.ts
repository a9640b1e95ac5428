import type { Entity } from '../core/world/world.js';
import type { ApprovalStats } from '../operations/people/approvals.js';
import type { ListedAgent, ResolvedAgentTurn } from '../operations/browse/agents.js';
import type { AgentTurnSummary } from '../core/agents/agent-turn.js';
import type { AttemptPage } from '../operations/browse/attempts.js';
import type { AttemptComparison } from '../operations/browse/compare-attempts.js';
import type { DocumentPage, WorkflowPage } from '../operations/browse/documents.js';
import type { Part } from '../operations/browse/list-part.js';
import type { Overview, Waiting } from '../operations/browse/overview.js';
import type { ListedWorld, PatchStory, TurnPage, WorldPage } from '../operations/browse/worlds.js';
import type { UsesOfComponent } from '../operations/authoring/components.js';
import type { WorldCost } from '../operations/costs/costs.js';
import type { WorldDiff } from '../operations/worlds/diff-worlds.js';
import type { ListedEntry } from '../operations/ledger/list-ledger.js';
import type { ListedOrder, OrderRecord } from '../operations/ledger/orders.js';
import type { Verification } from '../operations/ledger/verify.js';
import type { Acknowledgement } from '../operations/settling/reports.js';
import type { PolicyExplanation } from '../operations/people/explain-policy.js';
import type { EntityLife } from '../operations/worlds/entities.js';
import type { TracedText } from '../operations/worlds/trace-text.js';
import type { DescribedKind, DescribedPlugin, ListedPlugin } from '../operations/authoring/describe.js';
import type { Location } from '../contract/problem.js';
import type { PutDocument, SentDocument } from '../operations/documents/index.js';
import type { WorldSnapshot } from '../ports/worlds.js';
import type { EventRecord } from '../operations/browse/event.js';
import type { StudyPage } from '../operations/studies/show-study.js';
import type { ListedStudy } from '../ports/studies.js';
import type { Found } from '../operations/browse/search.js';
import type { ApprovalRecord, GrantRecord } from '../ports/approvals.js';
import type { ListedInvocation, ListedLlmCall, StatusCount } from '../ports/browse.js';
import type { StoredComponent } from '../ports/components.js';
import type { CostedAttempt } from '../operations/costs/read-cost.js';
import type { InvocationRecord, InvocationSummary, LlmCallRecord } from '../ports/records.js';

/** How many of the latest rows have each state. */
interface Counted {
  readonly states: readonly StatusCount[];
}

/** A finding as programs are told it. */
interface ToldFinding extends Location {
  readonly pointer: string;
  /** One of docs/problems.md. */
  readonly code: string;
  readonly message: string;
  readonly repair: string;
  readonly severity: 'error' | 'note';
}

/** The JSON value of each resource, action or query. The schemas of the OpenAPI document are made from these types. */
export interface Answers {
  readonly Acknowledgement: Acknowledgement;
  readonly Overview: Overview;
  readonly Worlds: Part<ListedWorld>;
  readonly World: WorldPage;
  readonly Turn: TurnPage;
  readonly Patches: Part<PatchStory>;
  readonly Entities: Part<Entity>;
  readonly EntityLife: EntityLife;
  readonly TracedText: TracedText;
  readonly Diff: WorldDiff;
  readonly WorldCost: WorldCost;
  readonly PolicyExplanation: PolicyExplanation;
  readonly Attempts: Part<CostedAttempt> & Counted;
  readonly Attempt: AttemptPage;
  readonly Event: EventRecord;
  readonly Calls: Part<InvocationSummary>;
  readonly Agents: Part<ListedAgent>;
  readonly AttemptComparison: AttemptComparison;
  readonly AgentTurns: Part<AgentTurnSummary>;
  readonly AgentTurn: ResolvedAgentTurn;
  readonly SourceInvocations: Part<ListedInvocation> & Counted;
  readonly SourceInvocation: InvocationRecord;
  readonly LlmCalls: Part<ListedLlmCall> & Counted;
  readonly LlmCall: LlmCallRecord;
  readonly WorkOrders: Part<ListedOrder>;
  readonly WorkOrder: OrderRecord;
  readonly Ledger: Part<ListedEntry>;
  readonly Verification: Verification;
  readonly Approval: ApprovalRecord;
  readonly Approvals: Part<ApprovalRecord>;
  readonly ApprovalStatistics: ApprovalStats;
  readonly Grant: GrantRecord;
  readonly Grants: Part<GrantRecord>;
  readonly Inbox: Waiting;
  readonly Documents: Part<StoredComponent>;
  readonly Document: DocumentPage;
  readonly Workflow: WorkflowPage;
  readonly Uses: UsesOfComponent;
  readonly Studies: Part<ListedStudy>;
  readonly Study: StudyPage;
  readonly Found: Found;
  readonly Checked: { readonly ok: boolean; readonly findings: readonly ToldFinding[] };
  readonly Stored: {
    readonly stored: readonly PutDocument[];
    readonly new_count: number;
    readonly findings: readonly ToldFinding[];
  };
  readonly DescribedKind: DescribedKind;
  readonly Plugins: { readonly plugins: readonly ListedPlugin[] };
  readonly DescribedPlugin: DescribedPlugin;
  readonly NewDocuments: { readonly documents: readonly SentDocument[] };
  readonly CreatedWorld: WorldSnapshot;
  readonly EntityHistory: EntityLife['history'] & { readonly world_slug: string; readonly entity_id: string };
}
