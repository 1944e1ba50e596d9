import { AppError } from '../../../contract/ground/errors.js'
import type { SessionContext, SessionStartBody, SessionStartReply } from '../../../contract/sessions/hooks.js'
import { sessionKeyOf } from '../../ground/sessions/session-key.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { advanceEpoch, claimFresh, readLedger } from '../../memory/recall/choose/ledger.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import {
  type EnterDeps,
  enterHook,
  type HookSession,
  runtimePathOf,
  sessionKeyIn,
} from '../tracker/enter-hook.js'
import { parentKeysOf } from '../transcripts/session-transcript.js'
import { gatherContext } from './gather-context.js'
import { type StartChoice, startEvent } from './hook-events.js'
import { type ContextParts, type DeliveredContext, emptyContext, sessionContext } from './session-context.js'

type Deps = EnterDeps & Pick<Daemon, 'paths' | 'blackBoxes' | 'log' | 'plugins' | 'requestCounts' | 'budget'>

/**
 * Opens a session: claims its runtime path and returns its starting context (rules.md 2.4 and 4.10).
 * `claimOnly` renews the claim of a running session and returns no context; a fork has that of its parent,
 * and a resumed session gets only what is new.
 * @throws AppError `validation_failed` for `claimOnly` without a session or a runtime path, `conflict` when
 * the other path has claimed the session.
 */
export async function sessionStart(
  deps: Deps,
  caller: Caller,
  body: SessionStartBody,
): Promise<SessionStartReply> {
  if (body.claimOnly) assertClaimable(caller, body)
  const entry = await enterHook(deps, caller, body, { claims: true })
  if (body.claimOnly && entry.session)
    return { sessionKnown: true, ...(entry.kind === 'no-op' && { bypassed: true as const }) }
  if (entry.kind === 'no-op') return { ...emptyContext(), ...entry.flag }
  const parent = await noteLineage(deps, entry.session, body)
  const session = { ...entry.session, project: entry.session.project ?? parent?.project ?? null }
  if (isEmptied(session, body)) await forgetShown(deps, session)
  // A fork begins with the context of its parent.
  if (body.source === 'fork') return emptyContext()
  const context = await contextFor(deps, caller, session, { parentKey: parent?.key, source: body.source })
  const { requestCounts, clock } = deps
  const whose = { harness: body.harness, now: clock() }
  requestCounts.injected.note('starts', context.diagnostics.injectTokens, whose)
  return context
}

function assertClaimable(caller: Caller, body: SessionStartBody): void {
  const path = runtimePathOf(caller, body) ? undefined : 'runtimePath'
  const missing = path ?? (sessionKeyIn(caller, body) === undefined ? 'sessionKey' : undefined)
  if (!missing) return
  const message = `claimOnly renews the claim of a running session: ${missing} is required`
  throw new AppError('validation_failed', message, [{ path: missing, message: 'is required' }])
}

/** Records the parent of this session, from the call or the harness's form of the key (rules.md 4.10). */
async function noteLineage(
  { store }: Deps,
  { name, agentId }: HookSession,
  { parentSessionKey, harnessAgentId }: SessionStartBody,
): Promise<ParentSession | undefined> {
  if (!name) return undefined
  const parent = await findParent({ store }, { name, agentId }, parentSessionKey)
  if (!parent && !harnessAgentId) return undefined
  await store.write({ until: 'executed' }, ({ sessions }) =>
    sessions.note(name, { parentKey: parent?.key, harnessAgentId: harnessAgentId ?? undefined }),
  )
  return parent
}

interface ParentSession {
  key: string
  project: string | null
}

/** Returns the session that started this one; undefined if neither the call nor the key names one. */
export async function findParent(
  { store }: Pick<Deps, 'store'>,
  { name, agentId }: Pick<HookSession, 'name' | 'agentId'>,
  parentSessionKey?: string | null,
): Promise<ParentSession | undefined> {
  if (!name) return undefined
  const keys = parentSessionKey ? [sessionKeyOf(parentSessionKey)] : parentKeysOf(name.sessionKey)
  const known = await Promise.all(keys.map(sessionKey => store.tables.sessions.find({ agentId, sessionKey })))
  const row = known.find(Boolean)
  const key = row?.session_key ?? keys[0]
  return key === undefined ? undefined : { key, project: row?.project ?? null }
}

async function contextFor(
  deps: Deps,
  caller: Caller,
  session: HookSession,
  { parentKey, source }: { parentKey: string | undefined; source: string | null | undefined },
): Promise<SessionContext> {
  const [shown, isResumed] = await Promise.all([
    shownBefore(deps, session),
    source === 'resume' && hasContext(deps, session),
  ])
  const { settings, parts, choice } = await gatherContext(deps, caller, session, {
    parentKey,
    shown,
    isResumed,
  })
  const { maxInjectTokens, recencyBias } = settings
  const delivered = await deliver(deps, session, parts, maxInjectTokens)
  const chosen = { best: choice.chosen, recencyBias, shownBefore: shown.size }
  noteStart(deps, session, { delivered, parts, chosen })
  return delivered.context
}

/** Returns whether an earlier start gave the session its context, and nothing emptied it since. */
async function hasContext({ store }: Deps, { name, before }: HookSession): Promise<boolean> {
  if (!name || before?.end_reason === 'clear') return false
  return (await store.tables.recallLedger.epochOf(name)) !== undefined
}

/**
 * True when rows shown before are no longer in the context: harnesses report this before the compaction
 * itself.
 */
function isEmptied({ before }: HookSession, { source }: SessionStartBody): boolean {
  return source === 'compact' || source === 'clear' || before?.end_reason === 'clear'
}

async function forgetShown(deps: Deps, { name }: HookSession): Promise<void> {
  if (!name) return
  try {
    await advanceEpoch(deps, name.agentId, name.sessionKey)
  } catch (error) {
    deps.log.warn({ err: error }, 'context epoch not advanced')
  }
}

/** Ids of memories in the session's context: those shown in this epoch. */
export async function shownBefore(
  deps: Pick<Deps, 'store' | 'clock' | 'log'>,
  { name }: HookSession,
): Promise<ReadonlySet<string>> {
  if (!name) return new Set()
  try {
    return (await readLedger(deps, name)).recalled
  } catch (error) {
    deps.log.warn({ err: error }, 'recall ledger of a session not readable')
    return new Set()
  }
}

interface StartRecord {
  delivered: DeliveredContext
  parts: ContextParts
  chosen: StartChoice
}

function noteStart(
  { blackBoxes }: Deps,
  { name, project }: HookSession,
  { delivered, parts, chosen }: StartRecord,
): void {
  const event = startEvent(delivered, parts, chosen)
  if (name && event) blackBoxes.note({ ...name, project }, [event])
}

/**
 * Delivers the parts that fit and records them, so that recall does not repeat them in this session
 * (recall.md 4.9 and rules.md 4.10).
 */
async function deliver(
  deps: Deps,
  { name }: HookSession,
  parts: ContextParts,
  maxInjectTokens: number,
): Promise<DeliveredContext> {
  const wanted = sessionContext(parts, maxInjectTokens)
  const ids = wanted.context.memories.map(({ id }) => id)
  if (!name) return wanted
  const fresh = await claimFresh(deps, name, ids)
  if (ids.every(id => fresh.has(id))) return wanted
  const memories = wanted.context.memories.filter(({ id }) => fresh.has(id))
  return sessionContext({ ...parts, memories }, maxInjectTokens)
}
