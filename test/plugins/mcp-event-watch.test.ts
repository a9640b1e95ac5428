import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { watchEvents } from '../../plugins/mcp_tool/event-watch.js';

const EVENTS = ['event: message\ndata: {"id":1,"result":"one"}', 'data: two', ': a comment', 'data: {"id":1}'];

for (const end of ['\n', '\r\n', '\r'])
  test(`events are forwarded whole, wherever they are cut, with lines that end in ${JSON.stringify(end)}`, async () => {
    const written = EVENTS.map((event) => event.replaceAll('\n', end) + end + end).join('');
    const read = (size: number): Promise<string> => {
      const pieces = Array.from({ length: Math.ceil(written.length / size) }, (_, index) =>
        new TextEncoder().encode(written.slice(index * size, (index + 1) * size)),
      );
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          const piece = pieces.shift();
          if (piece === undefined) controller.close();
          else controller.enqueue(piece);
        },
      });
      const admit = () => ({ ok: true, value: null }) as never;
      return text(watchEvents(body, { id: '1', lost: new Map(), admit }));
    };
    const whole = await read(written.length);
    assert.ok(whole.split('\n\n').filter((event) => event.trim() !== '').length >= EVENTS.length);
    for (let size = 1; size <= 40; size += 1) assert.equal(await read(size), whole, `chunks of ${size} characters`);
  });
