import { locate } from '../client/daemon/locate.js'
import { headersOf } from '../client/http/call-options.js'
import { formatOrigin, type Origin } from '../client/http/origin.js'
import { type PlainRequest, plainExchange } from '../client/http/plain-exchange.js'
import type { HttpReply } from '../client/http/plain-reply.js'
import { hookNoteHeader } from '../contract/sessions/harness-names.js'
import type { HookArguments } from './arguments.js'

/** Outcome of sending a hook to the daemon. */
export type Delivery = (
  | { kind: 'answered'; text: string; note?: string | undefined }
  /**
   * The daemon cannot accept the hook now, but may later. `canStart` means that no daemon serves the
   * workspace and this process may start one.
   */
  | { kind: 'unreachable'; why: string; canStart: boolean; canKeep: boolean }
) & {
  /** Version of the registered daemon. */
  daemonVersion?: string | undefined
}

export interface HookRequest {
  target: HookArguments
  input: Buffer
  /** Returns the remaining milliseconds. */
  left(): number
}

/**
 * Sends a hook's input to the daemon unchanged. @throws ClientError if the environment has an invalid
 * address.
 */
export async function deliver(parcel: HookRequest): Promise<Delivery> {
  const location = locate(parcel.target.workspace)
  const isOwn = location.kind !== 'remote'
  if (location.kind === 'unknown') return unreachable('no daemon is running', isOwn)
  const { origin } = location
  try {
    const delivery = readDelivery(origin, await send(origin, parcel), isOwn)
    const daemonVersion = location.kind === 'registered' ? location.registration.version : undefined
    return { ...delivery, daemonVersion }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ECONNREFUSED') return unreachable(`no daemon answers at ${formatOrigin(origin)}`, isOwn)
    // Another program has the port; nothing was sent to it.
    if (code === 'daemon_unavailable') return unreachable(message, isOwn)
    return { kind: 'unreachable', why: message, canStart: false, canKeep: isOwn }
  }
}

function unreachable(why: string, isOwn: boolean): Delivery {
  return { kind: 'unreachable', why, canStart: isOwn, canKeep: isOwn }
}

/** The agent, and for a daemon elsewhere the saved login and the last change made there. */
async function optionsFor(origin: Origin, { agent, workspace }: HookArguments) {
  if (origin.expected) return { agent }
  const { withLogin } = await import('../client/login/saved-login.js')
  const { afterHeaders } = await import('../client/http/known-change.js')
  return withLogin(origin, { agent, workspace, headers: afterHeaders(origin, workspace) })
}

async function send(origin: Origin, { target, input, left }: HookRequest): Promise<HttpReply> {
  const { harness, hook } = target
  const path = `/api/hooks/harness/${harness}/${hook}`
  const request = {
    method: 'POST',
    path,
    headers: headersOf(await optionsFor(origin, target)),
    body: input,
    timeoutMs: left(),
  }
  const reply = await exchanged(origin, request)
  if (origin.expected) return reply
  const { noteChange } = await import('../client/http/known-change.js')
  noteChange(origin, target.workspace, reply.headers)
  return reply
}

async function exchanged(origin: Origin, request: PlainRequest): Promise<HttpReply> {
  if (origin.protocol === 'http:') return plainExchange(origin, request)
  const { exchange } = await import('../client/http/node-exchange.js')
  return exchange(origin, request)
}

function readDelivery(origin: Origin, { status, headers, text }: HttpReply, isOwn: boolean): Delivery {
  // Every reply of the daemon has a request id; a reply without one comes from another program on its port.
  if (headers['x-request-id'] === undefined)
    return unreachable(`${formatOrigin(origin)} is not a memory-service daemon`, isOwn)
  if (status === 200) return { kind: 'answered', text, note: headers[hookNoteHeader] as string | undefined }
  const why = errorOf(text) ?? `the daemon answered ${status}`
  // A daemon older than these hooks does not know the address; its successor will.
  if (status >= 500 || status === 404) return { kind: 'unreachable', why, canStart: false, canKeep: isOwn }
  return { kind: 'answered', text: '', note: why }
}

function errorOf(text: string): string | undefined {
  try {
    return JSON.parse(text).error
  } catch {
    return undefined
  }
}
