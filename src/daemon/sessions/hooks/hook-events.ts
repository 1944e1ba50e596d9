import type { InjectedItem } from '../../../contract/sessions/black-box.js'
import type { Notifications } from '../../../contract/sessions/hooks.js'
import { countOf } from '../../../lib/text/count-of.js'
import { type BlackBoxEvent, givenPayload, leftOutPayload } from '../../ground/sessions/black-box.js'
import type { ChosenMemory } from './choose-memories.js'
import type { EarlierNode } from './continuity.js'
import type { EntityContext } from './entity-context.js'
import type { PromptMemories } from './memory-hooks.js'
import type { ContextParts, DeliveredContext } from './session-context.js'

/** Candidates for a session's start, and how they were chosen. */
export interface StartChoice {
  best: readonly ChosenMemory[]
  recencyBias: number
  /** Number of memories already in its context. */
  shownBefore: number
}

/** Entities, memories and messages found for a prompt, with the number left out. */
export interface PromptChoice {
  /** Memories that answer the prompt, if `context.promptRecall` is on. */
  memories: Pick<PromptMemories, 'given'>
  entities: EntityContext & { missed?: 'late' | 'failed' }
  notifications: Notifications | undefined
  tokens: number
  /** From the settings: minimum confidence of a value. */
  minScore: number
}

/**
 * The black-box event of a prompt; undefined when the prompt named nothing known and no message was unread.
 * The event never contains the prompt itself (sessions.md#black-box).
 */
export function promptEvent({
  entities,
  memories,
  notifications,
  tokens,
  minScore,
}: PromptChoice): BlackBoxEvent | undefined {
  const { given, notSure, noRoom, missed } = entities
  const messages = (notifications?.items ?? []).map(({ id }) => messageItem(id))
  if (given.length + memories.given.length + messages.length + notSure + noRoom === 0 && !missed)
    return undefined
  const told = [
    ...(given.length > 0 ? [countOf(given.length, 'entity', 'entities')] : []),
    ...(memories.given.length > 0 ? [countOf(memories.given.length, 'memory', 'memories')] : []),
    ...(messages.length > 0 ? [countOf(messages.length, 'message')] : []),
  ]
  return {
    kind: 'context.recalled',
    title: `${told.join(' and ') || 'nothing'} added to a prompt`,
    payload: {
      surface: 'prompt',
      tokens,
      minScore,
      ...givenPayload([...given, ...memories.given, ...messages]),
      ...leftOutPayload({ notSure, noRoom }),
      ...(missed && { missed }),
    },
  }
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
function messageItem(id: string): InjectedItem {
  return { id, kind: 'message', by: 'unread' }
}

function summaryItem({ id, by }: EarlierNode): InjectedItem {
  return { id, kind: 'summary', by }
}
