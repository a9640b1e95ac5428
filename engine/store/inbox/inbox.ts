import type { Inbox } from '../../ports/inbox.js';
import type { OpenDatabase } from '../database.js';
import { claim, defer, discard, hold } from './claim.js';
import { enqueueTurns } from './enqueue.js';
import { glance } from './glance.js';
import { listQueues, takeBack } from './queue.js';
import { consumeUnhandled, listUnhandled, messagesOf, report, stop } from './report.js';
import { countMessages, lapsed, tidy } from './watchdog.js';

/** The inbox: queued turns and messages, for workers and for those who queue work. */
export function openInbox(database: OpenDatabase): Inbox {
  return {
    enqueueTurns: (request) => enqueueTurns(database, request),
    glance: (within_ms) => glance(database, within_ms),
    claim: (request) => claim(database, request),
    defer: (claimed, deferral) => defer(database, claimed, deferral),
    hold: (claimed, hold_ms) => hold(database, claimed, hold_ms),
    discard: (claimed, reason) => discard(database, claimed, reason),
    report: (sent) => report(database, sent),
    stop: (request) => stop(database, request),
    takeBack: (world_slug, reason) => takeBack(database, world_slug, reason),
    queues: (world_slug) => listQueues(database, world_slug),
    messagesOf: (lease) => messagesOf(database, lease),
    unhandledReports: (most) => listUnhandled(database, most),
    consumeUnhandled: (report) => consumeUnhandled(database, report),
    lapsed: (request) => lapsed(database, request),
    tidy: () => tidy(database),
    count: () => countMessages(database),
  };
}
