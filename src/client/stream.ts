import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { Reply, Request } from '../contract/api.js'
import { ensureDaemon } from './daemon/ensure-daemon.js'
import { locate } from './daemon/locate.js'
import { type CallOptions, headersOf } from './http/call-options.js'
import { exchange } from './http/exchange.js'
import { queryOf, readReply } from './http/message.js'
import { openExchange } from './http/node-exchange.js'
import type { Origin } from './http/origin.js'
import { connectionError, foreignAnswer } from './http/send.js'
import { withLogin } from './login/saved-login.js'

export type TaskEvent = Reply<'GET /api/tasks/:id/stream'>

const headTimeoutMs = 60_000
/** Writing a snapshot of 256 MiB takes minutes. */
const snapshotTimeoutMs = 30 * 60_000

/**
 * Opens an export whose lines arrive as the daemon writes them; starts the daemon if it is not running.
 * @throws ClientError like `call`; reading rejects if the connection breaks.
 */
export function openExport(
  query: Request<'GET /api/export'>['query'],
  options: CallOptions = {},
): Promise<AsyncIterable<Buffer>> {
  return openReply(`/api/export${queryOf(query)}`, options)
}

/** Opens the output of a command with secrets; an attached command ends when the options' signal aborts. */
export function openCommandOutput(jobId: string, options: CallOptions = {}): Promise<AsyncIterable<Buffer>> {
  return openReply(`/api/secrets/exec/${encodeURIComponent(jobId)}/output`, options)
}

/** Opens the events of a task; the stream ends when the options' signal aborts. */
export function openTaskStream(taskId: string, options: CallOptions = {}): Promise<AsyncIterable<Buffer>> {
  return openReply(`/api/tasks/${encodeURIComponent(taskId)}/stream`, options)
}

/** Opens the daemon's log from now on; the stream ends when the options' signal aborts. */
export function openLogStream(
  query: Request<'GET /api/logs/stream'>['query'],
  options: CallOptions = {},
): Promise<AsyncIterable<Buffer>> {
  return openReply(`/api/logs/stream${queryOf(query)}`, options)
}

/** Opens the snapshot of a source as a stream; reading rejects like that of an export. */
export function openSnapshot(
  sourceId: string,
  query: Request<'GET /api/sources/:sourceId/snapshot'>['query'],
  options: CallOptions = {},
): Promise<AsyncIterable<Buffer>> {
  return openReply(`/api/sources/${encodeURIComponent(sourceId)}/snapshot${queryOf(query)}`, options)
}

/** Streams a snapshot from a file to the daemon. @throws ClientError like `call`. */
export async function sendSnapshot(
  sourceId: string,
  query: Request<'POST /api/sources/:sourceId/snapshot/import'>['query'],
  { content, bytes }: { content: Readable; bytes: number },
  options: CallOptions = {},
): Promise<Reply<'POST /api/sources/:sourceId/snapshot/import'>> {
  const origin = await originOf(options)
  const reply = await exchange(origin, {
    method: 'POST',
    path: `/api/sources/${encodeURIComponent(sourceId)}/snapshot/import${queryOf(query)}`,
    headers: {
      ...headersOf(await withLogin(origin, options)),
      'content-type': 'application/json',
      'content-length': String(bytes),
    },
    body: content,
    timeoutMs: snapshotTimeoutMs,
    ...(options.signal && { signal: options.signal }),
  }).catch(error => {
    throw connectionError(origin, error as Error)
  })
  if (typeof reply.headers['x-request-id'] !== 'string') throw foreignAnswer(origin, reply)
  return readReply(reply) as Reply<'POST /api/sources/:sourceId/snapshot/import'>
}

async function originOf(options: CallOptions): Promise<Origin> {
  const location = locate(options.workspace)
  return location.kind === 'remote' ? location.origin : ensureDaemon(options)
}

async function openReply(path: string, options: CallOptions): Promise<AsyncIterable<Buffer>> {
  const origin = await originOf(options)
  const response = await openExchange(origin, {
    method: 'GET',
    path,
    headers: headersOf(await withLogin(origin, options)),
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

/**
 * Yields the data of server-sent events, parsed as JSON, until the stream ends.
 * @param open a reply of type `text/event-stream`; its rejection is rethrown.
 */
export async function* eventData<T>(open: Promise<AsyncIterable<Buffer>>): AsyncGenerator<T> {
  const { createParser } = await import('eventsource-parser')
  const events: T[] = []
  const parser = createParser({ onEvent: ({ data }) => events.push(JSON.parse(data) as T) })
  const decoder = new TextDecoder()
  for await (const chunk of await open) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    yield* events.splice(0)
  }
}

/**
 * Yields the events of a task until the daemon ends the stream or the options' signal aborts.
 * @throws ClientError like `call`; rejects if the connection breaks.
 */
export function taskEvents(taskId: string, options: CallOptions = {}): AsyncGenerator<TaskEvent> {
  return eventData(openTaskStream(taskId, options))
}
