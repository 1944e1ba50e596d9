import type { Reply, Request } from '../../src/contract/api.js'
import type { TestDaemon } from './daemon.js'
import { until } from './daemon-process.js'

export type Command = Reply<'GET /api/secrets/exec/:jobId'>
type Body = Request<'POST /api/secrets/exec'>['body']

/** A shell line that runs Node code; the code must not contain double quotes. */
export const nodeLine = (code: string): string => `"${process.execPath}" -e "${code}"`

/** Runs a command with secrets to its end. */
export async function runToEnd(daemon: TestDaemon, body: Body): Promise<Command> {
  const { body: queued } = await daemon.call('POST /api/secrets/exec', { body })
  return ended(daemon, queued.id)
}

export function ended({ call }: TestDaemon, jobId: string): Promise<Command> {
  return until(async () => {
    const { body } = await call('GET /api/secrets/exec/:jobId', { params: { jobId } })
    return body.status === 'queued' || body.status === 'running' ? undefined : body
  })
}
