import { setTimeout as delay } from 'node:timers/promises'
import type { Request } from '../../src/contract/api.js'
import type { TestDaemon } from './daemon.js'

type EndBody = NonNullable<Request<'POST /api/hooks/session-end'>['body']>
type Status = Awaited<ReturnType<typeof captured>>

/** Ends a session with a transcript and waits for the capture. @returns the final receipt */
export async function capture(daemon: TestDaemon, body: Partial<EndBody>): Promise<Status> {
  const { status, body: reply } = await daemon.call('POST /api/hooks/session-end', {
    body: { harness: 'claude-code', ...body },
  })
  const id = reply.transcriptCaptureJobId
  if (status !== 200 || id === undefined) throw new Error(`no job: ${status} ${JSON.stringify(reply)}`)
  return captured(daemon, id, reply.agentId)
}

/** Waits until a capture has succeeded or failed. */
export async function captured(daemon: Pick<TestDaemon, 'call'>, jobId: string, agentId?: string) {
  for (let waited = 0; waited < 300_000; waited += 10) {
    const { status, body } = await daemon.call('GET /api/hooks/transcript-capture/:jobId', {
      params: { jobId },
      query: { agentId },
    })
    if (status !== 200) throw new Error(`the receipt answered ${status}`)
    if (body.status === 'completed' || body.status === 'failed') return body
    await delay(10)
  }
  throw new Error(`capture ${jobId} did not end within five minutes`)
}

/** The stored transcript of a session; undefined when there is none. */
export async function transcriptOf(
  { call }: Pick<TestDaemon, 'call'>,
  key: string,
  agentId?: string,
): Promise<string | undefined> {
  const { status, body } = await call('GET /api/sessions/:key/transcript', {
    params: { key },
    query: { agentId },
  })
  return status === 200 ? body.content : undefined
}

/** A type and not an interface, so that it fits messages with any further fields. */
type Turn = { role: string; text: string }

/** Turns of a made-up conversation, from a number up to another. */
export function turns(from: number, to: number): Turn[] {
  return Array.from({ length: to - from }, (_, offset) => turn(from + offset))
}

export function turn(n: number): Turn {
  return { role: n % 2 ? 'assistant' : 'user', text: `turn ${n} of the harbour` }
}

/** The turns as a transcript shows them. */
export function written(list: readonly Turn[]): string {
  return list.map(({ role, text }) => `${role}: ${text}`).join('\n\n')
}
