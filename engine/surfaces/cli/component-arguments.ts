import { Argument } from 'commander';
import type { ComponentKind } from '../../core/protocol/component.js';
import { HASH_DIGITS_MIN, toComponentKind } from '../../operations/components.js';
import type { ExitCode } from './exit-code.js';
import { printRefused, type Session } from './session.js';

/** A kind of document. It is judged by `withKind`, so that the complaint has its code. */
export function kindArgument(name: '<kind>' | '[kind]'): Argument {
  return new Argument(name, 'what kind of document: json_schema, response_source, cognition_workflow, ...');
}

/** The hash of a document. */
export function hashArgument(): Argument {
  return new Argument('<hash>', `its hash, or at least the first ${HASH_DIGITS_MIN} digits of it`);
}

/** Runs a task with a valid kind of document; any other word is a usage error, reported before anything is opened. */
export async function withKind(
  session: Session,
  text: string,
  task: (kind: ComponentKind) => Promise<ExitCode>,
): Promise<ExitCode> {
  const kind = toComponentKind(text);
  return kind.ok ? task(kind.value) : printRefused(session, kind);
}
