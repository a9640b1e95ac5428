import type { TestContext } from 'node:test';
import { compose } from '../../engine/main.js';
import type { Told } from '../../engine/core/stream/told.js';
import type { Archive } from '../../engine/operations/engine.js';
import type { HttpDesk, HttpServer } from '../../engine/operations/composition.js';
import type { FactCursor } from '../../engine/ports/stream.js';
import type { FactReader } from '../../engine/store/open-store.js';
import { startServer } from '../../engine/surfaces/http/server.js';
import { must, type ParkStage } from './park-stage.js';
import { TOKENS } from './served-park.js';

/** Serves what an engine has stored, until the test is over. @param port any that is free where it is left out */
export async function serveStored(t: TestContext, archive: Archive, port = 0): Promise<HttpServer> {
  const desk: HttpDesk = {
    report: async () => ({ ok: true, value: { accepted: true, message: 'kept' } }),
    act: async () => ({ ok: true, value: { accepted: true, message: 'kept' } }),
    isReady: async () => true,
    use: async () => ({ ok: false, because: 'environment', problems: [] }) as const,
    checkReadable: async () => ({ ok: true, value: undefined }),
    look: (operation) => operation(archive),
  };
  const server = await startServer(desk, TOKENS, { host: '127.0.0.1', port });
  t.after(() => server.close(0));
  return server;
}

/** Another process's server over the same database: an engine of its own. */
export async function serveElsewhere(t: TestContext, { variables }: ParkStage): Promise<HttpServer> {
  const engine = must(await (await compose(variables)).openEngine());
  t.after(() => engine.close());
  return serveStored(t, engine);
}

/** The record of one attempt, whose model says so many characters each time somebody looks. */
export function talkative(attempt_id: string, characters: number): FactReader {
  const cursor: FactCursor = {
    world_slug: 'park',
    attempt_id,
    after: 0,
    last_invocation_seq: 0,
    missing_invocation_seqs: [],
    open: [],
  };
  const text = 'x'.repeat(characters);
  return {
    attempt: async () => cursor,
    next: async () => cursor,
    latest: async () => cursor,
    async read(from, until = from.after + 1) {
      const after = Math.max(from.after + 1, until);
      const facts: readonly Told[] = [{ kind: 'text_streamed', event_id: after, llm_call_id: 'generation', text }];
      return { facts, cursor: { ...from, after }, has_more: false, is_over: false };
    },
  };
}
