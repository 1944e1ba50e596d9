import type { InjectedItem } from '../../../contract/sessions/black-box.js'
import { countOf } from '../../../lib/text/count-of.js'
import type { BlackBoxEvent } from '../../ground/sessions/black-box.js'
import { givenOf, leftOutOf } from '../../ground/sessions/given.js'
import type { EarlierNode } from './continuity.js'
import type { ContextParts, Delivered } from './session-context.js'
import type { BestMemory } from './session-memories.js'

/** What a session's start was chosen from, and by what. */
export interface StartChoice {
  best: readonly BestMemory[]
  recencyBias: number
  /** Memories that it had in its context already. */
  shownBefore: number
}

/** What a session started with, and why; undefined where it was given nothing of the workspace (sessions.md#black-box). */
export function startEvent(
  { context, sections }: Delivered,
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
    ...refs.flatMap(id => memoryGiven(chosen.get(id))),
    ...delivered(messages, omitted.notifications).map(({ id }) => messageGiven(id)),
    ...delivered(continuity.nodes, omitted.continuity).map(summaryGiven),
  ]
  const noRoom = omitted.memories + omitted.notifications + omitted.continuity
  return {
    kind: 'context.recalled',
    title: `${countOf(refs.length, 'memory', 'memories')} at the start`,
    refs,
    payload: {
      surface: 'start',
      tokens: diagnostics.injectTokens,
      maxTokens: diagnostics.maxInjectTokens,
      sections,
      recencyBias,
      ...givenOf(given),
      ...leftOutOf({ noRoom, shownBefore }),
    },
  }
}

/** Of records always the first ones fit. */
function delivered<One>(all: readonly One[], omitted: number): readonly One[] {
  return all.slice(0, all.length - omitted)
}

function memoryGiven(best: BestMemory | undefined): InjectedItem[] {
  if (!best) return []
  const { preview, score, isPinned } = best
  const { id, importance } = preview
  return [{ id, kind: 'memory', by: isPinned ? 'pinned' : 'score', score, importance }]
}

/** An unread message stands in all that the session is given until it is acknowledged. */
export function messageGiven(id: string): InjectedItem {
  return { id, kind: 'message', by: 'unread' }
}

function summaryGiven({ id, by }: EarlierNode): InjectedItem {
  return { id, kind: 'summary', by }
}
