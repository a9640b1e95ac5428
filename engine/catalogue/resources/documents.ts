import { succeed } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import { COMPONENT_KINDS, type ComponentKind } from '../../core/protocol/component.js';
import { browseDocument, browseWorkflow } from '../../operations/browse/documents.js';
import { showUses } from '../../operations/components.js';
import { pathOfList, PLACES } from '../places.js';
import { listResource, resource, type Resource } from '../resource.js';

/** The list of each kind of document. */
export function documentList(kind: ComponentKind): Resource<'Documents'> {
  return listResource({
    path: pathOfList(kind),
    reader: 'consumer',
    says: `The ${PLACES[kind].nouns} that are stored, by label.`,
    gives: 'Documents',
    cursor: 'hash',
    keyOf: ({ hash }) => hash,
    read: async ({ store }, _asked, part) => succeed(await store.browse.documents(kind, part)),
  });
}

/** A document of a kind; a workflow is one of its own. */
export function documentOf(kind: Exclude<ComponentKind, 'cognition_workflow'>): Resource<'Document'> {
  return resource({
    name: `get_${kind}`,
    path: `${pathOfList(kind)}/hash/:hash`,
    reader: 'consumer',
    says: `A ${PLACES[kind].noun}, what it names and what names it.`,
    gives: 'Document',
    read: (archive, { parameters: { hash } }) => browseDocument(archive, { kind, hash }),
  });
}

export const cognitionWorkflow = resource({
  name: 'get_cognition_workflow',
  path: `${pathOfList('cognition_workflow')}/hash/:hash`,
  reader: 'consumer',
  says: 'A cognition workflow: its prompts, and, for operators, how an attempt resolved them.',
  gives: 'Workflow',
  takes: ['attempt'],
  read: (archive, { parameters: { hash }, query: { attempt }, reader }) =>
    browseWorkflow(archive, present({ hash, reader, attempt })),
});

export function documentUses(kind: ComponentKind): Resource<'Uses'> {
  return resource({
    path: `${pathOfList(kind)}/hash/:hash/uses`,
    reader: 'consumer',
    says: `What a ${PLACES[kind].noun} names, and what names it.`,
    gives: 'Uses',
    read: (archive, { parameters: { hash } }) => showUses(archive, { kind, hash }),
  });
}

/** The list, the document and its uses, of each kind of document. */
export const DOCUMENTS: readonly Resource[] = COMPONENT_KINDS.flatMap((kind): readonly Resource[] => [
  documentList(kind),
  kind === 'cognition_workflow' ? cognitionWorkflow : documentOf(kind),
  documentUses(kind),
]);
