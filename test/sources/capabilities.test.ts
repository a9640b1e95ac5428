import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { boundCall } from '../../engine/sources/call-bounds.js';
import { capabilitiesFor, type OpenedSourcesParts } from '../../engine/sources/opened-sources.js';
import type { Route } from '../../engine/sources/passage.js';
import { createSecretReplacer } from '../../engine/sources/secrets.js';

/** The capabilities of a plugin with this manifest, beside what its alarms and its log have come to. */
function open(manifest: object = {}, variables: Readonly<Record<string, string>> = {}) {
  const happened: unknown[] = [];
  const parts = {
    lookUp: (name: string) => variables[name],
    clock: { now: () => 7 },
    alarm: (after_ms: number) => {
      happened.push(`set for ${after_ms}`);
      return () => happened.push('cancelled');
    },
    log: (remark: unknown) => happened.push(remark),
  } as unknown as OpenedSourcesParts;
  const route = { plugin: { name: 'tides', manifest }, secrets: [] } as unknown as Route;
  return { happened, capabilities: capabilitiesFor(parts, route, createSecretReplacer([])) };
}

/** A call whose record is durable when the test says so. */
function openCall(): { readonly call: { readonly signal: AbortSignal }; readonly settle: () => void } {
  let settle = (): void => {};
  const durable = new Promise<void>((resolve) => (settle = resolve));
  const limits = { left: () => 1, max_response_bytes: 1, durable };
  return { call: boundCall(new AbortController().signal, limits, { names_its_calls: true }), settle: () => settle() };
}

const ignore = (): void => {};

test('an alarm that names no call is set at once', () => {
  const { happened, capabilities } = open();
  capabilities.alarm(5, ignore)();
  assert.deepEqual(happened, ['set for 5', 'cancelled']);
});

test('an alarm that names its call is set when the record of that is durable', async () => {
  const { happened, capabilities } = open();
  const { call, settle } = openCall();
  const cancel = capabilities.alarm(5, ignore, call);
  await setImmediate();
  assert.deepEqual(happened, []);
  settle();
  await setImmediate();
  assert.deepEqual(happened, ['set for 5']);
  cancel();
  assert.deepEqual(happened, ['set for 5', 'cancelled']);
});

test('an alarm that is cancelled before the record of its call is durable is never set', async () => {
  const { happened, capabilities } = open();
  const { call, settle } = openCall();
  capabilities.alarm(5, ignore, call)();
  settle();
  await setImmediate();
  assert.deepEqual(happened, []);
});

test('a plugin is handed the variables that its manifest names, where they are set', () => {
  const manifest = { variables: ['PLACE', 'UNSET'], secret_variables: ['KEY'] };
  const { capabilities } = open(manifest, { PLACE: 'kew', KEY: 'k3y-of-kew', OTHER: 'no' });
  assert.deepEqual(capabilities.variables, { PLACE: 'kew', KEY: 'k3y-of-kew' });
  assert.deepEqual(open().capabilities.variables, {});
  assert.equal('model' in capabilities, false);
});

test('a remark has details only where its plugin gives some', () => {
  const { happened, capabilities } = open();
  capabilities.log('asked');
  capabilities.log('slow', { length: 3 }, 'warn');
  assert.deepEqual(happened, [
    { plugin: 'tides', level: 'debug', message: 'asked' },
    { plugin: 'tides', level: 'warn', message: 'slow', details: { length: 3 } },
  ]);
});
