import type { JsonObject } from '../../contract/json.js';
import { type Outcome, problem, refuse } from '../../contract/problem.js';
import { findMisshapen, type Shape } from '../../core/evidence/shape.js';
import type { Composition } from '../composition.js';
import type { Engine } from '../engine.js';
import { exportLedger } from '../ledger/export-ledger.js';
import { workHereOrThere } from '../serving/served.js';
import { makeCheckpoint, type Signer } from './checkpoint.js';
import { gatherBundle, gatherClaim } from './gather.js';

type OpenSigner = Composition['openSigner'];

/** What commands have made of the log of seals and of ledgers, by the database itself or by the server that holds it. */
const MAKERS = {
  checkpoint: {
    takes: {},
    make: (engine: Engine, openSigner: OpenSigner, _wanted: object) =>
      signed(openSigner, (signer) => makeCheckpoint(engine, signer, engine.runtime.clock.now())),
  },
  bundle: {
    takes: { named: 'text', redact: ['text'] },
    make: (engine: Engine, openSigner: OpenSigner, wanted: Omit<Parameters<typeof gatherBundle>[2], 'now'>) =>
      signed(openSigner, (signer) => gatherBundle(engine, signer, { ...wanted, now: engine.runtime.clock.now() })),
  },
  claim: {
    takes: { world_slug: 'text', entity_id: 'text', 'turn?': 'count', redact: ['text'] },
    make: (engine: Engine, openSigner: OpenSigner, wanted: Omit<Parameters<typeof gatherClaim>[2], 'now'>) =>
      signed(openSigner, (signer) => gatherClaim(engine, signer, { ...wanted, now: engine.runtime.clock.now() })),
  },
  ledger: {
    takes: { named: 'text' },
    make: (engine: Engine, _openSigner: OpenSigner, { named }: { readonly named: string }) =>
      exportLedger(engine, named),
  },
} as const satisfies Readonly<Record<string, { readonly takes: Shape; readonly make: unknown }>>;

type Makers = typeof MAKERS;

export type MakerName = keyof Makers;

export const MAKER_NAMES = Object.keys(MAKERS) as readonly MakerName[];

type WantedOf<Name extends MakerName> = Parameters<Makers[Name]['make']>[2];
type MadeBy<Name extends MakerName> =
  Awaited<ReturnType<Makers[Name]['make']>> extends Outcome<infer Made> ? Made : never;

type Make<Name extends MakerName> = (
  engine: Engine,
  openSigner: OpenSigner,
  wanted: WantedOf<Name>,
) => Promise<Outcome<MadeBy<Name>>>;

async function signed<Value>(
  openSigner: OpenSigner,
  work: (signer: Signer) => Promise<Outcome<Value>>,
): Promise<Outcome<Value>> {
  const signer = await openSigner();
  return signer.ok ? work(signer.value) : signer;
}

/** Where a server makes it. */
export const pathOfMaker = (name: MakerName): string => `/evidence/${name}`;

/** Makes it by the database of this composition, or has the server do so that holds it, with the key of that server. */
export function makeHereOrThere<Name extends MakerName>(
  composition: Composition,
  name: Name,
  wanted: WantedOf<Name>,
): Promise<Outcome<MadeBy<Name>>> {
  const make = MAKERS[name].make as Make<Name>;
  return workHereOrThere(composition, (engine) => make(engine, composition.openSigner, wanted), {
    path: pathOfMaker(name),
    body: wanted as JsonObject,
  });
}

/** Makes for a command what it has asked a server for. @returns a refusal of what no such command sends */
export function makeAsked(
  engine: Engine,
  openSigner: OpenSigner,
  { name, said }: { readonly name: MakerName; readonly said: JsonObject },
): Promise<Outcome<unknown>> {
  const { takes, make } = MAKERS[name];
  const pointer = findMisshapen(said, takes);
  if (pointer !== undefined)
    return Promise.resolve(refuse(problem('REQUEST_MALFORMED', { reason: `${pointer} is not what is asked for` })));
  return make(engine, openSigner, said as never);
}
