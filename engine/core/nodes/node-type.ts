import type { Json } from '../../contract/json.js';
import type { Problem } from '../../contract/problem.js';
import type { AvailableTool, CognitionWorkflow } from '../../generated/workflow.js';
import type { CompileParts, Part, WorkflowSetting } from '../binding/compile-parts.js';
import type { PlacedPrompt } from '../binding/prompt-messages.js';
import type { SchemaParts } from '../binding/typed-schemas.js';
import type { Absent } from '../prompt/render.js';
import type { Fail, Invoke } from '../protocol/command.js';
import type { CallEvent } from '../protocol/event.js';
import type { NodeProgram } from '../protocol/program.js';
import type { Outputs, Scope } from '../protocol/scope.js';
import type { Answered } from '../policy/answer-origins.js';
import type { Origins } from '../prompt/origins.js';
import type { Verdict } from '../protocol/verdict.js';
import type { Reader } from '../typing/join-readings.js';
import type { Shape } from '../typing/shape.js';
import type { Retrieved } from '../world/retrieval.js';
import type { WorldPatch } from '../world/world-patch.js';
import type { UnaskedKey } from '../../contract/problems/tests.js';
import type { NodePlace } from './call-key.js';

export type AuthoredNode = CognitionWorkflow['nodes'][number];

/** The node types that the workflow schema lists. */
export type NodeName = AuthoredNode['type'];

/** The compiled part of a node type; the registry adds the rest, which is the same for each type. */
export type Compiled<Program extends NodeProgram> = Part<Omit<Program, 'type' | 'id' | 'after'>>;

/**
 * A kind of node: all that the engine has to know of it. Every member is a pure function or a fact.
 * @template Authored what the workflow schema says of it
 * @template Program what it compiles to
 * @template State what it keeps while it waits for a call
 */
export interface NodeType<Authored extends AuthoredNode, Program extends NodeProgram, State extends object> {
  readonly type: Authored['type'];
  /** Its output is a WorldPatch, which `apply` may name. A workflow has one such node. */
  readonly ends_in_patch: boolean;

  /** Its prompts: its own and that of its gate; none where it asks no model. */
  prompts(node: Authored): readonly PlacedPrompt[];
  requestTemplate(node: Authored): Json | undefined;
  toolsOffered(node: Authored): readonly AvailableTool[];
  outputShape(parts: SchemaParts, node: Authored): Shape;
  /** Checks beyond the schema, beside its id, its prompt and the paths that its template reads. */
  check(parts: SchemaParts, node: Authored, pointer: string, readers: readonly Reader[]): readonly Problem[];
  /** The node as a program, or everything that keeps it from running. */
  compile(parts: CompileParts, setting: WorkflowSetting, node: Authored, pointer: string): Compiled<Program>;
  /** The program with these of its permitted tools alone. */
  narrow(node: Program, tools: ReadonlySet<string>): Program;

  start(node: Program, scope: NodeScope): NodeStep<State>;
  /** The next step, after the end of a call that the node made. */
  handle(node: Program, state: State, event: CallEvent, scope: NodeScope): NodeStep<State>;

  /** Which of its calls a key names, in words. @returns undefined where no node of this type makes such a call */
  describeCall(place: NodePlace, rest: string): string | undefined;
  /** Why the node never makes a call of this key, if so. @param rest what follows `<subject>/<node>/` */
  findUnasked(node: Program, place: NodePlace, rest: string): UnaskedKey | undefined;
  /** A small answer for one of its calls, by the schema that the answer is checked against. */
  skeletonOf(node: Program, call: { readonly rest: string; readonly source_label: string }): Json;
  /** What in an answer to one of its calls does not fit the schemas that it is checked against. */
  findMisfits(node: Program, rest: string, answer: Json): readonly Problem[];
}

/** The parts of the turn that a node may read. */
export interface NodeScope {
  readonly subject_id: string;
  readonly workflow_hash: string;
  /** Frozen when the subject started: the values of templates and prompts. */
  readonly frozen: Scope;
  /** Readings that the subject would have been given. */
  readonly absent: readonly Absent[];
  /** Outputs of finished nodes: `{"<id>": {"output": ...}}`. */
  readonly nodes: Json;
  /** The same outputs, and where they come from. */
  readonly outputs: Outputs;
  /** The memories that were retrieved for the node; left out where it asks for none. */
  readonly retrieved?: Retrieved;
}

/** The result of a node's start, or of an event that it handles. */
export type NodeStep<State> =
  | { readonly kind: 'waits'; readonly state: State; readonly commands: readonly Invoke[]; readonly verdict?: Verdict }
  | {
      readonly kind: 'done';
      readonly output: Answered;
      /** Left out where the output is a patch. */
      readonly answered_by?: AnsweredBy;
      readonly patch?: AnsweredPatch;
      readonly verdict?: Verdict;
    }
  | { readonly kind: 'failed'; readonly failure: NodeFailure; readonly verdict?: Verdict };

/** The call whose answer is an output. */
export interface AnsweredBy {
  readonly call_key: string;
  /** The ids of the memories that its prompt showed, oldest first. */
  readonly memories: readonly string[];
}

/** A patch that the live world accepts, and the call that answered with it. */
export interface AnsweredPatch {
  readonly patch: WorldPatch;
  readonly call_key: string;
  readonly origins: Origins;
}

/** Why a node failed, as the attempt says it that ends with it. */
export type NodeFailure = Pick<
  Fail,
  'failure_class' | 'message' | 'call_key' | 'is_transient' | 'is_in_doubt' | 'retry_after_ms'
>;
