/** The fields of a scenario in which it may differ from that of the turns before: who thinks, and how it is called. */
export const CHANGEABLE_SCENARIO_FIELDS = 'label, description and cognition';
