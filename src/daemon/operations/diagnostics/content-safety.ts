import { AppError } from '../../../contract/ground/errors.js'
import type {
  ContentSafetyList,
  SafetySourceKind,
  SafetyStatus,
} from '../../../contract/operations/diagnostics.js'
import { agentOf, type NamedAgent } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { policyVersion } from '../../safety/verdict-columns.js'
import { surveysOf } from './survey/surveys.js'

export type SafetyQuery = NamedAgent & {
  status?: SafetyStatus | undefined
  sourceKind?: SafetySourceKind | undefined
  limit: number
  offset: number
}

/**
 * Content safety verdicts with their reasons, never the text (content-safety.md#who-sees-the-verdicts).
 * @throws AppError `scope_violation` for another agent than the credential's, or a credential confined to a
 * project or author.
 */
export async function contentSafetyList(
  daemon: Daemon,
  caller: Caller,
  { status, sourceKind, limit, offset, ...named }: SafetyQuery,
): Promise<ContentSafetyList> {
  const agentId = agentOf(caller, named) ?? null
  const { project, user } = caller.access.scope
  if (project !== undefined || user !== undefined)
    throw new AppError(
      'scope_violation',
      'verdicts are listed across projects and authors; use a credential that is confined to neither',
    )
  const answer = await surveysOf(daemon).ask('safety', { agentId, status, sourceKind, limit, offset })
  return { agentId, policyVersion, ...answer, limit, offset }
}
