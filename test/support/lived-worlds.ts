import assert from 'node:assert/strict';
import { make } from '../../engine/catalogue/act.js';
import { deleteWorld } from '../../engine/catalogue/actions/worlds.js';
import { personHere } from '../../engine/operations/people/person-here.js';
import type { HttpServer } from '../../engine/operations/composition.js';
import { toDesk } from '../../engine/operations/serving/serve.js';
import { startServer } from '../../engine/surfaces/http/server.js';
import { assertDocumented } from './documented-answers.js';
import { lettersToApprove, loadScript, must, openParkStage, type ParkStage } from './park-stage.js';
import type { Scope } from './folder.js';
import { TOKENS } from './served-park.js';
import { misbehave } from './faults.js';
import { playReading } from './reading-study.js';

/** Worlds in which everything has happened that a page can tell, and a server of their pages. */
export interface LivedWorlds {
  readonly stage: ParkStage;
  readonly server: HttpServer;
  /** The names of a world of three turns, and of its fork. */
  readonly park: string;
  readonly fork: string;
  close(): Promise<void>;
}

/**
 * Plays on one database: the park, with a rejected answer, a failed attempt and one that adopts it; its fork; people who
 * think concurrently; several nodes; services that fail; readings by GET and from a file; a call that waits, one that
 * was reported, one that is in doubt and one that was settled; one that waits for a person, and one that was denied; turns that are queued; a study; a world that was deleted. Close it.
 */
export async function serveLivedWorlds(): Promise<LivedWorlds> {
  const stage = await openParkStage('PostgreSQL');
  const server = await startServer(toDesk(stage.engine), TOKENS, { host: '127.0.0.1', port: 0 });
  const closings: (() => Promise<unknown>)[] = [() => server.close(0), stage.close];
  const act: Act = async (path, body) => {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKENS.operator_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ reason: 'to see what comes of it', ...body }),
    });
    const text = await response.text();
    assert.equal(response.status, 202, `${path}: ${text}`);
    assertDocumented('POST', path, { status: 202, type: response.headers.get('content-type') ?? '', text });
  };
  const places = await playPark(stage, act);
  await stage.play({ scenario: 'village', turns: 3 });
  for (const scenario of ['clerk', 'notice-board', 'out-of-order', 'weather-station', 'phone-inbox'])
    await stage.play({ scenario });
  await playLetters(stage, act);
  await playApprovals(stage, act, { after: (remove) => closings.push(remove) });
  await playDoubts(stage, act);
  await playReading(stage, { after: (remove) => closings.push(remove) });
  const { world_slug } = await stage.play({ scenario: 'simple' });
  must(await make(stage.engine, deleteWorld, { world_slug }, personHere()));
  const close = async (): Promise<void> => {
    for (const closing of closings) await closing();
  };
  return { stage, server, ...places, close };
}

type Act = (path: string, body: object) => Promise<void>;

async function playPark(stage: ParkStage, act: Act): Promise<Pick<LivedWorlds, 'park' | 'fork'>> {
  const script = await loadScript('park');
  const fails = { ...script.turns['2'], 'ant/act/round-1/try-1': { status: 500 } };
  const says = { ...script, turns: { ...script.turns, '2': fails } };
  const { world_slug: park } = await stage.play({ scenario: 'park', says, turns: 2 });
  stage.model.setScript(script);
  await stage.run(await stage.world(park), { turns: 2 });
  const fork = `${park}-forked`;
  await act(`/worlds/${park}/fork`, { at_turn: 1, as: fork });
  await stage.run(await stage.world(fork));
  await act(`/worlds/${fork}/turns`, { turns: 2 });
  return { park, fork };
}

async function playLetters(stage: ParkStage, act: Act): Promise<void> {
  await stage.play({ scenario: 'letters' });
  const { attempts, before } = await stage.play({ scenario: 'letters' });
  const call = attempts[0]?.awaited[0]?.source_invocation_id ?? '';
  const answer = { status: 'answered', from: 'Emil', body: 'I come with the first snow.', postage: 'paid' };
  await act(`/source-invocations/${call}/report`, { answer });
  await stage.run(before);
  const stopped = await stage.play({ scenario: 'letters' });
  await act(`/attempts/${stopped.attempts[0]?.attempt_id}/stop`, {});
}

/** A letter that waits for a person, a bill that was denied, and one that a grant has approved. */
async function playApprovals(stage: ParkStage, act: Act, test: Scope): Promise<void> {
  for (const [path, said] of [
    ['', { decision: 'denied' }],
    ['/grant', { uses: 2 }],
  ] as const) {
    const { report, before } = await stage.play({ scenario: 'bills' });
    await act(`/approvals/${report.unapproved?.[0]?.approval_id}${path}`, said);
    await stage.run(before);
  }
  await stage.play({ scenario: 'letters', workflows: await lettersToApprove(test) });
}

async function playDoubts(stage: ParkStage, act: Act): Promise<void> {
  misbehave(stage.toys.vending, 'reset_connection');
  await stage.play({ scenario: 'tools' });
  const { attempts } = await stage.play({ scenario: 'tools' });
  misbehave(stage.toys.vending);
  await act(`/source-invocations/${attempts[0]?.failed_source_invocation_id}/settlement`, {});
}
