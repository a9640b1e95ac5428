import { unreachable } from '../../contract/unreachable.js';
import { sha256 } from '../content/sha256.js';

/** What a study is sealed with. */
interface Seal {
  /** Of all documents that its results depend on. */
  readonly study_hash: string;
  /** Who answers its calls, in words. */
  readonly answered_by: string;
}

/** Of studies that were sealed before who answers was. */
const UNKNOWN = 'unknown';

/** Workers have an environment of their own: nothing more is known of who answers there. */
const WORKERS = 'workers';

/** Who answers the calls of a run of a study. */
export type Answering =
  | { readonly kind: 'workers' }
  | { readonly kind: 'script'; readonly label: string; readonly file: Uint8Array }
  /** By the names by which they are asked. */
  | { readonly kind: 'models'; readonly names: readonly string[] };

const DIGEST_LENGTH = 12;
const NAMES_LENGTH_MAX = 1_000;

/** The words that are sealed. A script has the first digits of what `sha256sum` says of its file. */
export function describeAnswering(answering: Answering): string {
  switch (answering.kind) {
    case 'workers':
      return WORKERS;
    case 'script':
      return `scripted (${answering.label}, ${sha256(answering.file).slice(0, DIGEST_LENGTH)})`;
    case 'models': {
      const names = [...new Set(answering.names)].toSorted().join(', ');
      return names === '' ? 'models' : `models (${names.length > NAMES_LENGTH_MAX ? sha256(names) : names})`;
    }
    default:
      return unreachable(answering);
  }
}

/** Whether a study is another than the one that was sealed under its label. */
export function isAnother(sealed: Seal, now: Seal): boolean {
  return sealed.study_hash !== now.study_hash || isAnsweredByOthers(sealed, now);
}

/** Whether others answer than those with whom a study was sealed, as far as these are known. */
export function isAnsweredByOthers(sealed: Pick<Seal, 'answered_by'>, now: Pick<Seal, 'answered_by'>): boolean {
  return sealed.answered_by !== UNKNOWN && sealed.answered_by !== now.answered_by;
}
