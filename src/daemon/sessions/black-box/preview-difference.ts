import type { InjectedItem } from '../../../contract/sessions/black-box.js'
import type { ChangedRecord, PreviewDifference, PreviewPart } from '../../../contract/sessions/preview.js'
import { labelOf } from '../../../lib/text/labels.js'
import { oneLine } from '../../../lib/text/one-line.js'
import type { MemoryState } from '../../../store/tables/memory/memory-overview.js'
import type { SessionStartRows } from '../../../store/tables/sessions/session-events.js'
import { withoutPrivate } from '../../ground/text/private-spans.js'
import { withoutRecalled } from '../../ground/text/tag-spans.js'
import { readBoundary } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { shownText } from '../hooks/session-memories.js'
import type { HookSession } from '../tracker/enter-hook.js'
import type { LeftOutGroup } from './preview-groups.js'

type Deps = Pick<Daemon, 'store' | 'blackBoxes' | 'clock'>

/** Sessions among which the last start is searched. */
const lastSessions = 10
const maxText = 200

/** A record of the last start. */
type GivenRecord = Pick<InjectedItem, 'id'> & { kind: ChangedRecord['kind'] }

/**
 * Compares a preview with the last start of a session of this agent and project. Only ids were recorded, so
 * the texts are those of today.
 * @returns null if no start is recorded, without a project, or for a credential limited to a user, since
 * sessions have none
 */
export async function differenceToLast(
  deps: Deps,
  caller: Caller,
  session: HookSession,
  now: { parts: readonly PreviewPart[]; groups: readonly LeftOutGroup[] },
): Promise<PreviewDifference | null> {
  const { agentId, project, name } = session
  if (project === null || caller.access.scope.user !== undefined) return null
  await deps.blackBoxes.flush()
  const { sessionEvents, sessions } = deps.store.tables
  const rows = await sessionEvents.lastStarts({ agentId, project, except: name?.sessionKey }, lastSessions)
  const last = rows.filter(({ starts }) => starts.length > 0).sort((a, b) => (atOf(a) < atOf(b) ? 1 : -1))[0]
  if (!last) return null
  const given = givenAt(last)
  const before = new Set(given.map(({ id }) => id))
  const shown = now.parts.flatMap(part => (isComparable(part) ? [part] : []))
  const ids = new Set(shown.map(({ record }) => record.id))
  const row = await sessions.find({ agentId, sessionKey: last.sessionKey })
  const added = shown.filter(({ record }) => !before.has(record.id))
  const removed = given.filter(({ id }) => !ids.has(id))
  return {
    sessionKey: last.sessionKey,
    harness: row?.harness ?? null,
    at: atOf(last),
    tokens: tokensAt(last),
    added: added.map(part => addedRecord(part, atOf(last))),
    removed: await removedRecords(deps, caller, session, removed, now.groups),
    same: shown.length - added.length,
  }
}

function atOf({ starts }: SessionStartRows): string {
  return starts.at(-1)?.at ?? ''
}

/** A session that was compacted or resumed started several times; together they gave it its context. */
function givenAt({ starts }: SessionStartRows): GivenRecord[] {
  const all = starts.flatMap(({ refs, payload }): GivenRecord[] => {
    const { given } = JSON.parse(payload) as Pick<ContextPayload, 'given'>
    if (!given) return (JSON.parse(refs) as string[]).map(id => ({ id, kind: 'memory' }))
    return given.flatMap(({ id, kind }): GivenRecord[] => {
      if (kind === 'summary') return [{ id, kind: 'session' }]
      return kind === 'memory' || kind === 'message' ? [{ id, kind }] : []
    })
  })
  return [...new Map(all.map(one => [one.id, one])).values()]
}

interface ContextPayload {
  given?: InjectedItem[]
  tokens?: number
}

function tokensAt({ starts }: SessionStartRows): number | null {
  return (JSON.parse(starts.at(-1)?.payload ?? '{}') as ContextPayload).tokens ?? null
}

type ComparedPart = PreviewPart & {
  kind: ChangedRecord['kind']
  record: NonNullable<PreviewPart['record']>
}

function isComparable(part: PreviewPart): part is ComparedPart {
  return part.record !== undefined && ['memory', 'session', 'message'].includes(part.kind)
}

function addedRecord({ kind, text, why, record }: ComparedPart, since: string): ChangedRecord {
  const isNew = kind !== 'memory' || (record.createdAt ?? '') > since
  const { id, type } = record
  return { id, kind, text: oneLine(text, maxText), ...(type && { type }), why: isNew ? 'new' : why }
}

async function removedRecords(
  deps: Deps,
  caller: Caller,
  session: HookSession,
  removed: readonly GivenRecord[],
  groups: readonly LeftOutGroup[],
): Promise<ChangedRecord[]> {
  const boundary = await readBoundary(deps, caller, session)
  const { memories, summaryNodes } = deps.store.tables
  const idsOf = (kind: GivenRecord['kind']) => removed.filter(one => one.kind === kind).map(({ id }) => id)
  const states = new Map((await memories.statesOf(idsOf('memory'), boundary)).map(one => [one.id, one]))
  const tellable = [...(await summaryNodes.tellable(idsOf('session')))]
  const nodes = await Promise.all(tellable.map(id => summaryNodes.find(session.agentId, id)))
  const texts = new Map(nodes.flatMap(node => (node ? [[node.id, sessionText(node.content)] as const] : [])))
  const reasons = new Map(groups.flatMap(({ all }) => all.map(({ id, reason }) => [id, reason] as const)))
  const now = deps.clock().toISOString()
  return removed.map(({ id, kind }) => {
    const state = states.get(id)
    const reason = reasons.get(id)
    const displaced = reason && labelOf('displaced', reason)
    if (kind === 'memory' && state) return { ...removedMemory(state, now, displaced), id, kind }
    const text = texts.get(id) ?? ''
    const gone = kind === 'message' ? 'read or expired' : 'no longer visible'
    const isHere = kind === 'session' && text !== ''
    return { id, kind, text, why: displaced ?? (isHere ? labelOf('displaced', 'full') : gone) }
  })
}

function sessionText(content: string): string {
  return oneLine(withoutRecalled(withoutPrivate(content)), maxText)
}

function removedMemory(
  { type, content, is_deleted, safety_status, superseded_by, valid_until }: MemoryState,
  now: string,
  displaced: string | undefined,
): Pick<ChangedRecord, 'type' | 'text' | 'why'> {
  const isUnsafe = safety_status !== 'clean'
  const text = is_deleted === 1 || isUnsafe ? '' : oneLine(shownText(content), maxText)
  if (is_deleted === 1) return { type, text, why: 'forgotten' }
  if (isUnsafe) return { type, text, why: 'not safe to show' }
  if (superseded_by !== null) return { type, text, why: 'replaced' }
  if (valid_until !== null && valid_until <= now) return { type, text, why: 'expired' }
  return { type, text, why: displaced ?? labelOf('displaced', 'full') }
}
