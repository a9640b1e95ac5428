import type { Offer } from './offer.js';

/** What replaced the tools of the systems that had one prompt each. */
const REPLACED = {
  perceive_system: 'cognition_workflow',
  intend_system: 'cognition_workflow',
  adjudicate_system: 'cognition_workflow',
  adjudication_schema: 'json_schema',
};

/** What a call of such a tool is told. */
export const RETIRED: Offer['retired'] = Object.fromEntries(
  Object.entries(REPLACED).flatMap(([kind, by]) =>
    ['put', 'get'].map((verb) => [`${verb}_${kind}`, `${verb}_${kind} is no more: use ${verb}_${by}.`]),
  ),
);
