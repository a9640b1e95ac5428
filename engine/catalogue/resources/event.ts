import { type EventRecord, showEvent } from '../../operations/browse/event.js';
import { members } from '../members.js';
import { resource } from '../resource.js';
import { code, inShort, json, links, linkTo, moment, section } from '../view.js';

export const event = resource({
  path: '/events/:event_id',
  command: 'event',
  says: 'Show an event of an attempt: when it happened, and the call, source, workflow and prompt that it is about.',
  gives: 'Event',
  read: (archive, { parameters: { event_id } }) => showEvent(archive, event_id),
  view(shown) {
    const { event_kind, event_seq, attempt_id, attempted_turn, world_slug, call, details, patch_seq } = shown;
    return {
      eyebrow: `Event ${event_seq}`,
      title: event_kind.replaceAll('_', ' '),
      trail: [linkTo('world', world_slug), linkTo('attempt', attempt_id, `attempt at turn ${attempted_turn}`)],
      sections: [
        inShort({
          when: moment(shown.occurred_at),
          ...members(shown, 'workflow_subject_entity_id', 'workflow_node_id'),
          patch: patch_seq,
          call: call && linkTo('source_invocation', call.source_invocation_id, call.command_key),
          prompt: call?.llm_call_id ? linkTo('llm_call', call.llm_call_id) : null,
          source: call && linkTo('response_source', call.source_hash, call.source_label),
          workflow: call?.workflow_hash ? linkTo('cognition_workflow', call.workflow_hash) : null,
          id: code(shown.event_id),
        }),
        section('details', 'What the record says of it', !isEmpty(details) && json(details)),
        section(
          'around',
          'Around it',
          links(
            shown.event_before === null ? null : linkTo('event', shown.event_before, 'the event before'),
            shown.event_after === null ? null : linkTo('event', shown.event_after, 'the event after'),
          ),
        ),
      ],
    };
  },
});

function isEmpty(details: EventRecord['details']): boolean {
  return typeof details === 'object' && details !== null && Object.keys(details).length === 0;
}
