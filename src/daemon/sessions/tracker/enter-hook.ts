import { AppError } from '../../../contract/ground/errors.js'
import { toolHookHarnesses } from '../../../contract/sessions/harness-names.js'
import { type HookFields, type RuntimePath, runtimePath } from '../../../contract/sessions/hooks.js'
import { within } from '../../../lib/concurrency/stop-waiting.js'
import { storageFault } from '../../../lib/files/storage-fault.js'
import type { SessionName, SessionRow } from '../../../store/tables/sessions/sessions.js'
import { captureVerdict } from '../../ground/projects/capture-rules.js'
import { type FolderReads, folderReads } from '../../ground/projects/identify.js'
import type { Location } from '../../ground/projects/projects.js'
import type { Repository } from '../../ground/projects/repository.js'
import { liveSessionCutoff, sessionKeyOf, sessionTtlMs } from '../../ground/sessions/session-key.js'
import { agentOf, assertInScope } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import { isOnThisMachine } from '../../platform/auth/loopback.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { parseInput } from '../../platform/http/errors.js'

export type EnterDeps = Pick<
  Daemon,
  'store' | 'clock' | 'configuration' | 'environment' | 'projects' | 'requestCounts' | 'toolQueues' | 'log'
>

/** The session of a hook call, as the tracker knows it. */
export interface HookSession {
  agentId: string
  harness: string
  /**
   * The project of the call, otherwise of its folder, otherwise the session's earlier one; null without any.
   */
  project: string | null
  /** Repository of its working tree; undefined outside a repository. */
  repository: Repository | undefined
  runtimePath: RuntimePath | undefined
  /** Undefined when the call names no session. */
  name: SessionName | undefined
  row: SessionRow | undefined
  /** The session before this call; undefined when it was unknown. */
  before: SessionRow | undefined
  /** True when the agent was named by the call, its caller or an earlier call of the session. */
  agentNamed: boolean
}

export type Entry =
  | { kind: 'enter'; session: HookSession }
  /** The hook replies with its empty no-op and this flag. */
  | { kind: 'no-op'; flag: { bypassed: true } | { internal: true }; session: HookSession | undefined }

export interface EnterOptions {
  /** Claims the runtime path for the session; other hooks only renew a claim. */
  claims?: boolean
  /** Reopens a session that had ended. */
  resumes?: boolean
  /** A session-end by the daemon's own sweep: it counts as an attempt and not as a sign of life. */
  sweeps?: boolean
}

/**
 * Runs the common start of all hooks (rules.md 3.3 and 4.10): records the session, and checks, claims or
 * renews its runtime path. The result is a no-op for the service's own programs, for bypassed sessions and
 * for those that a rule leaves out (sessions.md#capture-rules). A
 * call without an agent belongs to the agent of its session, the default agent first; a start only if that
 * session is live. The tracker also runs while writes are frozen.
 * @throws AppError `conflict` when the other runtime path has claimed the session, `validation_failed` for an
 * invalid runtime path, `scope_violation` for values outside the credential's scope.
 */
export async function enterHook(
  deps: EnterDeps,
  caller: Caller,
  body: HookFields,
  { claims = false, resumes = claims, sweeps = false }: EnterOptions = {},
): Promise<Entry> {
  agentOf(caller, body)
  assertInScope(caller.access.scope, 'project', body.project)
  const path = runtimePathOf(caller, body)
  if (caller.internal) return { kind: 'no-op', flag: { internal: true }, session: undefined }
  const reads = folderReads()
  if (await isLeftOut(deps, caller, body, reads)) {
    await closeTools(deps, sessionKeyIn(caller, body))
    return { kind: 'no-op', flag: { bypassed: true }, session: undefined }
  }
  const adds = caller.access.scope.project === undefined
  const identity = await identifySession(deps, caller, body, { claims, adds, reads })
  const { agentId, name, before, project } = identity
  const row = await visit(deps, body, { agentId, name, project, path, claims, resumes, sweeps }).catch(
    error => {
      // On a full disk the session still gets its reply; only its visit is not recorded.
      if (!storageFault(error)) throw error
      return before
    },
  )
  const session: HookSession = {
    ...identity,
    harness: body.harness,
    project: project ?? (row?.project ? deps.projects.canonical(row.project) : null),
    runtimePath: path,
    row,
  }
  if (row?.bypassed === 1) {
    await closeTools(deps, row.session_key)
    return { kind: 'no-op', flag: { bypassed: true }, session }
  }
  const permitted = permitTools(deps, caller, session, body)
  // A start does not wait for it: its first prompt does, before any tool.
  if (!claims) await permitted
  return { kind: 'enter', session }
}

/**
 * Returns the session that a hook call would enter, and records nothing.
 * @throws AppError `scope_violation` for values outside the credential's scope
 */
export async function peekHook(
  deps: EnterDeps,
  caller: Caller,
  body: HookFields,
  { claims }: { claims: boolean },
): Promise<HookSession> {
  assertInScope(caller.access.scope, 'project', body.project)
  const identity = await identifySession(deps, caller, body, { claims, adds: false })
  const { project, before } = identity
  const earlier = before?.project ? deps.projects.canonical(before.project) : null
  return {
    ...identity,
    harness: body.harness,
    project: project ?? earlier,
    runtimePath: undefined,
    row: before,
  }
}

/** True if the rules of capture leave this call out, which is counted and nothing else. */
async function isLeftOut(
  { projects, configuration, requestCounts, clock }: EnterDeps,
  caller: Caller,
  { project, cwd, harness }: HookFields,
  reads: FolderReads,
): Promise<boolean> {
  const named = project ?? (cwd ? undefined : caller.project)
  const asked = { project: named, cwd, harness, isHere: isOnThisMachine(caller), reads }
  const { isCaptured } = await captureVerdict(projects, configuration().settings.capture, asked)
  if (!isCaptured) requestCounts.daily.note({ leftOut: 1 }, clock())
  return !isCaptured
}

/** Hooks of a session that is left out note nothing from now on. A file that stays does not fail the hook. */
async function closeTools({ toolQueues, log }: EnterDeps, key: string | undefined): Promise<void> {
  if (key === undefined) return
  await toolQueues
    .each(key, () => toolQueues.close(key))
    .catch((error: unknown) => log.warn({ err: error }, 'the queue of tool uses could not be removed'))
}

/** Lets hooks note the tools of a session on this machine; it never rejects (sessions.md#tool-use). */
async function permitTools(
  { toolQueues, configuration, store, clock }: EnterDeps,
  caller: Caller,
  { name, row, harness }: HookSession,
  { cwd }: HookFields,
): Promise<void> {
  const { toolUse, rules, mode } = configuration().settings.capture
  if (!name || !cwd || row?.ended_at !== null || toolUse === 'off') return
  if (!toolHookHarnesses.has(harness) || !isOnThisMachine(caller)) return
  const hasRules = rules.length > 0 || mode === 'off'
  const permit = { ...name, harness, cwds: [cwd], hasRules, full: toolUse === 'full' }
  await toolQueues.permit(permit, clock(), () => store.tables.sessionTurns.next(name))
}

type SessionIdentity = Pick<
  HookSession,
  'agentId' | 'agentNamed' | 'name' | 'before' | 'project' | 'repository'
>

async function identifySession(
  deps: EnterDeps,
  caller: Caller,
  body: HookFields,
  { claims, ...lookup }: { claims: boolean; adds: boolean; reads?: FolderReads },
): Promise<SessionIdentity> {
  const named = agentOf(caller, body)
  const key = sessionKeyIn(caller, body)
  const known = key === undefined ? undefined : await knownSession(deps, named, key)
  const before = known && (named !== undefined || !claims || mayGoOn(deps, known)) ? known : undefined
  const agentId = named ?? before?.agent_id ?? defaultAgent
  return {
    agentId,
    agentNamed: named !== undefined || agentId !== defaultAgent,
    name: key === undefined ? undefined : { agentId, sessionKey: key },
    before,
    ...(await placeOf(deps, caller, body, { before, ...lookup })),
  }
}

interface FolderLookup {
  before: SessionRow | undefined
  adds: boolean
  reads?: FolderReads
}

/**
 * The project of a call; null when it is unknown. For a credential limited to a project it is that project.
 * The call is refused when its name, folder or session gives another one (security.md 5.4).
 */
async function placeOf(
  deps: EnterDeps,
  caller: Caller,
  { project, cwd }: HookFields,
  lookup: FolderLookup,
): Promise<Pick<HookSession, 'project' | 'repository'>> {
  const { scope } = caller.access
  const folder = cwd ? await placeOfFolder(deps, caller, cwd, lookup) : undefined
  const said = project ?? folder?.project ?? caller.project ?? scope.project ?? null
  assertInScope(scope, 'project', said)
  assertInScope(scope, 'project', lookup.before?.project)
  return { project: said, repository: folder ? folder.repository : caller.repository }
}

/**
 * A read blocks while macOS asks a person for permission, or a network disk is away; hooks do not wait for
 * it.
 */
const locateMs = 2500

/**
 * A session whose folder is gone, such as a removed worktree, stays in its project. So does one whose folder
 * does not answer; a new session is in no project then.
 */
async function placeOfFolder(
  { projects }: EnterDeps,
  caller: Caller,
  cwd: string,
  { before, ...lookup }: FolderLookup,
): Promise<Location | undefined> {
  const isHere = isOnThisMachine(caller)
  const earlier = before?.project
    ? { project: projects.canonical(before.project), repository: undefined }
    : undefined
  const slow = new Error('the folder does not answer')
  try {
    const place = await within(projects.locate(cwd, { isHere, ...lookup }), locateMs, () => slow)
    return place.isGone && earlier ? earlier : place
  } catch (error) {
    if (error !== slow) throw error
    return earlier
  }
}

/** The session key in the body, otherwise in the header; undefined without one. */
export function sessionKeyIn(
  { sessionKey }: Caller,
  body: Pick<HookFields, 'sessionKey'>,
): string | undefined {
  const key = body.sessionKey ?? sessionKey
  return key ? sessionKeyOf(key) : undefined
}

/**
 * A start without an agent opens a session of the default agent, unless another agent's session with that key
 * is live.
 */
function mayGoOn({ clock }: EnterDeps, { agent_id, ended_at, seen_at }: SessionRow): boolean {
  return agent_id === defaultAgent || (ended_at === null && seen_at > liveSessionCutoff(clock()))
}

function knownSession(
  { store }: Pick<EnterDeps, 'store'>,
  agentId: string | undefined,
  sessionKey: string,
): Promise<SessionRow | undefined> {
  const { sessions } = store.tables
  return agentId === undefined
    ? sessions.byKey(sessionKey, defaultAgent)
    : sessions.find({ agentId, sessionKey })
}

/** The runtime path in the body, otherwise in the header; undefined without one. */
export function runtimePathOf(
  caller: Caller,
  body: Pick<HookFields, 'runtimePath'>,
): RuntimePath | undefined {
  if (body.runtimePath) return body.runtimePath
  if (caller.runtimePath === undefined) return undefined
  return parseInput(runtimePath, caller.runtimePath, 'x-service-runtime-path')
}

interface Visit {
  agentId: string
  name: SessionName | undefined
  project: string | null
  path: RuntimePath | undefined
  claims: boolean
  resumes: boolean
  sweeps: boolean
}

async function visit(
  { store, clock }: EnterDeps,
  { harness, cwd }: HookFields,
  { agentId, name, project, path, claims, resumes, sweeps }: Visit,
): Promise<SessionRow | undefined> {
  const now = clock()
  const row = await store.write({ until: 'executed' }, async ({ sessions, agents }) => {
    if (agentId !== defaultAgent) await agents.register(agentId, now.toISOString())
    if (!name) return undefined
    return sessions.visit(
      name,
      {
        harness,
        project,
        cwd: cwd ?? null,
        runtimePath: path ?? null,
        claims,
        resumes,
        sweeps,
        expiresAt: new Date(now.getTime() + sessionTtlMs).toISOString(),
      },
      now.toISOString(),
    )
  })
  if (row || !name) return row
  const other = path === 'plugin' ? 'legacy' : 'plugin'
  throw new AppError(
    'conflict',
    `the session is claimed by the runtime path ${other}; only one path may call its hooks until session-end`,
  )
}
