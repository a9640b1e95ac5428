import { succeed } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import { COMPONENT_KINDS, type ComponentKind } from '../../core/protocol/component.js';
import { browseDocument, browseWorkflow, type DocumentPage } from '../../operations/browse/documents.js';
import { showUses, type UsesOfComponent } from '../../operations/authoring/components.js';
import { pathOfList, PLACES } from '../places.js';
import { listResource, resource, type Resource } from '../resource.js';
import { workflowSections } from '../workflow.js';
import { componentColumns, documentColumns, listedAttemptColumns, listedColumns } from '../tables.js';
import {
  aboutOthers,
  code,
  facts,
  json,
  links,
  linkTo,
  list,
  note,
  prompt,
  type RecordView,
  section,
  table,
  type ViewSection,
} from '../view.js';
import { capital } from '../words.js';

function documentList(kind: ComponentKind): Resource<'Documents'> {
  return listResource({
    path: pathOfList(kind),
    reader: 'consumer',
    says: `The ${PLACES[kind].nouns} that are stored, by label.`,
    gives: 'Documents',
    cursor: 'hash',
    keyOf: ({ hash }) => hash,
    read: async ({ store }, _asked, part) => succeed(await store.browse.documents(kind, part)),
    title: capital(PLACES[kind].nouns),
    eyebrow: 'Documents',
    order: 'By label',
    columns: documentColumns,
    empty: [`No ${PLACES[kind].noun} is stored. Check and store documents: `, code('npx chukwa put PATH')],
  });
}

/** The kinds that programs get by a name of their own; they get each other kind by get_component. */
const NAMED: readonly ComponentKind[] = ['json_schema', 'response_source'];

/** A document of a kind; a workflow is one of its own. */
function documentOf(kind: Exclude<ComponentKind, 'cognition_workflow'>): Resource<'Document'> {
  return resource({
    ...(NAMED.includes(kind) ? { name: `get_${kind}` } : {}),
    path: `${pathOfList(kind)}/hash/:hash`,
    reader: 'consumer',
    says: `A ${PLACES[kind].noun}, what it names and what names it.`,
    gives: 'Document',
    read: (archive, { parameters: { hash } }) => browseDocument(archive, { kind, hash }),
    view: viewDocument,
  });
}

const cognitionWorkflow = resource({
  name: 'get_cognition_workflow',
  path: `${pathOfList('cognition_workflow')}/hash/:hash`,
  reader: 'consumer',
  says: 'A cognition workflow: its prompts, and, for operators, how an attempt resolved them.',
  gives: 'Workflow',
  takes: ['attempt'],
  read: (archive, { parameters: { hash }, query: { attempt }, reader }) =>
    browseWorkflow(archive, present({ hash, reader, attempt })),
  view: (shown) => {
    const view = viewDocument(shown);
    return { ...view, sections: [...workflowSections(shown), ...view.sections] };
  },
});

export function documentUses(kind: ComponentKind): Resource<'Uses'> {
  return resource({
    path: `${pathOfList(kind)}/hash/:hash/uses`,
    reader: 'consumer',
    says: `What a ${PLACES[kind].noun} names, and what names it.`,
    gives: 'Uses',
    read: (archive, { parameters: { hash } }) => showUses(archive, { kind, hash }),
    view: viewUses,
  });
}

function viewDocument(document: DocumentPage): RecordView {
  const { kind, hash, content } = document;
  const { label, title, description, text } = content;
  const { noun, nouns } = PLACES[kind];
  return {
    title: [label, title].find((name) => typeof name === 'string')?.toString() ?? capital(noun),
    eyebrow: capital(noun),
    trail: [{ path: pathOfList(kind), command: ['list', kind], text: capital(nouns) }],
    ...(typeof description === 'string' ? { lede: description } : {}),
    sections: [
      section('text', 'Text', typeof text === 'string' && prompt(text)),
      ...viewUse(document),
      section(
        'content',
        'As it is stored',
        facts({ 'SHA-256': code(hash) }),
        json(content, '/content', document.refers_to),
      ),
    ],
  };
}

function viewUses(uses: UsesOfComponent): RecordView {
  const { kind, hash, label } = uses;
  return {
    title: `Uses of ${label ?? PLACES[kind].noun}`,
    eyebrow: capital(PLACES[kind].noun),
    trail: [linkTo(kind, hash, label ?? 'the document')],
    sections: viewUse(uses),
  };
}

/** How many worlds, and documents, that use one document are shown. */
const USES_SHOWN = 100;

function viewUse(uses: Omit<UsesOfComponent, 'label'>): readonly ViewSection[] {
  const { hash, refers_to, used_by, worlds, calls, attempts } = uses;
  const all = { path: `/worlds?scenario=${hash}`, command: ['world', 'list'], text: `All ${worlds.length}` };
  return [
    aboutOthers(
      'worlds',
      'Worlds that run by it',
      list(worlds.slice(0, USES_SHOWN).map((slug) => note(linkTo('world', slug)))),
      worlds.length > USES_SHOWN && links(all),
    ),
    aboutOthers(
      'used-by',
      'What names it',
      table(used_by.slice(0, USES_SHOWN), componentColumns, worlds.length > 0 ? null : 'No stored document names it.'),
    ),
    section('refers-to', 'What it names', table(refers_to, componentColumns)),
    aboutOthers('calls', 'The latest calls', table(calls, listedColumns)),
    aboutOthers('attempts', 'The latest attempts that used it', table(attempts, listedAttemptColumns)),
  ];
}

/** The list, the document and its uses, of each kind of document. */
export const DOCUMENTS: readonly Resource[] = COMPONENT_KINDS.flatMap((kind): readonly Resource[] => [
  documentList(kind),
  kind === 'cognition_workflow' ? cognitionWorkflow : documentOf(kind),
  documentUses(kind),
]);
