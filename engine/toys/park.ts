import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Json } from '../contract/json.js';
import type { ToyDefinition } from './toy-service.js';

/** The station's key, which is valid nowhere else. */
export const WEATHER_KEY = 'toy-weather-key';

/**
 * The weather: `POST /weather {environment_label, turn, simulation_time}` and, with the key, `GET
 * /stations/park/now?turn=1` → `{temperature_f, condition, message}`.
 */
export const WEATHER: ToyDefinition = {
  routes: {
    '/weather': {
      requires: ['environment_label', 'turn', 'simulation_time'],
      answer: (body) => weatherAt(Number(body['turn']) || 1),
    },
    '/stations/park/now': {
      method: 'GET',
      key: WEATHER_KEY,
      requires: ['turn'],
      answer: (query) => weatherAt(Number(query['turn']) || 1),
    },
  },
};

/** A cold front: the first turns are warm, then it gets colder down to the last entry, which stays. */
const TEMPERATURES_F = [72, 64, 55, 47, 40, 34, 29, 25, 22, 20] as const;

/** Weather at a turn, 1-based; turns before the first are warm. */
function weatherAt(turn: number): Json {
  const place = Math.min(Math.max(Math.trunc(turn), 1), TEMPERATURES_F.length) - 1;
  const temperature = TEMPERATURES_F[place] ?? TEMPERATURES_F[0];
  return { temperature_f: temperature, ...sky(temperature) };
}

function sky(temperature: number): { readonly condition: string; readonly message: string } {
  if (temperature >= 70) return { condition: 'sunny', message: 'Warm and sunny.' };
  if (temperature >= 60) return { condition: 'windy', message: 'A cold front is arriving.' };
  if (temperature >= 50) return { condition: 'cold', message: 'The cold front has settled over the park.' };
  if (temperature >= 33) return { condition: 'cold', message: 'The wind has dropped and it keeps getting colder.' };
  return { condition: 'frost', message: 'Frost lies on the grass.' };
}

/** The loudspeaker: `POST /announcement {speaker_id, turn}` → `{announcements}`: none on odd turns, one on even ones. */
export const LOUDSPEAKER: ToyDefinition = {
  routes: {
    '/announcement': {
      requires: ['speaker_id', 'turn'],
      answer: (body) => announcementsAt(Number(body['turn'])),
    },
  },
};

const ANNOUNCEMENTS = new Map([
  [2, 'Attention park visitors: a cold front is on its way. The vending machine will not be refilled today.'],
  [4, 'Attention park visitors: the drinking fountain is being turned off before the frost.'],
]);

const CLOSING = 'Attention park visitors: the park closes early today. Please make your way to the north gate.';

function announcementsAt(turn: number): Json {
  const isSpeaking = turn > 0 && turn % 2 === 0;
  return { announcements: isSpeaking ? [ANNOUNCEMENTS.get(turn) ?? CLOSING] : [] };
}

/**
 * The phones: `POST /inbox {owner_entity_id, phone_entity_id, turn}` → `{messages}`, and `POST /send {from, to, body}` →
 * `{status, message_id}`. A sent message is delivered to nobody; `served` lists it.
 */
export function phones(): ToyDefinition {
  let sentCount = 0;
  return {
    routes: {
      '/inbox': {
        requires: ['owner_entity_id', 'phone_entity_id', 'turn'],
        answer: (body) => messagesAt(body['phone_entity_id'], Number(body['turn'])),
      },
      '/send': {
        requires: ['from', 'to', 'body'],
        answer: () => ({ status: 'sent', message_id: `message-${(sentCount += 1)}` }),
      },
    },
    forget: () => void (sentCount = 0),
  };
}

const MESSAGES_OF_BOB = new Map<number, Json>([
  [2, { from: 'Unknown', body: 'Limited time offer: free candy coupons!', kind: 'spam' }],
  [4, { from: 'Alice', body: 'I am at the north gate with hot soup. Are you still in the park?', kind: 'text' }],
  [6, { from: 'Unknown', body: 'You have won a picnic basket! Reply with your address to claim it.', kind: 'spam' }],
]);

/** The messages that a phone gets at a turn: Bob's phone gets spam at turns 2 and 6 and a friend's text at turn 4. */
function messagesAt(phoneEntityId: Json | undefined, turn: number): Json {
  const message = phoneEntityId === 'bob_phone' ? MESSAGES_OF_BOB.get(turn) : undefined;
  return { messages: message === undefined ? [] : [message] };
}

const CANDY_BARS_PER_MACHINE = 1;

/**
 * The vending machines: `POST /buy_candy {actor_id, machine_id, button}` → `{status, remaining, message}`. Each holds one
 * candy bar until reset.
 */
export function vendingMachines(): ToyDefinition {
  const soldOf = new Map<Json | undefined, number>();
  return {
    routes: {
      '/buy_candy': {
        requires: ['actor_id', 'machine_id', 'button'],
        answer: (body) => sell(soldOf, body['machine_id']),
      },
    },
    forget: () => soldOf.clear(),
  };
}

function sell(soldOf: Map<Json | undefined, number>, machineId: Json | undefined): Json {
  const sold = soldOf.get(machineId) ?? 0;
  const remaining = CANDY_BARS_PER_MACHINE - sold;
  if (remaining === 0) {
    return { status: 'empty', remaining, message: 'No candy bars remain. Your coin was returned.' };
  }
  soldOf.set(machineId, sold + 1);
  return { status: 'dispensed', remaining: remaining - 1, message: 'A candy bar was dispensed.' };
}

/** The fountain: `POST /drink {actor_id, fountain_id}` → `{status, message}`. */
export const FOUNTAIN: ToyDefinition = {
  routes: {
    '/drink': {
      requires: ['actor_id', 'fountain_id'],
      answer: () => ({ status: 'running', message: 'Cold, clear water runs for a few seconds.' }),
    },
  },
};

const CODE_ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PACKAGE_ROOT = basename(CODE_ROOT) === 'dist' ? dirname(CODE_ROOT) : CODE_ROOT;

/** A folder of JSON files, one for each month that the almanac has: `october.json` → `{first_frost_day, advice}`. */
export const ALMANAC_FOLDER = join(PACKAGE_ROOT, 'fixtures', 'almanac');
