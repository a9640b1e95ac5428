import type { TestOptions } from 'node:test';
import { findNatsServer, NATS_MISSING } from '../../tools/nats-server.js';

/**
 * For tests that start a NATS server. Without one on the PATH they are skipped, with one message for each test file;
 * where `CI` is `true` they run all the same, and fail.
 */
export const NEEDS_NATS: TestOptions = toOptions();

function toOptions(): TestOptions {
  if (findNatsServer() !== undefined || process.env['CI'] === 'true') return {};
  process.stderr.write(`SKIPPED: tests of the NATS doorbell, because ${NATS_MISSING}\n`);
  return { skip: NATS_MISSING };
}
