import { type Helper, openHelper } from '../helper.js';
import type { Cost } from '../measures.js';
import type { CapturedCall } from '../stage.js';
import type { BareClients } from './bare-turn.js';

/** Makes the engine's calls again: without a record, with one that is written by hand, or by another framework. */
export interface Arm {
  turn(calls: readonly CapturedCall[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * A module of an arm exports it as `open`.
 * @param place the URL of an empty database of its own, or the folder for one
 */
export type OpenArm = (place: string, clients: BareClients) => Promise<Arm>;

/** Turns, so many of them at once, one round of turns after the other. */
export interface Block {
  readonly turns: readonly (readonly CapturedCall[])[];
  readonly at_once: number;
}

/** An arm that runs in a process of its own: what an arm switches on in its process, such as promise hooks, slows no other. */
export type RunningArm = Helper<Block, Cost>;

/** Starts an arm. Close it. @param module of the arm; TypeScript, where it is none of this program */
export function startArm(module: URL, place: string): Promise<RunningArm> {
  const flags = module.pathname.endsWith('.ts') ? ['--import', 'tsx'] : [];
  return openHelper(new URL('./arm-process.js', import.meta.url), [module.href, place], flags);
}

/** The module of an arm of this program. */
export function armModule(name: 'unrecorded' | 'fused' | 'hand-written'): URL {
  return new URL(`./arms/${name}.js`, import.meta.url);
}
