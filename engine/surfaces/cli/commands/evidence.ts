import { Argument, Option } from 'commander';
import { present } from '../../../contract/present.js';
import { count } from '../../../catalogue/words.js';
import { type MadeCheckpoint, makeCheckpoint } from '../../../operations/evidence/checkpoint.js';
import { verifyEvidence } from '../../../operations/evidence/verify-file.js';
import type { Verified } from '../../../operations/evidence/verify-file.js';
import type { ExitCode } from '../exit-code.js';
import { type Lines, line, verbatim } from '../render/line.js';
import { answer, printProblem, printRefused, type Session, withEngine } from '../session.js';
import type { CommandEntry } from './entry.js';

export const EVIDENCE_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'checkpoint',
    says: 'Sign all seals of this database as they are, and give that to CHUKWA_ANCHOR.',
    run: checkpoint,
  },
  {
    name: 'evidence verify',
    says: 'Verify a bundle or the proof of a claim, with nothing else: no database, no network.',
    takes: [
      new Argument('<file>', 'the file'),
      new Option('--key <key>', 'the key that has to have signed it; else anybody may have made it'),
    ],
    run: verify,
  },
];

async function checkpoint(session: Session): Promise<ExitCode> {
  const signer = await session.composition.openSigner();
  if (!signer.ok) return printRefused(session, signer);
  const made = await withEngine(session, (engine) => makeCheckpoint(engine, signer.value, engine.runtime.clock.now()));
  const code = answer(session, made, { lines: checkpointLines });
  // The checkpoint is kept all the same, so that it is shown too.
  return made.ok && made.value.unanchored !== undefined ? printProblem(session, made.value.unanchored) : code;
}

/** A checkpoint for people. */
function checkpointLines({ checkpoint: note, key, missing }: MadeCheckpoint): Lines {
  return [
    note
      .trimEnd()
      .split('\n')
      .map((text) => verbatim(text)),
    verbatim(''),
    verbatim('Key:  ', key),
    missing.map(({ world_slug, how, seals }) =>
      line(
        how === 'removed'
          ? `World ${world_slug} was removed: its ${count(seals, 'seal')} are in the log, and in the database no longer.`
          : `World ${world_slug} was altered: ${count(seals, 'seal')} of it are not what the log holds.`,
      ),
    ),
  ];
}

async function verify(session: Session, file: string, { key }: { readonly key?: string }): Promise<ExitCode> {
  const { working_folder } = session.terminal;
  return answer(session, await verifyEvidence({ file, working_folder, ...present({ key }) }), { lines: verifiedLines });
}

function verifiedLines({ proved, key_was_given }: Verified): Lines {
  const { origin, size } = proved.checkpoint;
  return [
    'claim' in proved ? claimLines(proved.claim) : bundleLines(proved),
    line(`Sealed in the log ${origin}, which had ${count(size, 'seal')} at this checkpoint.`),
    line(
      key_was_given
        ? 'Signed by the key that was given.'
        : `Signed by the key that the file itself names. Compare it with one that you have from elsewhere, by --key:`,
    ),
    !key_was_given && verbatim('  ', proved.key),
  ];
}

function claimLines(claim: Extract<Verified['proved'], { readonly claim: unknown }>['claim']): Lines {
  const { world_slug, turn, entity_id, state, subject_id, patch_seq, model } = claim;
  const by = `by patch ${patch_seq}, of ${subject_id}`;
  return [
    line(`It holds: turn ${turn} of world ${world_slug} gave ${entity_id} this state, ${by}:`),
    line(`  ${state}`),
    line(`The patch is of ${model ?? 'a model'}, which was given the prompt of the file.`),
  ];
}

function bundleLines(proved: Exclude<Verified['proved'], { readonly claim: unknown }>): Lines {
  const { world_slug, attempt_id, seals, entries, removed, revealed, hidden } = proved;
  const about = attempt_id === undefined ? `world ${world_slug}` : `attempt ${attempt_id} of world ${world_slug}`;
  return [
    line(`It holds: ${about}, with ${count(seals, 'seal')} over ${count(entries, 'entry', 'entries')}.`),
    removed > 0 && line(`The world was removed: of ${count(removed, 'seal')} the entries are gone.`),
    line(`It shows ${count(revealed, 'text')}, and has of ${hidden} the hash alone.`),
  ];
}
