import type { Notifications } from '../../../contract/sessions/hooks.js'
import { countOf } from '../../../lib/text/count-of.js'
import type { BlackBoxEvent } from '../../ground/sessions/black-box.js'
import { givenPayload, leftOutPayload } from '../../ground/sessions/given-payload.js'
import type { EntityContext } from './entity-context.js'
import type { PromptMemories } from './memory-hooks.js'
import { messageItem } from './start-event.js'

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
