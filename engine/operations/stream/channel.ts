import { type StreamState, type StreamView, toFrames } from '../../core/stream/frames.js';
import { isAtEnd, type Position, reachOf, type Stretch, type Track } from './track.js';

/** The poll interval of a channel: at first, and at most while nothing happens. */
const LOOK_FIRST_MS = 200;
const LOOK_LAST_MS = 1_000;

/** A reader that has read all stored events, and gets new ones. */
export interface Listener {
  /** Is not awaited: the maker of a listener has to drop a slow one. */
  push(bytes: Uint8Array): void;
  end(): void;
}

interface Reached {
  readonly position: Position;
  readonly state: StreamState;
}

/** Reads on along the track of a channel. @throws where the database cannot be read */
type ReadOn = (position: Position, until?: number) => Promise<Stretch>;

interface Audience {
  readonly view: StreamView;
  state: StreamState;
  readonly listeners: Set<Listener>;
}

/**
 * All readers of one attempt or world at a server: one poll of the record serves all of them, and each view is rendered
 * once. Polls and joins are serialised, so that a reader misses nothing.
 */
export class Channel {
  readonly #track: Track;
  readonly #readOn: ReadOn;
  readonly #onEmpty: () => void;
  readonly #audiences = new Map<string, Audience>();
  #position: Position | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #wait_ms = LOOK_FIRST_MS;

  /** @param onEmpty called when the last listener has left */
  constructor(track: Track, readOn: ReadOn, onEmpty: () => void) {
    this.#track = track;
    this.#readOn = readOn;
    this.#onEmpty = onEmpty;
  }

  /**
   * Adds a listener that has read up to a position, and sends it the events since.
   * @returns a function that removes it
   */
  join(view: StreamView, reached: Reached, listener: Listener): Promise<() => void> {
    return this.#afterOthers(async () => {
      const { position, state } = await this.#meet(view, reached, listener);
      const audience = this.#audienceOf(view, state);
      audience.listeners.add(listener);
      this.#position = position;
      if (isAtEnd(this.#track, position)) this.#end();
      else this.#look();
      return () => this.#leave(audience, listener);
    });
  }

  close(): void {
    this.#end();
  }

  /** Brings a reader and the channel to the same position: the one behind reads on. */
  async #meet(view: StreamView, reached: Reached, listener: Listener): Promise<Reached> {
    const own = this.#position;
    if (own === undefined) return reached;
    if (reachOf(own) < reachOf(reached.position)) await this.#readUntil(reachOf(reached.position));
    const goal = reachOf(this.#position ?? own);
    let now = reached;
    while (reachOf(now.position) < goal) {
      const stretch = await this.#readOn(now.position, goal);
      const { state, frames } = toFrames(now.state, stretch.facts, view);
      if (frames.length > 0) listener.push(encode(frames));
      demandProgress(now.position, stretch.position);
      now = { position: stretch.position, state };
    }
    return now;
  }

  async #readUntil(goal: number): Promise<void> {
    for (let own = this.#position; own !== undefined && reachOf(own) < goal; own = this.#position) {
      await this.#advance(own, goal);
      demandProgress(own, this.#position);
    }
  }

  /** @returns whether there were new events */
  async #advance(position: Position, until?: number): Promise<boolean> {
    const stretch = await this.#readOn(position, until);
    this.#position = stretch.position;
    for (const audience of this.#audiences.values()) pushAll(audience, stretch);
    return stretch.facts.length > 0;
  }

  #look(): void {
    if (this.#timer !== undefined || this.#audiences.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      // Where the database is lost, readers reconnect, here or at another server.
      this.#afterOthers(() => this.#lookOnce()).catch(() => this.#end());
    }, this.#wait_ms);
  }

  async #lookOnce(): Promise<void> {
    if (this.#position === undefined) return;
    const hasHappened = await this.#advance(this.#position);
    this.#wait_ms = hasHappened ? LOOK_FIRST_MS : Math.min(this.#wait_ms * 2, LOOK_LAST_MS);
    if (isAtEnd(this.#track, this.#position)) this.#end();
    else this.#look();
  }

  #audienceOf(view: StreamView, state: StreamState): Audience {
    const key = `${view.format} ${view.reader}`;
    const known = this.#audiences.get(key);
    if (known !== undefined) return known;
    const audience: Audience = { view, state, listeners: new Set() };
    this.#audiences.set(key, audience);
    return audience;
  }

  #leave(audience: Audience, listener: Listener): void {
    audience.listeners.delete(listener);
    if (audience.listeners.size > 0) return;
    this.#audiences.delete(`${audience.view.format} ${audience.view.reader}`);
    if (this.#audiences.size === 0) this.#stop();
  }

  #end(): void {
    const listeners = [...this.#audiences.values()].flatMap((audience) => [...audience.listeners]);
    this.#audiences.clear();
    for (const listener of listeners) listener.end();
    this.#stop();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#onEmpty();
  }

  #afterOthers<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }
}

/** @throws Error where the world was deleted meanwhile */
function demandProgress(before: Position, after: Position | undefined): void {
  if (after === undefined || reachOf(after) <= reachOf(before)) throw new Error('the record has gone');
}

function pushAll(audience: Audience, { facts }: Stretch): void {
  const { state, frames } = toFrames(audience.state, facts, audience.view);
  audience.state = state;
  if (frames.length === 0) return;
  const bytes = encode(frames);
  for (const listener of audience.listeners) listener.push(bytes);
}

function encode(frames: readonly { readonly text: string }[]): Uint8Array {
  return Buffer.from(frames.map(({ text }) => text).join(''));
}
