import { explainPolicy, type PolicyExplanation } from '../../operations/people/explain-policy.js';
import { resource } from '../resource.js';
import { code, type Columns, facts, linkTo, linkToEntity, note, section, table, trailToWorld } from '../view.js';
import { words } from '../words.js';

export const policy = resource({
  name: 'explain_policy',
  path: '/worlds/:world_slug/policy/:entity_id/:tool',
  reader: 'consumer',
  says: 'Say which rule of the tool policy decides about a call of a subject, and why. Calls nothing.',
  gives: 'PolicyExplanation',
  takes: ['arguments'],
  read: (archive, { parameters: { world_slug, entity_id, tool }, query }) =>
    explainPolicy(archive, { world_slug, entity_id, tool, arguments: query.arguments }),
  view(explained) {
    const { world_slug, subject_id, tool, decision, rule, because, may_become, known_arguments } = explained;
    const open = may_become.map((one) => words(one)).join(' or ');
    return {
      eyebrow: 'Tool policy',
      title: `${tool} of ${subject_id}: ${words(decision)}`,
      trail: trailToWorld(world_slug),
      lede: [
        rule === null ? because : [linkTo('tool_policy', explained.policy_hash, rule), `: ${because}`],
        may_become.length === 0 ? '' : `. Depending on its arguments, it may become: ${open}`,
      ],
      sections: [
        section(
          'facts',
          'The call',
          facts({
            subject: linkToEntity(world_slug, subject_id),
            effect: words(explained.effect),
            source: explained.source,
            policy: linkTo('tool_policy', explained.policy_hash),
            'known arguments': known_arguments === null ? null : known_arguments.join(', ') || 'none',
          }),
        ),
        section(
          'rules',
          'The rules that are for it',
          table(explained.rules, COLUMNS, 'No rule is for it, so it is denied.'),
          ...(known_arguments === null ? [note('Give arguments to see which conditions they meet.')] : []),
        ),
      ],
    };
  },
});

const COLUMNS: Columns<PolicyExplanation['rules'][number]> = {
  rule: ({ rule }) => code(rule),
  decides: ({ decide }) => words(decide),
  because: ({ because }) => because,
  matches: ({ matches }) => (matches === null ? 'it depends' : matches ? 'yes' : 'no'),
};
