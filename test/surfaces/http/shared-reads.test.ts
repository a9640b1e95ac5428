import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shareReads } from '../../../engine/surfaces/http/shared-reads.js';

/** Reads that each give their number once they are let go. */
function openReads() {
  const begun: { readonly end: () => void; readonly fail: () => void }[] = [];
  const read = () =>
    new Promise<number>((resolve, reject) => {
      const number = begun.length + 1;
      begun.push({ end: () => resolve(number), fail: () => reject(new Error('lost')) });
    });
  return { begun, read };
}

const settle = (): Promise<void> => new Promise((resume) => setImmediate(resume));

describe('a page that several want at once', () => {
  test('a page that several want at once is read once more for all who ask while it is read, and they are given nothing older than their question', async () => {
    const { begun, read } = openReads();
    const share = shareReads();
    const first = share('page', read);
    const others = [share('page', read), share('page', read), share('page', read)];
    assert.equal(begun.length, 1, 'one read at a time');
    begun[0]?.end();
    assert.equal(await first, 1);
    await settle();
    assert.equal(begun.length, 2);
    const late = share('page', read);
    begun[1]?.end();
    assert.deepEqual(await Promise.all(others), [2, 2, 2]);
    await settle();
    begun[2]?.end();
    assert.equal(await late, 3, 'who asks while the second read is under way waits for the third');
  });
  test('a page that several want at once is read again after its readers have gone', async () => {
    const { begun, read } = openReads();
    const share = shareReads();
    for (const number of [1, 2]) {
      const asked = share('page', read);
      begun.at(-1)?.end();
      assert.equal(await asked, number);
      await settle();
    }
  });
  test('a page that several want at once is read for those who wait, after a read that failed', async () => {
    const { begun, read } = openReads();
    const share = shareReads();
    const first = share('page', read);
    const second = share('page', read);
    begun[0]?.fail();
    await assert.rejects(first, /lost/);
    await settle();
    begun[1]?.end();
    assert.equal(await second, 2);
  });
  test('a page that several want at once does not wait for another page', async () => {
    const { begun, read } = openReads();
    const share = shareReads();
    const asked = [share('one', read), share('other', read)];
    for (const { end } of begun) end();
    assert.deepEqual(await Promise.all(asked), [1, 2]);
  });
});
