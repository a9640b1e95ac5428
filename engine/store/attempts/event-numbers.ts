// One sequence numbers the events of an attempt. The start and the end of a call have their numbers on the row of the
// call. PostgreSQL does not define in which order the clauses of a statement run, so a call draws no number of its own:
// the fence of a statement draws one before any write, and each slot counts on from it, after the start of an attempt
// in the same statement. All other events are written from the fence, and so are numbered later.

/** Where the numbers come from. */
export const EVENT_SEQUENCE = 'attempt_events_event_id_seq';

/** A column of the fence: the number from which a statement counts the events of its calls. */
export const DRAWN_EVENT_ID = `nextval('${EVENT_SEQUENCE}') AS event_id`;

/** The number of the event of a slot's call. */
export const EVENT_ID = 'fence.event_id + @slot';

/** How many slots a statement may have: the sequence leaves so many numbers between two that are drawn. */
export const SLOTS_MAX = 15;
