import { AppError } from '../../contract/errors.js'
import { type HookFields, type RuntimePath, runtimePath } from '../../contract/hook-body.js'
import type { SessionName, SessionRow } from '../../store/tables/sessions.js'
import { assertInScope } from '../auth/scope.js'
import { type Caller, defaultAgent } from '../caller.js'
import type { Daemon } from '../daemon.js'
import { parseInput } from '../http/errors.js'
import { agentOf } from '../memory/boundary.js'
import { projectOf } from '../sessions/project-of.js'
import { sessionKeyOf, sessionTtlMs } from '../sessions/session-key.js'

export type EnterDeps = Pick<Daemon, 'store' | 'clock' | 'configuration' | 'environment'>

/** The session that a hook was called for, as the tracker knows it. */
export interface HookSession {
  agentId: string
  harness: string
  /** Where it works: what the call says, else its folder, else what the session said before; null when nobody did. */
  project: string | null
  runtimePath: RuntimePath | undefined
  /** Undefined when the call names no session. */
  name: SessionName | undefined
  row: SessionRow | undefined
}

export type Entry =
  | { kind: 'enter'; session: HookSession }
  /** The hook answers its empty no-op with this flag. */
  | { kind: 'no-op'; flag: { bypassed: true } | { internal: true }; session: HookSession | undefined }

export interface EnterOptions {
  /** Takes the runtime path for the session; other hooks only renew what is taken. */
  claims?: boolean
}

/**
 * What all hooks begin with (spec 1, 3.3 and 4.10): no-op for the service's own programs; the session is noted, its
 * runtime path checked, taken or renewed; no-op while it is bypassed. The tracker is no memory: it goes on while
 * mutations are frozen.
 * @throws AppError `conflict` when the other runtime path holds the session, `validation_failed` for a runtime path
 *   that is none, `scope_violation` for what the credential excludes.
 */
export async function enterHook(
  deps: EnterDeps,
  caller: Caller,
  body: HookFields,
  { claims = false }: EnterOptions = {},
): Promise<Entry> {
  const agentId = agentOf(caller, body) ?? defaultAgent
  assertInScope(caller.access.scope, 'project', body.project)
  const path = runtimePathOf(caller, body)
  if (caller.internal) return { kind: 'no-op', flag: { internal: true }, session: undefined }
  const key = body.sessionKey ?? caller.sessionKey
  const name = key ? { agentId, sessionKey: sessionKeyOf(key) } : undefined
  const project = body.project ?? (await projectOf(deps, body.cwd))
  const row = name && (await visit(deps, body, { name, project, path, claims }))
  const session: HookSession = {
    agentId,
    harness: body.harness,
    project: project ?? row?.project ?? null,
    runtimePath: path,
    name,
    row,
  }
  if (row?.bypassed === 1) return { kind: 'no-op', flag: { bypassed: true }, session }
  return { kind: 'enter', session }
}

/** The body's runtime path before the header's; undefined when neither says. */
export function runtimePathOf(
  caller: Caller,
  body: Pick<HookFields, 'runtimePath'>,
): RuntimePath | undefined {
  if (body.runtimePath) return body.runtimePath
  return caller.runtimePath === undefined ? undefined : parseInput(runtimePath, caller.runtimePath)
}

interface Visit {
  name: SessionName
  project: string | null
  path: RuntimePath | undefined
  claims: boolean
}

async function visit(
  { store, clock }: EnterDeps,
  { harness, cwd }: HookFields,
  { name, project, path, claims }: Visit,
): Promise<SessionRow> {
  const now = clock()
  const done: { row?: SessionRow | undefined } = {}
  await store.bookkeeping(async ({ sessions, agents }) => {
    await agents.register(name.agentId, now.toISOString())
    done.row = await sessions.visit(
      name,
      {
        harness,
        project,
        cwd: cwd ?? null,
        runtimePath: path ?? null,
        claims,
        expiresAt: new Date(now.getTime() + sessionTtlMs).toISOString(),
      },
      now.toISOString(),
    )
  })
  if (done.row) return done.row
  const other = path === 'plugin' ? 'legacy' : 'plugin'
  throw new AppError(
    'conflict',
    `the session is claimed by the runtime path ${other}; only one path may call its hooks until session-end`,
  )
}
