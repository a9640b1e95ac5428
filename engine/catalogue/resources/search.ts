import { search as find } from '../../operations/search.js';
import { resource } from '../resource.js';

export const search = resource({
  name: 'search',
  path: '/search',
  reader: 'operator',
  says: 'Narrations, states, prompts, answers and results by their words: the latest attempt first, its best match first, prompts last.',
  gives: 'Found',
  takes: ['q', 'kind', 'world', 'turn', 'subject', 'source', 'failure', 'limit', 'after'],
  read: (archive, { query }) => find(archive, query),
});
