import type {
  Capabilities,
  ChatRequest,
  InvocationContext,
  Json,
  SourceAnswer,
  SourcePlugin,
  TransportFacts,
} from 'chukwa/plugin';
import { type Arrival, readBody, readRefused } from './body.js';
import type { LlmChatInterface } from './interface.js';
import { Listener } from './listener.js';
import { type AskedOf, readProviderError } from './provider-error.js';
import { baseUrlVariable, keyVariable } from './request.js';
import { openSender, type Send } from './send.js';
import { listVariations } from './variations.js';

const plugin: SourcePlugin = {
  listVariations: (definition, question) => listVariations(definition as unknown as LlmChatInterface, question),
  open(definition, capabilities) {
    const settings = definition.interface as unknown as LlmChatInterface;
    const asking = { settings, capabilities, send: openSender(settings, capabilities) };
    return {
      names_its_calls: true,
      invoke: (request, context) => ask(asking, request as unknown as ChatRequest, context),
    };
  },
};

export default plugin;

/** A source that is open. */
interface Asking {
  readonly settings: LlmChatInterface;
  readonly capabilities: Capabilities;
  readonly send: Send;
}

async function ask(
  { settings, capabilities, send }: Asking,
  request: ChatRequest,
  context: InvocationContext,
): Promise<SourceAnswer> {
  const asked = toAskedOf(settings, capabilities, request);
  const response = await send(request, context);
  const facts: TransportFacts = {
    http_status: response.status,
    response_headers: Object.fromEntries(response.headers.entries()),
  };
  if (!response.ok)
    return answerRefused(response, facts, asked, { failure: capabilities.failure, trace: context.trace });
  const listener = new Listener(asked, settings.reasoning ?? 'strip_think', capabilities, context);
  try {
    if (response.body) await listen(response.body, listener, capabilities);
    return { value: listener.conclude(response.headers.get('content-type')) as unknown as Json, facts };
  } catch (error) {
    throw toFailure(error, { ...facts, ...listener.kept() }, capabilities.failure);
  } finally {
    listener.report();
  }
}

/** How long the end of a response may take, once the model has said all. */
const END_WAIT_MS = 2_000;

/** Reads a response to its end, or as long as more of an answer may come. */
async function listen(body: ReadableStream<Uint8Array>, listener: Listener, capabilities: Capabilities): Promise<void> {
  let stop = (): void => {};
  let cancelAlarm: (() => void) | undefined;
  const handed = { ...capabilities, onReader: (cancel: () => void) => void (stop = cancel) };
  try {
    for await (const arrival of unlessWhole(readBody(body, handed), listener)) {
      listener.handle(arrival);
      if (listener.is_exceeded) return listener.hangUp();
      if (!listener.is_finished) continue;
      cancelAlarm ??= capabilities.alarm(END_WAIT_MS, () => {
        cancelAlarm = undefined;
        if (!listener.is_finished) return;
        listener.hangUp();
        stop();
      });
    }
  } finally {
    cancelAlarm?.();
  }
}

/** A connection that breaks behind a whole answer has brought it. */
async function* unlessWhole(arrivals: AsyncGenerator<Arrival>, listener: Listener): AsyncGenerator<Arrival> {
  try {
    yield* arrivals;
  } catch (error) {
    if (!listener.is_whole) throw error;
    listener.hangUp();
  }
}

function toAskedOf(
  settings: LlmChatInterface,
  { model = '', quote, origin }: Capabilities,
  { output_schema, native }: ChatRequest,
): AskedOf {
  const isObject = settings.schema_delivery === 'json_object';
  return {
    model,
    is_native: native !== undefined,
    base_url_variable: baseUrlVariable(settings),
    key_variable: origin?.connection === undefined ? keyVariable(settings) : `the connection ${origin.connection}`,
    ...(output_schema ? { response_format: 'json_schema' } : isObject ? { response_format: 'json_object' } : {}),
    quote,
  };
}

/** A status outside 200 to 299 is a failure, unless the error holds the model's answer. */
async function answerRefused(
  response: Response,
  seen: TransportFacts,
  asked: AskedOf,
  { failure, trace }: Pick<Capabilities, 'failure'> & Pick<InvocationContext, 'trace'>,
): Promise<SourceAnswer> {
  const facts = { ...seen, ...(await readRefused(response)) };
  const quote = (said: string): string => asked.quote(said, facts.is_body_cut ? 'cut' : 'whole');
  const retry_after = response.headers.get('retry-after');
  const error = {
    http_status: response.status,
    body: new TextDecoder().decode(facts.body),
    ...(retry_after === null ? {} : { retry_after }),
  };
  const read = readProviderError(error, { ...asked, quote });
  if ('failure_class' in read) throw failure(read.failure_class, read.message, facts);
  if (read.text !== '') trace.chunk(read.text);
  return { value: { ...read }, facts };
}

/** Converts an exception of a reader to a failure, with the transport facts. */
function toFailure(error: unknown, facts: TransportFacts, failure: Capabilities['failure']): unknown {
  if (isSourceFailure(error)) return failure(error.failure_class, error.message, { ...facts, ...error.facts });
  return failure('transport', `the stream broke: ${error instanceof Error ? error.message : String(error)}`, facts);
}

function isSourceFailure(thrown: unknown): thrown is ReturnType<Capabilities['failure']> {
  return typeof thrown === 'object' && thrown !== null && 'source_failure' in thrown;
}
