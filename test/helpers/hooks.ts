import type { Request } from '../../src/contract/api.js'
import type { SessionContext } from '../../src/contract/hook-session-start.js'
import type { TestDaemon } from './daemon.js'

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

/** The part of a text between two marks, without them; '' when it is not there. */
export function between(text: string, from: string, to: string): string {
  const start = text.indexOf(from)
  const end = text.indexOf(to, start + from.length)
  return start < 0 || end < 0 ? '' : text.slice(start + from.length, end)
}
