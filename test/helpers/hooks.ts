import { randomUUID } from 'node:crypto'
import type { ExecutionContext } from 'ava'
import type { Request } from '../../src/contract/api.js'
import type { SessionContext } from '../../src/contract/sessions/hook-session-start.js'
import { nameKey } from '../../src/daemon/ground/entities/name-key.js'
import type { TestDaemon } from './daemon.js'
import { openRaw } from './store.js'

type StartBody = NonNullable<Request<'POST /api/hooks/session-start'>['body']>

/** Starts a session of a harness and gives its context. @throws Error when the daemon refuses. */
export async function startSession(
  { call }: Pick<TestDaemon, 'call'>,
  fields: Partial<StartBody> = {},
): Promise<SessionContext> {
  const { status, body } = await call('POST /api/hooks/session-start', {
    body: { harness: 'claude-code', ...fields },
  })
  if (status !== 200) throw new Error(`session-start answered ${status}: ${JSON.stringify(body)}`)
  return body as SessionContext
}

type PromptBody = NonNullable<Request<'POST /api/hooks/user-prompt-submit'>['body']>

/** Submits a prompt of a session. */
export function submitPrompt(
  { call }: Pick<TestDaemon, 'call'>,
  userMessage: string,
  fields: Partial<PromptBody> = {},
) {
  return call('POST /api/hooks/user-prompt-submit', {
    body: { harness: 'claude-code', userMessage, ...fields },
  })
}

export interface TestEntity {
  name: string
  aliases?: readonly string[]
  retired?: readonly string[]
  agentId?: string
  attributes?: readonly {
    aspect?: string
    content: string
    score: number
    status?: string
    project?: string
  }[]
}

/** Stores entities as ontology operations leave them. */
export function storeEntities(
  t: ExecutionContext,
  { paths }: Pick<TestDaemon, 'paths'>,
  entities: readonly TestEntity[],
) {
  const raw = openRaw(t, paths.database)
  const at = '2026-01-01T00:00:00.000Z'
  const entity = raw.prepare('INSERT INTO entities VALUES (?, ?, ?, ?, ?, ?)')
  const key = raw.prepare('INSERT INTO entity_names VALUES (?, ?, ?, ?)')
  const attribute = raw.prepare('INSERT INTO entity_attributes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
  raw.transaction(() => {
    for (const { name, aliases = [], retired = [], agentId = 'default', attributes = [] } of entities) {
      const id = randomUUID()
      entity.run(id, agentId, name, 'thing', at, at)
      for (const one of [name, ...aliases]) key.run(agentId, nameKey(one), id, 1)
      for (const one of retired) key.run(agentId, nameKey(one), id, 0)
      for (const { aspect = 'note', content, score, status = 'current', project = null } of attributes)
        attribute.run(randomUUID(), id, aspect, content, score, status, project, at, at)
    }
  })()
}

export interface TestMessage {
  id: string
  content?: string
  from?: string
  fromSession?: string
  to?: string
  toSession?: string
  broadcast?: boolean
  createdAt?: string
  expiresAt?: string
}

/** Stores messages between agents as a send leaves them. */
export function storeMessages(
  t: ExecutionContext,
  { paths }: Pick<TestDaemon, 'paths'>,
  messages: readonly TestMessage[],
) {
  const raw = openRaw(t, paths.database)
  const insert = raw.prepare('INSERT INTO agent_messages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  for (const message of messages)
    insert.run(
      message.id,
      message.from ?? 'peer',
      message.fromSession ?? null,
      message.to ?? null,
      message.toSession ?? null,
      message.broadcast ? 1 : 0,
      'info',
      message.content ?? `text of ${message.id}`,
      null,
      message.createdAt ?? new Date().toISOString(),
      message.expiresAt ?? new Date(Date.now() + 86_400_000).toISOString(),
    )
  return raw
}
