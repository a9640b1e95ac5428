// What happens in an attempt is numbered in one sequence. The start and the end of a call are no rows of their own: their
// numbers are on the row of the call. In which order PostgreSQL runs the clauses of a statement it does not say, so a
// call does not draw its number itself: the fence of a statement draws one, before anything is written, and each slot
// counts on from it, after the beginning of an attempt that the statement begins. Whatever else the statement tells of is written from the fence, and so is numbered after it.

/** Where the numbers come from. */
export const EVENT_SEQUENCE = 'attempt_events_event_id_seq';

/** A column of the fence: the number from which a statement counts the events of its calls. */
export const DRAWN_EVENT_ID = `nextval('${EVENT_SEQUENCE}') AS event_id`;

/** The number of what becomes of the call of a slot. */
export const EVENT_ID = 'fence.event_id + @slot';

/** How many slots a statement may have: the sequence leaves so many numbers between two that are drawn. */
export const SLOTS_MAX = 15;
