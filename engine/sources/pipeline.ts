import type { CallSource } from '../ports/sources.js';
import type { Clock } from '../ports/clock.js';
import type { Alarm } from '../contract/source.js';
import type { OpenedSources } from './opened-sources.js';
import type { LookUpVariable } from './origin.js';
import { toOutcome } from './outcome.js';
import { first, type Shown, type Stages } from './passage.js';
import type { LoadedPlugin } from './registry.js';
import { type Authorise, authorise } from './stages/authorise.js';
import { call } from './stages/call.js';
import { startDurably } from './stages/durable-start.js';
import { grant } from './stages/grant.js';
import { checkPolicy } from './stages/policy.js';
import { readSecrets } from './stages/read-secrets.js';
import { type Redact, redactAnswer } from './stages/redact-answer.js';
import { resolve } from './stages/resolve.js';
import { validateInput } from './stages/validate-input.js';
import { validateOutput } from './stages/validate-output.js';

/** What the stages need of the outside. */
export interface PipelineParts {
  readonly plugins: readonly LoadedPlugin[];
  readonly lookUp: LookUpVariable;
  readonly opened: OpenedSources;
  readonly authorise: Authorise;
  readonly clock: Pick<Clock, 'now'>;
  readonly alarm: Alarm;
  readonly redact: Redact;
}

/** The one way out: every call passes these stages, in this order. */
export function callStages(parts: PipelineParts): Stages<Shown> {
  return first(resolve(parts.plugins, parts.lookUp))
    .next(checkPolicy)
    .next(authorise(parts.authorise))
    .next(grant)
    .next(validateInput)
    .next(startDurably)
    .next(readSecrets(parts.opened))
    .next(call(parts))
    .next(validateOutput)
    .next(redactAnswer(parts.redact));
}

/** Makes the function through which everything is asked. */
export function createCallSource(parts: PipelineParts): CallSource {
  const stages = callStages(parts);
  return async (command, surroundings, recorder) => {
    const end = await stages.run({ command, surroundings, recorder, started_at: parts.clock.now() });
    return toOutcome(end, parts.clock.now());
  };
}
