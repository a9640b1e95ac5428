import { content, note } from './entry.js';

export interface Written {
  /** The path as its author wrote it. */
  readonly path: string;
}

export interface WrongKind {
  readonly wanted: string;
  readonly found: string;
}

const RELATIVE = 'Write a path such as "./name.json".';

function withArticle(kind: string): string {
  return kind === 'answers' ? 'a document of answers' : `a ${kind}`;
}

function sayWrongKind({ wanted, found }: WrongKind): string {
  return `this must refer to ${withArticle(wanted)}, but the file is ${withArticle(found)}`;
}

function sayRightKind({ wanted }: WrongKind): string {
  return `Refer to ${withArticle(wanted)}.`;
}

/** Problems of references between documents. */
export const REFERENCE_PROBLEMS = {
  PATH_MALFORMED: content<Written>({
    message: ({ path }) => `"${path}" is not a path of names with / between them`,
    repair: RELATIVE,
    example: { path: '.\\name.json' },
  }),
  PATH_NOT_RELATIVE: content<Written>({
    message: ({ path }) => `"${path}" is not relative to this file`,
    repair: RELATIVE,
    example: { path: '/park/name.json' },
  }),
  PATH_LEAVES_ROOT: content<{ readonly path?: string; readonly root?: string | undefined }>({
    message: ({ path }) => (path === undefined ? 'this is outside of the root' : `"${path}" leaves the root folder`),
    repair: ({ path, root }) => {
      if (path === undefined) return 'Copy the file, or name a folder that holds both with --root.';
      if (root === undefined) return 'Keep a copy of the file in the root folder.';
      return `Name the folder that holds both: --root ${/^[\w./-]+$/.test(root) ? root : JSON.stringify(root)}`;
    },
    example: { path: '../shared/name.json', root: 'workflows' },
  }),
  WRONG_KIND: content({
    meaning: 'The file is a document of another kind.',
    message: sayWrongKind,
    repair: sayRightKind,
    example: { wanted: 'cognition_profile', found: 'cognition_workflow' },
  }),
  REFERENCE_CYCLE: content<{ readonly files: readonly string[]; readonly otherwise: WrongKind | undefined }>({
    message: ({ files, otherwise }) =>
      `this reference leads back to its own file: ${files.join(' -> ')}${otherwise === undefined ? '' : `; ${sayWrongKind(otherwise)}`}`,
    repair: ({ otherwise }) =>
      otherwise === undefined ? 'Break the cycle: a document cannot contain its own hash.' : sayRightKind(otherwise),
    example: { files: ['a.json', 'b.json', 'a.json'], otherwise: undefined },
  }),
  REFERENCE_UNCHECKED: note({
    message: ({ kind, hash }) =>
      `no file here is the ${kind} ${hash}: references to it are checked when the document is stored`,
    repair: 'Refer to it by path, or keep the hash if that document is stored.',
    example: { kind: 'json_schema', hash: '3f1a90b2...' },
  }),
  COMPONENT_MISSING: content({
    message: ({ kind, hash }) => `There is no ${kind} ${hash}.`,
    repair: ({ kind }) => `Store the ${kind} first, or refer to it by path.`,
    example: { kind: 'json_schema', hash: '3f1a90b2...' },
  }),
};
