import type { Capabilities, Json, JsonObject, ParsedAnswer, SourceFailureClass } from 'chukwa/plugin';

/** A parsed answer, or why it is none. */
export type Answer =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly failure_class: SourceFailureClass; readonly message: string };

/** Parses a text, in the reading that its call asks for. */
type ReadJson = (text: string) => ParsedAnswer;

/** The tools of a server, by name, as it defines them. */
export type Listing = ReadonlyMap<string, JsonObject>;

/** One page of `tools/list`: its tools, and where the next one begins. */
export interface ListingPage {
  readonly tools: Listing;
  readonly next_cursor?: string;
}

/** The names that a message shows. */
const NAMES_MAX = 20;
const PLAIN_NAME = /^[A-Za-z0-9_./-]{1,128}$/;

/**
 * Reads a tool's answer. Structured content is preferred; text is parsed only where the source or the server says that
 * it is JSON; otherwise the answer is the texts, also those within resources and about links, and the kinds of other
 * content. What is for the user alone is no model's. No message quotes the tool.
 * @param text_is_json the source says so, or the server by declaring an output schema
 */
export function readResult(result: JsonObject, text_is_json: boolean, readJson: ReadJson): Answer {
  if ((result['isError'] ?? false) !== false) return bad('tool_error', 'the tool answered that it failed');
  const structured = result['structuredContent'];
  if (structured !== undefined) return { ok: true, value: structured };
  const blocks = result['content'];
  if (!isList(blocks)) return bad('transport', 'the server answered with something that is no result of a tool');
  return text_is_json ? parseOnly(blocks, readJson) : { ok: true, value: toContent(blocks) };
}

/** Reads one page of `tools/list`; entries that are no tools are skipped. */
export function readListing(result: JsonObject): ListingPage {
  const tools = toTools(result).flatMap((tool) => {
    const { name } = tool;
    return typeof name === 'string' ? [[name, tool] as const] : [];
  });
  const next = result['nextCursor'];
  return { tools: new Map(tools), ...(typeof next === 'string' ? { next_cursor: next } : {}) };
}

/** The tools of a page, in the server's words. */
export function toTools({ tools }: JsonObject): readonly JsonObject[] {
  return isList(tools) ? tools.filter(isObject) : [];
}

/**
 * Parts tools that can be stored from those that cannot, such as one that is nested too deeply: one of them must not hide
 * the others.
 */
export function partTools(
  tools: readonly JsonObject[],
  parseJson: Capabilities['parseJson'],
): { readonly tools: readonly JsonObject[]; readonly left_out: readonly JsonObject[] } {
  const read = tools.map((tool, index) => {
    const parsed = parseJson(JSON.stringify({ tools: [tool] }));
    const { name } = tool;
    const shown = typeof name === 'string' && PLAIN_NAME.test(name) ? name : `tool ${index + 1} of the list`;
    return { tool, left_out: parsed.ok ? [] : [{ name: shown, reason: parsed.reason }] };
  });
  return {
    tools: read.filter(({ left_out }) => left_out.length === 0).map(({ tool }) => tool),
    left_out: read.flatMap(({ left_out }) => left_out),
  };
}

/** Whether a tool says that its answer is JSON. */
export function declaresOutput({ outputSchema }: JsonObject): boolean {
  return isObject(outputSchema);
}

/** Says that a tool is missing, and which there are. */
export function describeMissing(tool_name: string, listing: Listing): string {
  const names = [...listing.keys()].filter((name) => PLAIN_NAME.test(name)).toSorted();
  const shown = names.slice(0, NAMES_MAX).join(', ');
  const more = names.length > NAMES_MAX ? ` and ${names.length - NAMES_MAX} more` : '';
  return `the server has no tool ${tool_name}; ${names.length === 0 ? 'it has none' : `it has ${shown}${more}`}`;
}

/** Describes an error of the protocol by its code alone: the rest of it is the server's text. */
export function describeCode(code: number): string {
  const meaning = CODES.get(code);
  return `the server answered the call with error ${code}${meaning === undefined ? '' : ` (${meaning})`}`;
}

/** Resource not found, and a URL that a person has to open first. */
const REFUSALS_OF_MCP = [-32002, -32042];

/** Whether an error says that the call was not handled. After any other, such as an internal error, it may have been. */
export function isRefusal(code: number): boolean {
  return (CODES.has(code) && code !== INTERNAL_ERROR) || REFUSALS_OF_MCP.includes(code);
}

const INTERNAL_ERROR = -32603;

const CODES: ReadonlyMap<number, string> = new Map([
  [-32700, 'parse error'],
  [-32600, 'invalid request'],
  [-32601, 'method not found'],
  [-32602, 'invalid parameters'],
  [INTERNAL_ERROR, 'internal error'],
]);

function parseOnly(blocks: readonly Json[], readJson: ReadJson): Answer {
  const texts = blocks.flatMap((block) => (kindOf(block) === 'text' ? (readBlock(block)?.text ?? []) : []));
  const [text, ...others] = texts;
  if (text === undefined || others.length > 0)
    return bad('non_json', `the tool answered with ${texts.length} texts, where one that is JSON is expected`);
  const parsed = readJson(text);
  if (parsed.ok) return parsed;
  const repair = parsed.is_json ? '; the source takes it with "json": "lenient"' : '';
  return bad('non_json', `the tool answered with a text that is not JSON: ${parsed.reason}${repair}`);
}

function toContent(blocks: readonly Json[]): JsonObject {
  const content = blocks.flatMap((block) => readBlock(block) ?? []);
  const left_out = blocks
    .filter((block) => readBlock(block) === undefined)
    .map((block) => (isForModel(block) ? kindOf(block) : `${kindOf(block)} for the user`));
  return { content, ...(left_out.length > 0 ? { left_out } : {}) };
}

/** A text, and where it is from; undefined where a block has none for a model. */
interface ContentText extends JsonObject {
  readonly type: 'text';
  readonly text: string;
}

function readBlock(block: Json): ContentText | undefined {
  if (!isObject(block) || !isForModel(block)) return undefined;
  if (kindOf(block) === 'text') return toText(block['text']);
  const { resource, uri, title, name, description } = block;
  if (kindOf(block) === 'resource' && isObject(resource)) return toText(resource['text'], resource['uri']);
  if (kindOf(block) !== 'resource_link') return undefined;
  return toText([title ?? name, description].filter((part) => typeof part === 'string').join(': '), uri);
}

function toText(text: Json | undefined, uri?: Json): ContentText | undefined {
  if (typeof text !== 'string') return undefined;
  return { type: 'text', text, ...(typeof uri === 'string' ? { uri } : {}) };
}

/** A server may say for whom a block is. */
function isForModel(block: Json): boolean {
  const annotations = isObject(block) ? block['annotations'] : undefined;
  const audience = isObject(annotations) ? annotations['audience'] : undefined;
  return !isList(audience) || audience.length === 0 || audience.includes('assistant');
}

function kindOf(block: Json): string {
  const kind = isObject(block) ? block['type'] : undefined;
  return typeof kind === 'string' ? kind : 'unknown';
}

function bad(failure_class: SourceFailureClass, message: string): Answer {
  return { ok: false, failure_class, message };
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !isList(value);
}
