import type { Json, JsonObject } from '../../contract/json.js';
import { present } from '../../contract/present.js';
import type { ChatRequest } from '../../contract/source.js';
import { canonicalText } from '../../core/content/canonical.js';
import { findIJsonProblem, type IJsonProblem } from '../../core/content/i-json.js';
import type { Generation, Invoke } from '../../core/protocol/command.js';
import { judgeRequest } from '../../core/protocol/judge-request.js';
import { type Checked, type Connected, type Halt, halt } from '../passage.js';
import { textSchema } from '../../core/protocol/program.js';
import { toConversation } from '../chat-items.js';
import { listProblems } from '../list-problems.js';

/** Checks the request against its schema and limit, and makes the frozen canonical copy that the plugin is handed. */
export function validateInput(passage: Connected): Checked | Halt {
  const { command } = passage;
  if (command.generation) return checkChat(passage, command.generation);
  const problem = findIJsonProblem(command.request);
  if (problem) return refuse(passage, describe(problem));
  const text = canonicalText(command.request);
  const complaint = findComplaint(command, text);
  return complaint ? refuse(passage, complaint) : { ...passage, request: toFrozen(text) };
}

/** Texts need no copy. Members are written in canonical order. */
function checkChat(passage: Connected, { messages, offered, schema_delivery }: Generation): Checked | Halt {
  const conversation = toConversation(messages, offered);
  const problem = findIJsonProblem(conversation);
  if (problem) return refuse(passage, describe(problem));
  const isSent = schema_delivery === 'response_format';
  const { name, delivered } = textSchema(offered);
  const request: ChatRequest = {
    messages: Object.freeze(conversation.messages),
    ...(conversation.native && { native: toFrozen(canonicalText(conversation.native as unknown as Json)) as never }),
    ...(isSent ? { output_schema: Object.freeze({ name, schema: toFrozenSchema(delivered.schema) }) } : {}),
    ...present({ max_output_tokens: passage.command.max_output_tokens }),
  };
  return { ...passage, request: Object.freeze(request) as unknown as Json };
}

/** A schema is the same in every round, and larger than the messages: it is copied once. */
const frozenSchemas = new WeakMap<JsonObject, JsonObject>();

function toFrozenSchema(schema: JsonObject): JsonObject {
  const frozen = frozenSchemas.get(schema) ?? (toFrozen(canonicalText(schema)) as JsonObject);
  frozenSchemas.set(schema, frozen);
  return frozen;
}

function refuse(passage: Connected, reason: string): Halt {
  return halt(passage, 'schema_invalid', `the request cannot be sent: ${reason}`);
}

/** A prompt is as long as its author made it; only requests of tools and bindings have a limit. */
function findComplaint({ call, request }: Invoke, text: string): string | undefined {
  const bytes = Buffer.byteLength(text);
  const { max_request_bytes } = call.limits;
  if (bytes > max_request_bytes) return `it has ${bytes} bytes, and ${max_request_bytes} are allowed`;
  const problems = judgeRequest(call, request);
  if (problems.length === 0) return undefined;
  return listProblems(problems);
}

function describe({ reason, pointer }: IJsonProblem): string {
  return `${reason} (at ${pointer})`;
}

/** A copy that nobody can change. */
function toFrozen(text: string): Json {
  return freeze(JSON.parse(text) as Json);
}

function freeze(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  Object.values(value).forEach(freeze);
  return Object.freeze(value);
}
