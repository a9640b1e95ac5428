import { relative } from 'node:path';
import type { ComponentKind } from '../../core/protocol/component.js';
import { SHIPPED_PREFIX } from '../../core/workflow/link/resolve-path.js';
import type { LinkedDocument } from '../../core/workflow/link.js';
import type { Store } from '../../store/open-store.js';
import type { Finding } from './finding.js';
import { type DocumentParts, validateDocuments, type Validation } from './validate.js';

export interface PutParts extends DocumentParts {
  readonly components: Pick<Store['components'], 'put' | 'closure'>;
}

export interface PutDocument {
  readonly kind: ComponentKind;
  readonly hash: string;
  /** Relative to the working folder where it is below, or `chukwa:` and the name of a schema that ships. */
  readonly path: string;
}

export type PutResult =
  | {
      readonly ok: true;
      readonly stored: readonly PutDocument[];
      readonly new_count: number;
      readonly findings: readonly Finding[];
    }
  | { readonly ok: false; readonly findings: readonly Finding[] };

/** Checks files and folders, and stores all of them, or none where there is a problem. Idempotent. */
export async function putDocuments(parts: PutParts, paths: readonly string[]): Promise<PutResult> {
  return putChecked(parts, await validateDocuments(parts, paths));
}

/** Stores documents that have been checked, as `putDocuments` does. */
export async function putChecked(parts: PutParts, { ok, findings, components }: Validation): Promise<PutResult> {
  if (!ok) return { ok, findings };
  const newCount = await storeDocuments(parts, components);
  const stored = components.map((component) => toPut(component, parts.place.working_folder));
  return { ok, stored, new_count: newCount, findings };
}

/** Stores documents that have been checked, all or none. @returns how many were not there before */
export async function storeDocuments(
  { components }: Pick<PutParts, 'components'>,
  checked: readonly LinkedDocument[],
): Promise<number> {
  const distinct = new Map(checked.map((document) => [`${document.kind}/${document.hash}`, document]));
  const records = [...distinct.values()].map(({ path: _path, ...record }) => record);
  return records.length === 0 ? 0 : components.put(records);
}

function toPut({ kind, hash, path }: LinkedDocument, workingFolder: string): PutDocument {
  const name = path.startsWith(SHIPPED_PREFIX) ? path : relative(workingFolder, path);
  return { kind, hash, path: name.startsWith('..') ? path : name };
}
