import type { Notifications } from '../../../contract/sessions/hooks.js'
import { countOf } from '../../../lib/text/count-of.js'
import type { BlackBoxEvent } from '../../ground/sessions/black-box.js'
import { givenOf, leftOutOf } from '../../ground/sessions/given.js'
import type { EntityContext } from './entity-context.js'
import { messageGiven } from './start-event.js'

/** What was looked up for a prompt, and what became of it. */
export interface PromptChoice {
  entities: EntityContext & { missed?: 'late' | 'failed' }
  notifications: Notifications | undefined
  tokens: number
  /** Of the settings: how sure a value has to be. */
  minScore: number
}

/**
 * What a session was told beside a prompt, and why; undefined where the prompt named nothing that is known and no
 * message was unread. The prompt itself stands in the conversation alone (sessions.md#black-box).
 */
export function promptEvent({
  entities,
  notifications,
  tokens,
  minScore,
}: PromptChoice): BlackBoxEvent | undefined {
  const { given, notSure, noRoom, missed } = entities
  const messages = (notifications?.items ?? []).map(({ id }) => messageGiven(id))
  if (given.length + messages.length + notSure + noRoom === 0 && !missed) return undefined
  const told = [
    ...(given.length > 0 ? [countOf(given.length, 'entity', 'entities')] : []),
    ...(messages.length > 0 ? [countOf(messages.length, 'message')] : []),
  ]
  return {
    kind: 'context.recalled',
    title: `${told.join(' and ') || 'nothing'} beside a prompt`,
    payload: {
      surface: 'prompt',
      tokens,
      minScore,
      ...givenOf([...given, ...messages]),
      ...leftOutOf({ notSure, noRoom }),
      ...(missed && { missed }),
    },
  }
}
