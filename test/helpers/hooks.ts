import type { ExecutionContext } from 'ava'
import type { Request } from '../../src/contract/api.js'
import type { SessionContext } from '../../src/contract/sessions/hooks.js'
import type { NewSummaryNode } from '../../src/store/tables/sessions/summary-nodes.js'
import type { TestDaemon } from './daemon.js'
import { openRaw } from './store.js'

type StartBody = NonNullable<Request<'POST /api/hooks/session-start'>['body']>

/** Starts a session of an agent and returns its context. @throws Error when the daemon refuses. */
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
  raw.transaction(() => {
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
  })()
  return raw
}

/** Stores the head of an earlier session. */
export function keepNode({ daemon }: TestDaemon, session: string, fields: Partial<NewSummaryNode> = {}) {
  const at = '2026-01-01T00:00:00.000Z'
  return daemon.store.tables.summaryNodes.keep({
    id: daemon.newId(),
    agent_id: 'default',
    kind: 'session',
    source_type: 'transcript',
    source_ref: session,
    session_key: session,
    harness: 'codex',
    project: '/shop',
    content: `what ${session} did`,
    meta: '{}',
    safety_status: 'clean',
    safety_policy: '1',
    starts_at: at,
    ends_at: at,
    created_at: at,
    ...fields,
  })
}
