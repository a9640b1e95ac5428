import { canonicalText } from '../core/content/canonical.js';
import { toStoredText } from '../core/content/stored-text.js';
import type { GrantRecord, NewGrant } from '../ports/approvals.js';
import { prepare, run, type Runner } from './statement.js';

// A grant approves calls to come. Each use of it stands in the approval that it decided.

/** A grant that still approves calls, as a condition on `grants`. */
export const IS_USABLE = `grants.uses_left > 0 AND grants.deadline > now() AND grants.revoked_at IS NULL`;

/** Grants whose tool and subject are those of an approval. */
export const COVERS = (approval: string) => `grants.world_slug = ${approval}.world_slug
   AND grants.tool_name = ${approval}.tool_name
   AND coalesce(grants.workflow_subject_entity_id = ${approval}.workflow_subject_entity_id,
     grants.workflow_subject_entity_id IS NULL)`;

/** One use less, where there is one: of the grant `:grant_id`, for the one row of `asked`. */
export const USED = `used AS (
     UPDATE approval_grants AS grants SET uses_left = uses_left - 1
     FROM asked WHERE grants.world_slug = asked.world_slug AND grants.grant_id = :grant_id::uuid AND ${IS_USABLE}
     RETURNING grants.world_slug, grants.grant_id, grants.granted_by, grants.reason)`;

const ADD = prepare(
  'add_grant',
  `INSERT INTO approval_grants (world_slug, grant_id, tool_name, workflow_subject_entity_id, arguments, uses, uses_left,
     granted_by, granted_at, deadline, reason)
   SELECT world_slug, :grant_id::uuid, :tool_name, :subject_id, :arguments::json, :uses::int, :uses::int, :granted_by,
     now(), now() + :deadline_ms::bigint * interval '1 millisecond', :reason
   FROM worlds WHERE world_slug = :world_slug`,
);

/** Approves calls to come. */
export async function addGrant(runner: Runner, grant: NewGrant): Promise<void> {
  const { granted_by, reason } = grant;
  await run(runner, ADD, {
    ...grant,
    arguments: canonicalText(grant.arguments),
    granted_by: toStoredText(granted_by),
    reason: reason === null ? null : toStoredText(reason),
  });
}

const SELECT = `
   SELECT world_slug, grant_id, tool_name, workflow_subject_entity_id, arguments, uses, uses_left, granted_by, granted_at,
     deadline, revoked_at, reason,
     CASE WHEN revoked_at IS NOT NULL THEN 'revoked' WHEN uses_left = 0 THEN 'used_up' WHEN deadline <= now() THEN 'expired'
       ELSE 'usable' END AS status
   FROM approval_grants AS grants`;

const FIND = prepare('find_grant', `${SELECT} WHERE grant_id = :grant_id::uuid`);
const LIST = prepare(
  'list_grants',
  `SELECT * FROM (${SELECT}
     WHERE (:world_slug::text IS NULL OR world_slug = :world_slug)
       AND (:after::uuid IS NULL OR grant_id < :after::uuid)) AS listed
   WHERE :status::text IS NULL OR status = :status
   ORDER BY grant_id DESC LIMIT :limit::int`,
);

export async function findGrant(runner: Runner, grant_id: string): Promise<GrantRecord | undefined> {
  return (await run<GrantRecord>(runner, FIND, { grant_id }))[0];
}

/** Grants, the latest first. */
export function listGrants(
  runner: Runner,
  wanted: {
    readonly world_slug?: string | null;
    readonly status?: string | null;
    readonly after?: string | null;
    readonly limit: number;
  },
): Promise<readonly GrantRecord[]> {
  return run<GrantRecord>(runner, LIST, { world_slug: null, status: null, after: null, ...wanted });
}

const REVOKE = prepare(
  'revoke_grant',
  `UPDATE approval_grants AS grants SET revoked_at = now()
   WHERE grant_id = :grant_id::uuid AND ${IS_USABLE} RETURNING grant_id`,
);

/** Takes a grant back. @returns false where it approves nothing any more */
export async function revokeGrant(runner: Runner, grant_id: string): Promise<boolean> {
  return (await run(runner, REVOKE, { grant_id })).length > 0;
}
