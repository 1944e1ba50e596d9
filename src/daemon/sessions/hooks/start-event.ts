import type { InjectedItem } from '../../../contract/sessions/black-box.js'
import { countOf } from '../../../lib/text/count-of.js'
import type { BlackBoxEvent } from '../../ground/sessions/black-box.js'
import { givenPayload, leftOutPayload } from '../../ground/sessions/given-payload.js'
import type { ChosenMemory } from './choose-memories.js'
import type { EarlierNode } from './continuity.js'
import type { ContextParts, DeliveredContext } from './session-context.js'

/** Candidates for a session's start, and how they were chosen. */
export interface StartChoice {
  best: readonly ChosenMemory[]
  recencyBias: number
  /** Number of memories already in its context. */
  shownBefore: number
}

/**
 * The black-box event of a start; undefined when the session was given nothing of the workspace
 * (sessions.md#black-box).
 */
export function startEvent(
  { context, sections }: DeliveredContext,
  { continuity, notifications }: Pick<ContextParts, 'continuity' | 'notifications'>,
  { best, recencyBias, shownBefore }: StartChoice,
): BlackBoxEvent | undefined {
  const { memories, diagnostics } = context
  const { omitted } = diagnostics
  if (sections.length === 0) return undefined
  const refs = memories.map(({ id }) => id)
  const chosen = new Map(best.map(one => [one.preview.id, one]))
  const messages = notifications?.items ?? []
  const given = [
    ...refs.flatMap(id => memoryItem(chosen.get(id))),
    ...delivered(messages, omitted.notifications).map(({ id }) => messageItem(id)),
    ...delivered(continuity.nodes, omitted.continuity).map(summaryItem),
  ]
  const noRoom = omitted.memories + omitted.notifications + omitted.continuity
  return {
    kind: 'context.recalled',
    title: `${countOf(refs.length, 'memory', 'memories')} at session start`,
    refs,
    payload: {
      surface: 'start',
      tokens: diagnostics.injectTokens,
      maxTokens: diagnostics.maxInjectTokens,
      sections,
      recencyBias,
      ...givenPayload(given),
      ...leftOutPayload({ noRoom, shownBefore }),
    },
  }
}

/** The first records fit; the omitted ones are last. */
function delivered<One>(all: readonly One[], omitted: number): readonly One[] {
  return all.slice(0, all.length - omitted)
}

function memoryItem(best: ChosenMemory | undefined): InjectedItem[] {
  if (!best) return []
  const { preview, score } = best
  const { id, importance } = preview
  return [{ id, kind: 'memory', by: reasonOf(best), score, importance }]
}

/** Why a memory is shown: it is pinned, its type guides or is open, or its score is best. */
function reasonOf({ isPinned, place, preview: { type } }: ChosenMemory): string {
  if (isPinned) return 'pinned'
  return place === 'newest' ? 'score' : type
}

/** An unread message is included until it is acknowledged. */
export function messageItem(id: string): InjectedItem {
  return { id, kind: 'message', by: 'unread' }
}

function summaryItem({ id, by }: EarlierNode): InjectedItem {
  return { id, kind: 'summary', by }
}
