import type { HttpServer } from '../../engine/operations/composition.js';
import { toDesk } from '../../engine/operations/serving/serve.js';
import { startServer } from '../../engine/surfaces/http/server.js';
import type { Answers } from '../../fixtures/toys/scripted-model/index.js';
import { openParkStage, type ParkStage, type Play } from './park-stage.js';

export const TOKENS = {
  token: 'a-consumer-of-worlds-with-32-characters',
  operator_token: 'an-operator-of-worlds-with-32-characters',
};

/** Three turns of the park, played and served. */
export interface ServedPark {
  readonly stage: ParkStage;
  readonly server: HttpServer;
  readonly play: Play;
  close(): Promise<void>;
}

/** Plays the park on a PostgreSQL database and serves its pages. Close it. @param says in place of the park's script */
export async function servePark(says?: Answers): Promise<ServedPark> {
  const stage = await openParkStage('PostgreSQL');
  const play = await stage.play({ scenario: 'park', turns: 3, ...(says === undefined ? {} : { says }) });
  const server = await startServer(toDesk(stage.engine), TOKENS, { host: '127.0.0.1', port: 0 });
  const close = async (): Promise<void> => {
    await server.close(0);
    await stage.close();
  };
  return { stage, server, play, close };
}
