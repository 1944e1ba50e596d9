import type { DisplacedRecord, PreviewGroup, PreviewPart } from '../../../contract/sessions/preview.js'
import { oneLine, unscannedLine } from '../../../lib/text/one-line.js'
import { readBoundary } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import {
  type ChosenMemory,
  countedMemories,
  type DisplacedMemory,
  guideTypes,
  type MemoryChoice,
  type NotChosen,
  placeOf,
  type StartPlace,
  startPlaces,
} from '../hooks/choose-memories.js'
import type { Continuity } from '../hooks/continuity.js'
import type { EntityContext } from '../hooks/entity-context.js'
import type { ContextParts } from '../hooks/session-context.js'
import type { HookSession } from '../tracker/enter-hook.js'

/** Records of a group that are described. */
const maxFirst = 5
const maxText = 200

/** Left-out records of a kind, before only the first are described. */
export interface LeftOutGroup extends Omit<PreviewGroup, 'first'> {
  all: readonly DisplacedRecord[]
}

export function shortened({ all, ...group }: LeftOutGroup): PreviewGroup {
  return { ...group, first: all.slice(0, maxFirst) }
}

type CountDeps = Pick<Daemon, 'store'>

/** Groups of a start: memories by kind of place, earlier sessions and messages. */
export async function startGroups(
  deps: CountDeps,
  caller: Caller,
  session: HookSession,
  found: { choice: MemoryChoice; parts: Pick<ContextParts, 'continuity' | 'notifications'> },
  shown: readonly PreviewPart[],
): Promise<LeftOutGroup[]> {
  const { choice, parts } = found
  const totals = await totalsOf(deps, caller, session, choice.total)
  return present([
    ...startPlaces.map(place => memoryGroup(place, totals[place], choice, shown)),
    sessionGroup(parts.continuity, shown),
    messageGroup(parts.notifications, shown),
  ])
}

export async function subagentGroups(
  deps: CountDeps,
  caller: Caller,
  session: HookSession,
  choice: Pick<MemoryChoice, 'chosen' | 'displaced'>,
  shown: readonly PreviewPart[],
): Promise<LeftOutGroup[]> {
  const { guide } = await totalsOf(deps, caller, session, 0)
  return present([memoryGroup('guide', guide, choice, shown)])
}

export function promptGroups(
  { displaced, given }: EntityContext,
  notifications: ContextParts['notifications'],
  shown: readonly PreviewPart[],
): LeftOutGroup[] {
  const all = displaced.map(({ id, name, reason }) => ({ id, text: name, reason }))
  const entities = {
    place: 'entity' as const,
    shown: given.length,
    notShown: all.length,
    atLeast: false,
    all,
  }
  return present([entities, messageGroup(notifications, shown)])
}

function present(groups: readonly LeftOutGroup[]): LeftOutGroup[] {
  return groups.filter(({ shown, notShown }) => shown + notShown > 0)
}

/** Counts the memories of each kind. @param total of all kinds, up to `countedMemories` */
async function totalsOf(
  { store }: CountDeps,
  caller: Caller,
  session: HookSession,
  total: number,
): Promise<Readonly<Record<StartPlace, number>>> {
  const boundary = await readBoundary({ store }, caller, session)
  const count = (types: readonly string[], withPinned: boolean) =>
    store.tables.memories.countTold(boundary, session.project, countedMemories, { types, withPinned })
  const [guide, issue] = await Promise.all([count(guideTypes, true), count(['issue'], false)])
  return { guide, issue, newest: Math.max(0, total - guide - issue) }
}

function memoryGroup(
  place: StartPlace,
  total: number,
  { chosen, displaced }: { chosen: readonly ChosenMemory[]; displaced: readonly DisplacedMemory[] },
  parts: readonly PreviewPart[],
): LeftOutGroup {
  const ids = new Set(parts.flatMap(({ record }) => (record ? [record.id] : [])))
  const ofPlace = chosen.filter(one => placeOf(one) === place)
  const noRoom = ofPlace.filter(({ preview }) => !ids.has(preview.id))
  const summary = parts.find(({ kind }) => kind === 'summary')?.text ?? ''
  const all = [
    ...noRoom.map(memory => describe(memory, { reason: 'budget' })),
    ...displaced.filter(one => placeOf(one) === place).map(memory => describe(memory, memory)),
  ].map(one => (summary.includes(one.id) ? { ...one, reason: 'summary' as const } : one))
  const shown = ofPlace.length - noRoom.length
  return {
    place,
    shown,
    notShown: Math.max(total - shown, all.length),
    atLeast: total >= countedMemories,
    all,
  }
}

function describe(
  { preview, score, isPinned }: ChosenMemory,
  why: NotChosen | { reason: 'budget' },
): DisplacedRecord {
  const { id, type, content } = preview
  const { reason } = why
  const shared = { id, text: oneLine(content, maxText), type, score, pinned: isPinned, reason }
  return reason === 'alike' ? { ...shared, alikeTo: why.alikeTo } : shared
}

function sessionGroup(
  { nodes, texts, displaced, hasMore }: Continuity,
  parts: readonly PreviewPart[],
): LeftOutGroup {
  const shown = parts.filter(({ kind }) => kind === 'session').length
  const all: DisplacedRecord[] = [
    ...nodes.slice(shown).map(({ id }, index) => ({
      id,
      text: oneLine(texts[shown + index] ?? '', maxText),
      reason: 'budget' as const,
    })),
    ...displaced.map(one => ({ ...one, text: oneLine(one.text, maxText) })),
  ]
  return { place: 'session', shown, notShown: all.length, atLeast: hasMore, all }
}

function messageGroup(
  notifications: ContextParts['notifications'],
  parts: readonly PreviewPart[],
): LeftOutGroup {
  const items = notifications?.items ?? []
  const shown = parts.filter(({ kind }) => kind === 'message').length
  const all = items.slice(shown).map(({ id, content, type }) => ({
    id,
    text: unscannedLine(content, maxText),
    type,
    reason: 'budget' as const,
  }))
  const notShown = (notifications?.unreadCount ?? 0) - shown
  return { place: 'message', shown, notShown, atLeast: false, all }
}
