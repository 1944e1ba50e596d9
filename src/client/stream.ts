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

export type TaskEvent = Reply<'GET /api/tasks/:id/stream'>

const headTimeoutMs = 60_000
/** A snapshot of 256 MiB is written in minutes. */
const snapshotTimeoutMs = 30 * 60_000

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

/** Opens the events of a task; the stream ends when the signal of the options aborts. */
export function openTaskStream(taskId: string, options: CallOptions = {}): Promise<AsyncIterable<Buffer>> {
  return openReply(`/api/tasks/${encodeURIComponent(taskId)}/stream`, options)
}

/** Opens what the daemon says from now on; the stream ends when the signal of the options aborts. */
export function openLogStream(
  query: Request<'GET /api/logs/stream'>['query'],
  options: CallOptions = {},
): Promise<AsyncIterable<Buffer>> {
  return openReply(`/api/logs/stream${queryOf(query)}`, options)
}

/** Opens the snapshot of a source, which comes as it is read; rejects as an export does. */
export function openSnapshot(
  sourceId: string,
  query: Request<'GET /api/sources/:sourceId/snapshot'>['query'],
  options: CallOptions = {},
): Promise<AsyncIterable<Buffer>> {
  return openReply(`/api/sources/${encodeURIComponent(sourceId)}/snapshot${queryOf(query)}`, options)
}

/** Sends a snapshot from a file as it is read. @throws ClientError as `call` does. */
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
      ...headersOf(options),
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

/**
 * The data of server-sent events, parsed as JSON, until their stream ends.
 * @param open of a reply of `text/event-stream`; what it rejects with is thrown.
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
 * What a task does, as the daemon tells it, until the daemon ends the stream or the signal of the options aborts.
 * @throws ClientError as `call` does; rejects when the connection breaks off.
 */
export function taskEvents(taskId: string, options: CallOptions = {}): AsyncGenerator<TaskEvent> {
  return eventData(openTaskStream(taskId, options))
}
