import type { Reply } from '../../../contract/api.js'
import type { CaptureQuery } from '../../../contract/sessions/capture-rules.js'
import { captureVerdict, projectHash } from '../../ground/projects/capture-rules.js'
import { assertInScope } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { isOnThisMachine } from '../../platform/auth/loopback.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

type Deps = Pick<Daemon, 'projects' | 'configuration' | 'requestCounts' | 'clock'>

const countedDays = 90

/**
 * Tells if sessions of a project are captured, and by which rule (sessions.md#capture-rules).
 * @throws AppError `scope_violation` for a project outside the credential's scope
 */
export async function readCaptureState(
  { projects, configuration, requestCounts, clock }: Deps,
  caller: Caller,
  { project: named, cwd, harness }: CaptureQuery,
): Promise<Reply<'GET /api/sessions/capture'>> {
  assertInScope(caller.access.scope, 'project', named)
  const { capture } = configuration().settings
  const lookup = { isHere: isOnThisMachine(caller), adds: false }
  const folder = named === undefined ? cwd : undefined
  const said = named ?? folder ?? caller.project ?? caller.access.scope.project
  const key = said === undefined ? undefined : await projects.resolve(said, lookup)
  assertInScope(caller.access.scope, 'project', key)
  const asked = { project: key, cwd: folder, harness, isHere: lookup.isHere }
  const verdict = await captureVerdict(projects, capture, asked)
  const leftOut = requestCounts.daily.last(countedDays, clock()).reduce((sum, day) => sum + day.leftOut, 0)
  return {
    ...capture,
    project: key === undefined ? null : { key, name: projects.nameOf(key), hash: projectHash(key) },
    ...verdict,
    leftOut,
  }
}
