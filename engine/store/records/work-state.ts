import type { Sql } from 'kysely';

// The conditions beside the status that decide the state of an attempt or a call, for the query around them.

/** Whether a driver holds the attempt of these rows: of attempts, or of calls. */
export const isDriven = (rows: string): string => `EXISTS (
     SELECT FROM worlds WHERE worlds.world_slug = ${rows}.world_slug AND lease_attempt_id = ${rows}.attempt_id
       AND lease_until > clock_timestamp())`;

/**
 * Whether the timeline says of a call that an earlier subject has changed what its subject had read.
 * @param attempt_id of the attempt whose timeline is read: one that adopts a call may supersede it
 */
export const isSuperseded = (calls: string, attempt_id = `${calls}.attempt_id`): string => `EXISTS (
     SELECT FROM attempt_events noted
     WHERE noted.world_slug = ${calls}.world_slug AND noted.attempt_id = ${attempt_id}
       AND noted.event_kind = 'call_superseded'
       AND noted.source_invocation_id = ${calls}.source_invocation_id)`;

/** Both as columns of a query. @param calls the name of a relation of calls */
export const callState = (sql: Sql, calls: string) =>
  [
    sql.raw<boolean>(isSuperseded(calls)).as('is_superseded'),
    sql.raw<boolean>(isDriven(calls)).as('is_driven'),
  ] as const;
