/** What a call may do to the outside. A call other than a read-only one is made again only where its binding is repeatable. */
export type EffectClass = 'read_only' | 'state_change' | 'external_side_effect';
