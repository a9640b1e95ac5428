import { type Outcome, refuse, succeed } from '../../contract/problem.js';
import type { JsonObject } from '../../contract/json.js';
import { pick } from '../../contract/pick.js';
import type { ComponentKind } from '../../core/protocol/component.js';
import type { ComponentRecord } from '../../ports/components.js';
import type { LlmCallRecord } from '../../ports/records.js';
import { getComponent, showUses, type UsesOfComponent } from '../authoring/components.js';
import type { Archive } from '../engine.js';
import { attemptUnknown } from './records.js';

export interface DocumentPage extends ComponentRecord, Omit<UsesOfComponent, 'label'> {}

/** A stored document with its references in both directions, and the calls that used it. */
export async function browseDocument(
  archive: Archive,
  asked: { readonly kind: ComponentKind; readonly hash: string },
): Promise<Outcome<DocumentPage>> {
  const component = await getComponent(archive, asked);
  if (!component.ok) return component;
  const uses = await showUses(archive, component.value);
  if (!uses.ok) return uses;
  const { label: _label, ...use } = uses.value;
  return succeed({ ...component.value, ...use });
}

/** A first generation of a node in an attempt: its messages are the node's prompt with every placeholder resolved. */
export interface ResolvedPrompt extends Pick<LlmCallRecord, (typeof PROMPT_MEMBERS)[number]> {}

const PROMPT_MEMBERS = ['llm_call_id', 'workflow_node_id', 'workflow_subject_entity_id', 'messages'] as const;

/** A workflow with its prompts, and how an attempt resolved them. */
export interface WorkflowPage extends DocumentPage {
  /** Texts of prompt files, by hash. */
  readonly prompts: Readonly<Record<string, string>>;
  /** Null where no attempt has run it, and for consumers: prompts are for operators. At most 10 prompts. */
  readonly chosen: { readonly attempt_id: string; readonly resolved: readonly ResolvedPrompt[] } | null;
}

/**
 * A workflow as its page shows it.
 * @param asked `attempt` names the attempt whose resolved prompts an operator is shown; the latest by default
 */
export async function browseWorkflow(
  archive: Archive,
  asked: { readonly hash: string; readonly attempt?: string; readonly reader: 'consumer' | 'operator' },
): Promise<Outcome<WorkflowPage>> {
  const document = await browseDocument(archive, { kind: 'cognition_workflow', hash: asked.hash });
  if (!document.ok) return document;
  const { hash, attempts } = document.value;
  const attempt_id = asked.reader === 'operator' ? (asked.attempt ?? attempts[0]?.attempt_id) : undefined;
  const resolved = attempt_id === undefined ? [] : await resolvePrompts(archive, hash, attempt_id);
  if (resolved === undefined) return refuse(attemptUnknown(attempt_id?.slice(0, 80) ?? ''));
  const chosen = attempt_id === undefined ? null : { attempt_id, resolved };
  return succeed({ ...document.value, prompts: await readPrompts(archive, document.value), chosen });
}

async function readPrompts({ store }: Archive, { refers_to }: DocumentPage): Promise<Readonly<Record<string, string>>> {
  const prompts: Record<string, string> = {};
  for (const { kind, hash } of refers_to) {
    const prompt = kind === 'prompt_text' ? await store.components.find(kind, hash) : undefined;
    if (prompt !== undefined) prompts[hash] = textOf(prompt.content);
  }
  return prompts;
}

function textOf({ text }: JsonObject): string {
  return typeof text === 'string' ? text : '';
}

/** Among how many calls of an attempt the first generations are searched. */
const CALLS_READ = 200;
const PROMPTS_SHOWN = 10;

/** @returns undefined for an unknown attempt */
async function resolvePrompts(
  { store }: Archive,
  workflow_hash: string,
  attempt_id: string,
): Promise<readonly ResolvedPrompt[] | undefined> {
  const sought = { workflow_hash, calls: CALLS_READ, limit: PROMPTS_SHOWN };
  const firsts = await store.browse.firstGenerations(attempt_id, sought);
  if (firsts === undefined) return undefined;
  const calls: ResolvedPrompt[] = [];
  for (const id of firsts) {
    const call = await store.records.llmCall(id);
    if (call !== undefined) calls.push(pick(call, PROMPT_MEMBERS));
  }
  return calls;
}
