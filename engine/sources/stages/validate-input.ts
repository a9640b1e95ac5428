import type { Json } from '../../contract/json.js';
import type { ChatRequest } from '../../contract/source.js';
import { canonicalText } from '../../core/content/canonical.js';
import { findIJsonProblem } from '../../core/content/i-json.js';
import type { Generation, Invoke } from '../../core/turn/command.js';
import { type Checked, type Halt, halt, type Routed, type Stage } from '../passage.js';

/** Checks the request against its schema and limit, and makes the frozen canonical copy that the plugin is handed. */
export const validateInput: Stage<Routed, Checked> = { name: 'validate input', pass: check };

function check(passage: Routed): Checked | Halt {
  const { command } = passage;
  const given = command.generation ? (toChatRequest(command.generation) as unknown as Json) : command.request;
  const problem = findIJsonProblem(given);
  if (problem) return refuse(passage, `${problem.reason} (at ${problem.pointer})`);
  const text = canonicalText(given);
  const complaint = command.generation ? undefined : findComplaint(command, text);
  return complaint ? refuse(passage, complaint) : { ...passage, request: freeze(JSON.parse(text) as Json) };
}

function refuse(passage: Routed, reason: string): Halt {
  return halt(passage, 'schema_invalid', `the request cannot be sent: ${reason}`);
}

/** A prompt is as long as its author made it; only what a tool or binding is asked has a limit. */
function findComplaint({ call, request }: Invoke, text: string): string | undefined {
  const bytes = Buffer.byteLength(text);
  const { max_request_bytes } = call.limits;
  if (bytes > max_request_bytes) return `it has ${bytes} bytes, and ${max_request_bytes} are allowed`;
  const problems = (call.input?.validate(request) ?? []).filter((problem) => problem.severity !== 'note');
  if (problems.length === 0) return undefined;
  return problems.map(({ message, pointer }) => (pointer ? `${message} (at ${pointer})` : message)).join('; ');
}

/** What a chat source is asked: the conversation, and the schema where it travels beside the messages. */
export function toChatRequest({ messages, offered, schema_delivery }: Generation): ChatRequest {
  return {
    messages: messages.map(({ role, segments }) => ({ role, content: segments.map(({ text }) => text).join('') })),
    ...(schema_delivery === 'response_format' ? { output_schema: { name: offered.name, schema: offered.schema } } : {}),
  };
}

function freeze(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  Object.values(value).forEach(freeze);
  return Object.freeze(value);
}
