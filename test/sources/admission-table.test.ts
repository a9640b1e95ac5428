import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AdmissionTable, type Applicant, type FlightLimits } from '../../engine/sources/admission-table.js';

interface Named extends Applicant {
  readonly name: string;
}

const API = 'https://api.example.org';

function call(name: string, more: Partial<Applicant> = {}): Named {
  return { name, world_slug: 'park', rank: 0, source: { hash: 'chat' }, endpoint: API, ...more };
}

function tableWith(limits: FlightLimits, calls: readonly Named[]): AdmissionTable<Named> {
  const table = new AdmissionTable<Named>(limits);
  for (const each of calls) table.add(each);
  return table;
}

const namesOf = (calls: readonly Named[]): readonly string[] => calls.map(({ name }) => name);

test('an endpoint is asked within its limit, whichever sources lead there; another endpoint is not held up', () => {
  const other = call('elsewhere', { endpoint: 'https://other.example.org', source: { hash: 'weather' } });
  const table = tableWith({ endpoint: 2 }, [
    call('a'),
    call('b', { source: { hash: 'other chat' } }),
    call('c', { source: { hash: 'other chat' } }),
    other,
  ]);
  assert.deepEqual(namesOf(table.admit(0)), ['a', 'b', 'elsewhere']);
  table.end(other, { kind: 'works' }, 1);
  assert.deepEqual(namesOf(table.admit(1)), []);
});

test('the limit of the process holds for all endpoints together', () => {
  const calls = [call('a'), call('b', { endpoint: 'https://other.example.org' }), call('c')];
  const table = tableWith({ process: 2 }, calls);
  assert.deepEqual(namesOf(table.admit(0)), ['a', 'c']);
  table.end(calls[0] as Named, undefined, 1);
  assert.deepEqual(namesOf(table.admit(1)), ['b']);
});

test('worlds take turns, however many calls one of them has waiting', () => {
  const crowd = Array.from({ length: 6 }, (_none, at) => call(`big ${at}`, { world_slug: 'big' }));
  const table = tableWith({ process: 4 }, [...crowd, call('small', { world_slug: 'small' })]);
  assert.deepEqual(namesOf(table.admit(0)), ['big 0', 'small', 'big 1', 'big 2']);
});

test('of one world the call goes first for whose subject the others wait', () => {
  const table = tableWith({ process: 2 }, [
    call('late', { rank: 9 }),
    call('head', { rank: 1 }),
    call('next', { rank: 4 }),
  ]);
  const admitted = table.admit(0);
  assert.deepEqual(namesOf(admitted), ['head', 'next']);
  for (const each of admitted) table.end(each, undefined, 1);
  assert.deepEqual(namesOf(table.admit(1)), ['late']);
});

test('an endpoint that says Retry-After gets no call until then, and then half as many at a time', () => {
  const calls = Array.from({ length: 12 }, (_none, at) => call(`${at}`, { source: { hash: at % 2 ? 'a' : 'b' } }));
  const table = tableWith({ endpoint: 8 }, calls);
  const [refused, ...others] = table.admit(0);
  assert.ok(refused);
  table.end(refused, { kind: 'closed', for_ms: 5_000 }, 10);
  for (const other of others) table.end(other, { kind: 'closed', for_ms: 1_000 }, 20);
  assert.deepEqual(table.admit(5_000), []);
  assert.equal(table.opensAt(5_000), 5_010);
  assert.equal(table.admit(5_010).length, 4);
});

test('an endpoint that says Retry-After once more, at the moment at which it opens, gets half as many again', () => {
  const calls = Array.from({ length: 20 }, (_none, at) => call(`${at}`));
  const table = tableWith({ endpoint: 8 }, calls);
  const admitted = [0, 100].map((now) => {
    const under_way = table.admit(now);
    for (const each of under_way) table.end(each, { kind: 'closed', for_ms: 100 }, now);
    return under_way.length;
  });
  assert.deepEqual([...admitted, table.admit(200).length], [8, 4, 2]);
});

test('an endpoint that works again is asked by more and more at a time, up to its limit', () => {
  const table = tableWith({ endpoint: 4 }, []);
  const first = call('first');
  table.add(first);
  table.admit(0);
  table.end(first, { kind: 'closed', for_ms: 100 }, 0);
  const widths: number[] = [];
  for (let turn = 0; turn < 6; turn++) {
    for (let at = 0; at < 8; at++) table.add(call(`${turn}.${at}`));
    const admitted = table.admit(200 + turn);
    widths.push(admitted.length);
    for (const each of admitted) table.end(each, { kind: 'works' }, 200 + turn);
  }
  assert.deepEqual(widths.slice(0, 2), [1, 2]);
  assert.deepEqual(
    widths,
    widths.toSorted((a, b) => a - b),
  );
  assert.equal(widths.at(-1), 4);
});

test('an endpoint that says Retry-After is closed for calls that come later too, for a minute at most', () => {
  for (const [for_ms, opens_at] of [
    [5_000, 5_010],
    [86_400_000, 60_010],
  ] as const) {
    const table = tableWith({ endpoint: 4 }, [call('first')]);
    const [first] = table.admit(0);
    table.end(first ?? assert.fail(), { kind: 'closed', for_ms }, 10);
    table.add(call('later'));
    assert.deepEqual(table.admit(opens_at - 1), []);
    assert.equal(table.opensAt(opens_at - 1), opens_at);
    assert.equal(table.opensAt(opens_at), undefined);
    assert.deepEqual(namesOf(table.admit(opens_at)), ['later']);
  }
});

test('an endpoint that nothing waits for is remembered for a minute as one that half as many calls are made to', () => {
  const eight = (turn: string) => Array.from({ length: 8 }, (_none, at) => call(`${turn} ${at}`));
  for (const [end_at, admitted] of [
    [60_099, 4],
    [60_100, 8],
  ] as const) {
    const elsewhere = call('elsewhere', { endpoint: 'https://other.example.org' });
    const table = tableWith({ endpoint: 8 }, [...eight('first'), elsewhere]);
    const [closing, ...rest] = table.admit(0).filter(({ endpoint }) => endpoint === API);
    table.end(closing ?? assert.fail(), { kind: 'closed', for_ms: 100 }, 0);
    for (const each of rest) table.end(each, undefined, 0);
    table.end(elsewhere, undefined, end_at);
    for (const each of eight('second')) table.add(each);
    assert.equal(table.admit(end_at).length, admitted);
  }
});

test('a call that waits no longer is not made, and those beside it are', () => {
  const calls = ['a', 'b', 'c'].map((name) => call(name));
  const table = tableWith({}, calls);
  table.remove(calls[1] as Named);
  table.remove(call('never came'));
  assert.deepEqual(namesOf(table.admit(0)), ['a', 'c']);
  assert.deepEqual(namesOf(table.admit(0)), []);
});
