import type { IncomingMessage } from 'node:http'
import type { Request } from '../contract/api.js'
import type { CallOptions } from './call-options.js'
import { ensureDaemon } from './ensure-daemon.js'
import { openExchange } from './http.js'
import { locate } from './locate.js'
import { queryOf, readReply } from './message.js'
import { headersOf } from './request-headers.js'
import { connectionError, foreignAnswer } from './send.js'

const headTimeoutMs = 60_000

/**
 * Opens an export whose lines come as the daemon writes them; the daemon is started when it is not running.
 * @throws ClientError as `call` does; reading rejects when the connection breaks off.
 */
export function openExport(
  query: Request<'GET /api/export'>['query'],
  options: CallOptions = {},
): Promise<AsyncIterable<Buffer>> {
  return openReply(`/api/export${queryOf(query)}`, options)
}

/** Opens the output of a command with secrets; one that is attached ends when the signal of the options aborts. */
export function openCommandOutput(jobId: string, options: CallOptions = {}): Promise<AsyncIterable<Buffer>> {
  return openReply(`/api/secrets/exec/${encodeURIComponent(jobId)}/output`, options)
}

async function openReply(path: string, options: CallOptions): Promise<AsyncIterable<Buffer>> {
  const location = locate(options.workspace)
  const origin = location.kind === 'remote' ? location.origin : await ensureDaemon(options)
  const response = await openExchange(origin, {
    method: 'GET',
    path,
    headers: headersOf(options),
    timeoutMs: headTimeoutMs,
    ...(options.signal && { signal: options.signal }),
  }).catch(error => {
    throw connectionError(origin, error as Error)
  })
  const status = response.statusCode ?? 0
  if (typeof response.headers['x-request-id'] !== 'string') throw foreignAnswer(origin, { status })
  if (status >= 400) readReply({ status, headers: response.headers, text: await textOf(response) })
  return response
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
