import type {
  CallToolResult,
  GetPromptResult,
  InputRequiredResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  ServerContext,
  Tool,
} from '@modelcontextprotocol/server';
import type { JsonObject } from '../../contract/json.js';
import type { Actor } from '../../operations/people/audit.js';

/** Who calls: what they may see, and what the audit calls them. */
export interface Caller {
  readonly reader: 'consumer' | 'operator';
  /** Whose tasks and sessions are whose: the holder of a token, or the person of this machine. */
  readonly principal: string;
  readonly actor: Omit<Actor, 'reason'>;
}

/** What is under way after a request has been answered, by the extension of tasks. */
export interface Task {
  readonly taskId: string;
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  readonly statusMessage?: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: number | null;
  readonly pollIntervalMs?: number;
  /** What it has come to, or why not; only where it is asked for. */
  readonly result?: JsonObject;
  readonly error?: { readonly code: number; readonly message: string };
  readonly inputRequests?: JsonObject;
}

/** The answer of a tool that goes on as a task. */
export type BegunTask = Task & { readonly resultType: 'task' };

/** The tasks that a caller has begun. */
export interface Tasks {
  /** @returns undefined for a task that there is not, and for another principal's */
  find(taskId: string): Promise<Task | undefined>;
  cancel(task: Task): Promise<void>;
  update(task: Task, said: JsonObject): Promise<void>;
}

interface ToolRequest {
  readonly context: ServerContext;
  /** Whether the caller takes a task for an answer. */
  readonly takes_task: boolean;
}

export interface OfferedTool {
  readonly tool: Tool;
  call(said: JsonObject, request: ToolRequest): Promise<CallToolResult | InputRequiredResult | BegunTask>;
}

export interface OfferedPrompt {
  readonly prompt: Prompt;
  get(
    said: Readonly<Record<string, string>>,
    context: ServerContext,
  ): Promise<GetPromptResult | InputRequiredResult> | GetPromptResult;
}

/** Everything that a server offers to one caller; the protocol follows from it. */
export interface Offer {
  readonly version: string;
  readonly instructions: string;
  readonly tools: readonly OfferedTool[];
  /** What a tool that is no more says of its successor, by its name. */
  readonly retired: Readonly<Record<string, string>>;
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplateType[];
  readonly prompts: readonly OfferedPrompt[];
  /** @returns undefined where there is no such resource */
  read(uri: string): Promise<ReadResourceResult | undefined>;
  readonly tasks: Tasks;
}
