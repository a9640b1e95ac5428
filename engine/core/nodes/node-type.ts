import type { Json } from '../../contract/json.js';
import type { Absent } from '../prompt/render.js';
import type { Fail, Invoke } from '../protocol/command.js';
import type { CallEvent } from '../protocol/event.js';
import type { Scope } from '../protocol/scope.js';
import type { Verdict } from '../protocol/verdict.js';
import type { World } from '../world/world.js';
import type { WorldPatch } from '../world/world-patch.js';

/** What a node may know of the turn that it runs in. */
export interface NodeScope {
  readonly subject_id: string;
  readonly workflow_hash: string;
  /** Frozen when the subject started: what templates and prompts read. */
  readonly frozen: Scope;
  /** Readings that the subject would have been given. */
  readonly absent: readonly Absent[];
  /** The live working world: what a patch is judged against. */
  readonly world: World;
  /** Outputs of finished nodes: `{"<id>": {"output": ...}}`. */
  readonly nodes: Json;
}

/** What follows from starting a node, or from what it heard. */
export type NodeStep<State> =
  | { readonly kind: 'waits'; readonly state: State; readonly commands: readonly Invoke[]; readonly verdict?: Verdict }
  | { readonly kind: 'done'; readonly output: Json; readonly patch?: PatchSaid; readonly verdict?: Verdict }
  | { readonly kind: 'failed'; readonly failure: NodeFailure; readonly verdict?: Verdict };

/** A patch that has been judged against the live world, and the call that said it. */
export interface PatchSaid {
  readonly patch: WorldPatch;
  readonly call_key: string;
}

/** Why a node failed, as the attempt says it that ends with it. */
export type NodeFailure = Pick<
  Fail,
  'failure_class' | 'message' | 'call_key' | 'is_transient' | 'is_in_doubt' | 'retry_after_ms'
>;

/** A kind of node: pure answers to two questions. */
export interface NodeType<Program, State> {
  /** What the node does first. */
  start(node: Program, scope: NodeScope): NodeStep<State>;
  /** What follows from the end of a call that the node asked for. */
  hear(node: Program, state: State, event: CallEvent, scope: NodeScope): NodeStep<State>;
}
