import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import { type Frame, placeOfEvent, STREAM_BEGINNING, type StreamView, toFrames } from '../../core/stream/frames.js';
import type { HttpDesk } from '../composition.js';
import type { Archive } from '../engine.js';
import { attemptUnknown } from '../browse/records.js';
import { unknownWorld } from '../worlds/worlds.js';
import { Channel, type Listener } from './channel.js';
import { isAtEnd, type Position, reachOf, readOn, type Track } from './track.js';

export interface StreamRequest {
  readonly track: Track;
  readonly view: StreamView;
  /** The id of the event after which it resumes. */
  readonly last_event_id?: string;
  /** Skip stored events, unless an id is given. */
  readonly from_now: boolean;
}

export interface StreamSink extends Listener {
  /** Receives stored events, with backpressure. @throws where the reader is gone */
  write(bytes: Uint8Array): Promise<void>;
  /** All stored events have been sent, and more may come. */
  begin(): void;
  /** Aborted when the reader disconnects. */
  readonly left: AbortSignal;
}

export type Streams = ReturnType<typeof openStreams>;

/** The streams of a server. */
export function openStreams(look: HttpDesk['look']) {
  const channels = new Map<string, Channel>();
  const channelOf = (track: Track): Channel => {
    const key = track.kind === 'attempt' ? track.attempt_id : `/${track.world_slug}`;
    const known = channels.get(key);
    if (known !== undefined) return known;
    const read = async (position: Position, until?: number) => {
      const found = await look(async ({ store }) => succeed(await readOn(store.facts, track, position, until)));
      if (!found.ok) throw new Error('the record cannot be read');
      return found.value;
    };
    const channel = new Channel(track, read, () => {
      if (channels.get(key) === channel) channels.delete(key);
    });
    channels.set(key, channel);
    return channel;
  };
  return {
    /**
     * Sends a reader the stored events, and then new ones until the attempt ends or the reader disconnects.
     * @returns once it listens, or the stream has ended; refused where the record cannot be read, or has no such event
     */
    async follow(request: StreamRequest, sink: StreamSink): Promise<Outcome<{ readonly is_over: boolean }>> {
      const stored = await sendStored(look, request, sink);
      if (!stored.ok || stored.value.is_over || sink.left.aborted) return stored;
      sink.begin();
      try {
        const leave = await channelOf(request.track).join(request.view, stored.value.reached, sink);
        if (sink.left.aborted) leave();
        else sink.left.addEventListener('abort', leave, { once: true });
      } catch {
        sink.end();
      }
      return stored;
    },
    /** Checks a request for a stream. @returns a refusal where `follow` would refuse at once */
    find: (request: Omit<StreamRequest, 'view'>): Promise<Outcome<unknown>> =>
      look((archive) => findBeginning(archive, request)),
    /** Ends all streams; their readers can come back elsewhere. */
    close(): void {
      for (const channel of channels.values()) channel.close();
    },
  };
}

async function sendStored(look: HttpDesk['look'], request: StreamRequest, sink: StreamSink) {
  const { track, view, last_event_id, from_now } = request;
  const begin = await look((archive) => findBeginning(archive, request));
  if (!begin.ok) return begin;
  let position = begin.value;
  let state = STREAM_BEGINNING;
  let sought = last_event_id;
  for (let has_more = true; has_more && !sink.left.aborted; ) {
    const found = await look(async ({ store }) => succeed(await readOn(store.facts, track, position)));
    if (!found.ok) return found;
    const { facts } = found.value;
    ({ position, has_more } = found.value);
    const translated = toFrames(state, facts, view);
    state = translated.state;
    const { rest, isFound } = skipTo(translated.frames, sought);
    if (isFound) sought = undefined;
    if (sought !== undefined && isPast(position, sought)) break;
    if (rest.length === 0 || (from_now && last_event_id === undefined)) continue;
    await sink.write(Buffer.from(rest.map(({ text }) => text).join('')));
  }
  if (sought !== undefined) return refuse(problem('EVENT_ID_UNKNOWN', { id: sought }));
  return succeed({ reached: { position, state }, is_over: isAtEnd(track, position) });
}

/** Whether an event would have been met: its fact, or all of its attempt, has been read. */
function isPast(position: Position, id: string): boolean {
  return position.is_over || reachOf(position) >= (placeOfEvent(id)?.event_id ?? 0);
}

function skipTo(frames: readonly Frame[], sought: string | undefined) {
  if (sought === undefined) return { rest: frames, isFound: true };
  const place = frames.findIndex(({ id }) => id === sought);
  return place === -1 ? { rest: [], isFound: false } : { rest: frames.slice(place + 1), isFound: true };
}

/** Where reading begins: always at an attempt's first fact, because later events depend on earlier ones. */
async function findBeginning(
  { store }: Archive,
  { track, last_event_id, from_now }: Omit<StreamRequest, 'view'>,
): Promise<Outcome<Position>> {
  const { facts, worlds } = store;
  const world = track.kind === 'world' ? await worlds.find(track.world_slug) : undefined;
  if (track.kind === 'world' && world === undefined) return unknownWorld({ store }, track.world_slug);
  const own = track.kind === 'attempt' ? await facts.attempt(track.attempt_id) : undefined;
  if (track.kind === 'attempt' && own === undefined) return refuse(attemptUnknown(track.attempt_id));
  if (last_event_id !== undefined) {
    const cursor = await facts.attempt(placeOfEvent(last_event_id)?.attempt_id ?? '');
    const isHere = track.kind === 'world' ? cursor?.world_slug === track.world_slug : isSame(cursor, own);
    return cursor !== undefined && isHere ? at(cursor) : refuse(problem('EVENT_ID_UNKNOWN', { id: last_event_id }));
  }
  if (track.kind === 'world' && from_now) return at(await facts.latest(track.world_slug));
  return at(own);
}

function isSame(one: Position['cursor'], other: Position['cursor']): boolean {
  return one?.attempt_id === other?.attempt_id;
}

function at(cursor: Position['cursor']): Outcome<Position> {
  return succeed({ cursor, is_over: false });
}
