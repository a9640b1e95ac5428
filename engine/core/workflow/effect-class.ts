/** What a call may do to the outside. Only a read-only call can be made again when its outcome is unknown. */
export type EffectClass = 'read_only' | 'state_change' | 'external_side_effect';
