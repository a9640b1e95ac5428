import type { Capabilities, ChatAnswer, InvocationContext, TransportFacts } from 'chukwa/plugin';
import { conclude, Received, lengthOf, toProviderArtifact } from './answer.js';
import type { Arrival } from './body.js';
import { isFields, readChunk } from './chunk.js';
import { DONE } from './event-stream.js';
import type { LlmChatInterface } from './interface.js';
import { type AskedOf, findError, readErrorStatus, readProviderError } from './provider-error.js';
import { type Split, Wrapper } from './wrapper.js';

/** How many characters of a complete body that is no answer are kept. */
const KEPT_MAX = 65_536;

/** Listens to one answer as it arrives, and reports it: the pieces of its text at once, everything else at its end. */
export class Listener {
  readonly #asked: AskedOf;
  readonly #capabilities: Pick<Capabilities, 'failure' | 'quote'>;
  readonly #context: Pick<InvocationContext, 'trace' | 'max_result_bytes'>;
  readonly #wrapper: Wrapper;
  readonly #received = new Received();
  #arrived = false;
  #events = 0;
  #whole: string | undefined;
  #neither: Extract<Arrival, { kind: 'neither' }> | undefined;
  #instead: ChatAnswer | undefined;

  constructor(
    asked: AskedOf,
    reasoning: NonNullable<LlmChatInterface['reasoning']>,
    capabilities: Pick<Capabilities, 'failure' | 'quote'>,
    context: Pick<InvocationContext, 'trace' | 'max_result_bytes'>,
  ) {
    this.#asked = asked;
    this.#capabilities = capabilities;
    this.#context = context;
    this.#wrapper = new Wrapper(reasoning === 'strip_think');
  }

  /** @throws SourceFailure for an error, for a part of no answer, and beyond the size limit */
  handle(arrival: Arrival): void {
    if (arrival.kind === 'neither') return void (this.#neither = arrival);
    this.#arrived = true;
    if (arrival.kind === 'events') return arrival.events.forEach((data) => this.#handleData(data));
    this.#whole = arrival.text;
    this.#handleData(arrival.text);
  }

  /** The model has said all that it will: the rest of the response is not needed. */
  get is_finished(): boolean {
    return this.#wrapper.is_whole || this.#received.finish_reason !== undefined;
  }

  /** Nothing of an answer comes any more: the response is not to be read further. */
  get is_exceeded(): boolean {
    return this.#whole === undefined && this.#wrapper.is_exceeded;
  }

  /** The answer is whole by itself, however the response ends. Calls of native tools may follow a text. */
  get is_whole(): boolean {
    return this.#whole === undefined && !this.#asked.is_native && this.#wrapper.is_whole;
  }

  /** The response was not read to its end. */
  hangUp(): void {
    this.#received.is_hung_up = true;
  }

  /** The result of the answer, at the end of its body. @throws SourceFailure where there is no answer */
  conclude(content_type: string | null): ChatAnswer {
    const { failure, quote } = this.#capabilities;
    if (this.#instead !== undefined) return this.#say(this.#instead);
    if (this.#events === 0) throw failure('transport', this.#describeNothing(content_type));
    if (this.is_whole) this.hangUp();
    this.#flush();
    const conclusion = conclude(this.#received, { quote, is_native: this.#asked.is_native });
    if (!conclusion.ok) throw failure(conclusion.failure_class, conclusion.message);
    const isWritten = conclusion.answer.text === this.#received.text;
    return isWritten ? conclusion.answer : this.#say(conclusion.answer);
  }

  /** Records artifacts beside the call: provider, and texts that are no part of the answer. */
  report(): void {
    const { trace } = this.#context;
    this.#flush();
    const received = this.#received;
    if (received.refusal !== '') trace.artifact('refusal', received.refusal);
    if (received.reasoning !== '') trace.artifact('reasoning', received.reasoning);
    const { set_aside } = this.#wrapper;
    if (set_aside !== undefined) trace.artifact('set_aside', { ...set_aside });
    if (this.#events > 0) trace.artifact('provider', toProviderArtifact(received));
  }

  /** The facts that a failure keeps: the finish reason, and the useful part of a body that is no answer. */
  kept(): Pick<TransportFacts, 'body' | 'is_body_cut' | 'finish_reason'> {
    const { finish_reason } = this.#received;
    if (finish_reason !== undefined) return { finish_reason };
    if (this.#neither !== undefined) return { body: this.#neither.body, is_body_cut: this.#neither.is_body_cut };
    if (this.#whole === undefined || this.#events > 0) return {};
    const body = new TextEncoder().encode(this.#whole.slice(0, KEPT_MAX));
    return { body, is_body_cut: this.#whole.length > KEPT_MAX };
  }

  #handleData(data: string): void {
    if (this.#instead !== undefined || this.is_exceeded) return;
    if (data === DONE) {
      this.#events += 1;
      this.#received.is_done = true;
      return;
    }
    const event = this.#parse(data);
    if (isError(event)) return this.#handleError(data);
    const chunk = readChunk(event, this.#received.text === '' && this.#received.finish_reason === undefined);
    if (chunk === undefined) {
      // Behind the answer, as behind [DONE], it takes nothing back.
      if (this.is_finished) return;
      throw this.#capabilities.failure('transport', this.#describeOdd(data));
    }
    this.#events += 1;
    this.#received.append(chunk);
    if (chunk.usage) this.#context.trace.tokens(chunk.usage);
    if (chunk.text !== '') this.#handleText(this.#wrapper.push(chunk.text));
    this.#limit();
  }

  #handleError(data: string): void {
    const http_status = readErrorStatus(data);
    const coded = http_status === undefined ? {} : { http_status };
    const read = readProviderError({ body: data, in_answer: true, ...coded }, this.#asked);
    if ('failure_class' in read) {
      const body = new TextEncoder().encode(data.slice(0, KEPT_MAX));
      const facts = { ...coded, body, is_body_cut: data.length > KEPT_MAX };
      throw this.#capabilities.failure(read.failure_class, read.message, facts);
    }
    this.#events += 1;
    // The text that was streamed before is a prefix of it.
    const rest = read.text.startsWith(this.#received.text) ? read.text.slice(this.#received.text.length) : read.text;
    this.#instead = { text: rest, finish_reason: read.finish_reason };
  }

  #handleText(split: Split): void {
    this.#received.appendText(split);
    if (split.text !== '') this.#context.trace.chunk(split.text);
  }

  #flush(): void {
    this.#handleText(this.#wrapper.end());
  }

  /** Reports an answer that did not stream in as text. */
  #say(answer: ChatAnswer): ChatAnswer {
    this.#flush();
    this.#handleText({ text: answer.text, reasoning: '' });
    return { ...answer, text: this.#received.text };
  }

  #limit(): void {
    const { max_result_bytes } = this.#context;
    if (lengthOf(this.#received) + this.#wrapper.held_length <= max_result_bytes) return;
    const message = `the model said more than ${max_result_bytes} bytes, which is the limit`;
    throw this.#capabilities.failure('result_too_large', message);
  }

  #parse(data: string): unknown {
    try {
      return JSON.parse(data);
    } catch {
      if (this.is_finished) return undefined;
      const what = this.#whole === undefined ? 'the stream held an event' : 'the endpoint answered with a body';
      throw this.#capabilities.failure('transport', `${what} that is not JSON, or was cut on the way`);
    }
  }

  #describeOdd(data: string): string {
    const what = this.#whole === undefined ? 'the stream held an event that' : 'the endpoint answered with JSON that';
    return `${what} is no part of an answer: ${this.#asked.quote(data)}`;
  }

  #describeNothing(content_type: string | null): string {
    const type = content_type === null ? 'no content type' : content_type;
    if (!this.#arrived && (content_type ?? '').startsWith('text/event-stream'))
      return 'the answer ended before the model had finished: it was cut on the way';
    return `the endpoint answered without a stream (${type}): does ${this.#asked.base_url_variable} lead to an OpenAI-compatible API? Most end in /v1`;
  }
}

function isError(event: unknown): boolean {
  return isFields(event) && (Boolean(findError(event)) || event['object'] === 'error');
}
