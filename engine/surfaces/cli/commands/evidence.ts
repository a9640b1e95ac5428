import { Argument, Option } from 'commander';
import { resolve } from 'node:path';
import { present } from '../../../contract/present.js';
import { count } from '../../../catalogue/words.js';
import { type Outcome, type Refused, succeed } from '../../../contract/problem.js';
import type { MadeCheckpoint } from '../../../operations/evidence/checkpoint.js';
import { type Gathered, MATERIALS } from '../../../operations/evidence/gather.js';
import { makeHereOrThere } from '../../../operations/evidence/makers.js';
import { verifyEvidence, type Verified, verifyText } from '../../../operations/evidence/verify-file.js';
import { checkNewFile, writeNewText } from '../../../operations/write-files.js';
import { listOption, pathOption, SLUG, wholeOption } from '../arguments.js';
import type { ExitCode } from '../exit-code.js';
import { command, type Lines, line, verbatim } from '../render/line.js';
import { answer, printProblem, printRefused, type Session } from '../session.js';
import type { CommandEntry } from './entry.js';

const OUTPUT = pathOption(
  '--output <file>',
  'the output file; an existing file is not overwritten',
).makeOptionMandatory();

const REDACT = listOption('--redact', `leave out texts, of which the hashes stay: ${MATERIALS.join(', ')}`);

interface FileOptions {
  readonly output: string;
  readonly redact?: readonly string[];
}

export const EVIDENCE_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'checkpoint',
    says: 'Sign all seals of this database as they are, and give that to CHUKWA_ANCHOR.',
    run: checkpoint,
  },
  { name: 'evidence', says: 'Prove to others what happened, by files that verify with nothing else.' },
  {
    name: 'evidence bundle',
    says: 'Write what proves an attempt or a world; the word "bundle" may be left out.',
    is_default: true,
    takes: [
      new Argument('<attempt|world>', 'the id of an attempt that has ended, or the name of a world'),
      OUTPUT,
      REDACT,
    ],
    run: (session, named: string, { output, redact = [] }: FileOptions) =>
      writeEvidence(session, output, () => makeHereOrThere(session.composition, 'bundle', { named, redact })),
  },
  {
    name: 'evidence proof',
    says: 'Write a small proof of one claim: this state of an entity, by this patch, from this prompt.',
    takes: [
      SLUG,
      new Argument('<entity>', 'the id of the entity'),
      OUTPUT,
      wholeOption('--turn <n>', 'the state at the end of this turn; else the latest', [1]),
      REDACT,
    ],
    run(session, world_slug: string, entity_id: string, options: FileOptions & { readonly turn?: number }) {
      const { output, redact = [], turn } = options;
      const wanted = { world_slug, entity_id, redact, ...present({ turn }) };
      return writeEvidence(session, output, () => makeHereOrThere(session.composition, 'claim', wanted));
    },
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
  const made = await makeHereOrThere(session.composition, 'checkpoint', {});
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

/** Gathers evidence, and writes it into a new file. */
async function writeEvidence(
  session: Session,
  output: string,
  gather: () => Promise<Outcome<Gathered>>,
): Promise<ExitCode> {
  const path = resolve(session.terminal.working_folder, output);
  const free = await checkNewFile({ path, shown: output });
  const gathered = free.ok ? await gather() : free;
  if (!gathered.ok) return printRefused(session, gathered);
  const { made, text } = gathered.value;
  const proved = verifyText(text, made.key);
  const written = proved.ok ? await writeNewText({ path, shown: output }, text) : proved;
  if (!proved.ok || !written.ok) return printRefused(session, written as Refused);
  const { key } = proved.value;
  const bytes = Buffer.byteLength(text);
  const code = answer(session, succeed({ file: output, bytes, ...proved.value }), {
    lines: () => [
      line(`Wrote ${output} (${bytes} bytes).`),
      provedLines(proved.value),
      verbatim('Key:     ', key),
      verbatim('Verify:  ', command('evidence', 'verify', output, '--key', key)),
    ],
  });
  return made.unanchored === undefined ? code : printProblem(session, made.unanchored);
}

async function verify(session: Session, file: string, { key }: { readonly key?: string }): Promise<ExitCode> {
  const { working_folder } = session.terminal;
  return answer(session, await verifyEvidence({ file, working_folder, ...present({ key }) }), { lines: verifiedLines });
}

function provedLines(proved: Verified['proved']): Lines {
  const { origin, size } = proved.checkpoint;
  return [
    'claim' in proved ? claimLines(proved.claim) : bundleLines(proved),
    line(`Sealed in the log ${origin}, which had ${count(size, 'seal')} at this checkpoint.`),
  ];
}

function verifiedLines({ proved, key_was_given }: Verified): Lines {
  return [
    provedLines(proved),
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
