import type { TestContext } from 'node:test';
import { compose } from '../../engine/main.js';
import type { Archive } from '../../engine/operations/engine.js';
import type { HttpDesk, HttpServer } from '../../engine/operations/composition.js';
import { startServer } from '../../engine/surfaces/http/server.js';
import { must, type ParkStage } from './park-stage.js';
import { TOKENS } from './served-park.js';

/** Serves what an engine has stored, until the test is over. @param port any that is free where it is left out */
export async function serveStored(t: TestContext, archive: Archive, port = 0): Promise<HttpServer> {
  const desk: HttpDesk = {
    report: async () => ({ ok: true, value: { accepted: true, message: 'kept' } }),
    act: async () => ({ ok: true, value: { accepted: true, message: 'kept' } }),
    isReady: async () => true,
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
