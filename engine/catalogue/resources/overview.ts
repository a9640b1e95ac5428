import { browseOverview } from '../../operations/browse/overview.js';
import { drawStory } from '../patches.js';
import { pathOfList, PLACES } from '../places.js';
import { resource } from '../resource.js';
import { NO_WORLDS, stirringColumns, worldColumns } from '../tables.js';
import { type Link, linkTo, note, picture, section, table } from '../view.js';
import { grouped } from '../words.js';
import { groupMessages, messageColumns } from './inbox.js';

export const overview = resource({
  path: '/',
  reader: 'consumer',
  says: 'The first worlds by name, the inbox (for operators), and the number of documents of each kind.',
  gives: 'Overview',
  read: (archive, { reader }) => browseOverview(archive, reader),
  view({ stirring, worlds, latest, documents, inbox }) {
    const counts = documents.map(({ kind, count }): readonly [number, Link] => [
      count,
      { path: pathOfList(kind), command: ['list', kind], text: PLACES[kind][count === 1 ? 'noun' : 'nouns'] },
    ]);
    return {
      title: 'Worlds',
      eyebrow: 'Chukwa',
      trail: [],
      lede: [
        'In each of these written worlds, agents think with a language model, turn by turn. Their prompts, requests and answers are all on record. Choose a world; beside each action, ',
        { as: 'why', text: 'Why?' },
        ' leads to the exact prompt behind it.',
      ],
      sections: [
        section(
          'latest',
          `What happened last, in ${latest?.world_slug}`,
          latest && [
            drawStory(latest.world_slug, [latest.story], latest.story.patches.length),
            note(linkTo('world', latest.world_slug, `The whole story of ${latest.world_slug}`)),
          ],
        ),
        section('stirring', 'What runs, waits or has failed', table(stirring, stirringColumns)),
        section(
          'worlds',
          'All worlds',
          table(worlds.rows, worldColumns, NO_WORLDS),
          worlds.next !== null && note(ALL_WORLDS),
        ),
        section('inbox', 'What is to be done', table(groupMessages(inbox), messageColumns)),
        section(
          'documents',
          'Documents',
          picture(
            { of: 'counts', shown: counts },
            ...counts.map(([number, { text }]) => note(`${grouped(number)} ${text}`)),
          ),
        ),
      ],
    };
  },
});

const ALL_WORLDS: Link = { path: '/worlds', command: ['world', 'list'], text: 'All worlds' };
