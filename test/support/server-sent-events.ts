/** One server-sent event as it came over the wire. */
export interface WireEvent {
  readonly id: string;
  readonly data: string;
  /** All bytes of it, the empty line at its end included. */
  readonly text: string;
}

/** Reads a response event by event, heartbeats and the head left out. Stops where the body ends or the caller leaves. */
export async function* readEvents(response: Response): AsyncGenerator<WireEvent> {
  if (response.body === null) return;
  let buffer = '';
  for await (const bytes of response.body.pipeThrough(new TextDecoderStream())) {
    buffer += bytes;
    for (let end = buffer.indexOf('\n\n'); end !== -1; end = buffer.indexOf('\n\n')) {
      const text = buffer.slice(0, end + 2);
      buffer = buffer.slice(end + 2);
      const lines = new Map(text.split('\n').map((line) => [line.split(': ')[0] ?? '', line.replace(/^\w*: ?/, '')]));
      const data = lines.get('data');
      if (data !== undefined) yield { id: lines.get('id') ?? '', data, text };
    }
  }
}

/** All events of a stream that ends. */
export async function readAll(response: Response): Promise<readonly WireEvent[]> {
  const events: WireEvent[] = [];
  for await (const event of readEvents(response)) events.push(event);
  return events;
}
