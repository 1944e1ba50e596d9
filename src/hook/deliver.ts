import { locate } from '../client/daemon/locate.js'
import { headersOf } from '../client/http/call-options.js'
import type { HttpReply } from '../client/http/node-exchange.js'
import { formatOrigin, type Origin } from '../client/http/origin.js'
import { plainExchange } from '../client/http/plain-exchange.js'
import { hookNoteHeader } from '../contract/sessions/harness-names.js'
import type { HookArguments } from './arguments.js'

/** What the daemon made of a hook. */
export type Delivery = (
  | { kind: 'answered'; text: string; note?: string | undefined }
  /**
   * The daemon cannot take the hook now, but may later. `canStart`: no daemon serves the workspace, and this process
   * may start one.
   */
  | { kind: 'unreachable'; why: string; canStart: boolean; canKeep: boolean }
) & {
  /** Of the daemon, where its registration tells. */
  daemonVersion?: string | undefined
}

export interface Parcel {
  target: HookArguments
  input: Buffer
  /** Gives the milliseconds that are left. */
  left(): number
}

/** Hands a hook's input to the daemon as it came. @throws ClientError when the environment names no address. */
export async function deliver(parcel: Parcel): Promise<Delivery> {
  const location = locate(parcel.target.workspace)
  const isOwn = location.kind !== 'remote'
  if (location.kind === 'unknown') return away('no daemon runs', isOwn)
  const { origin } = location
  try {
    const delivery = read(origin, await send(origin, parcel), isOwn)
    const daemonVersion = location.kind === 'registered' ? location.registration.version : undefined
    return { ...delivery, daemonVersion }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ECONNREFUSED') return away(`no daemon answers at ${formatOrigin(origin)}`, isOwn)
    return { kind: 'unreachable', why: message, canStart: false, canKeep: isOwn }
  }
}

function away(why: string, isOwn: boolean): Delivery {
  return { kind: 'unreachable', why, canStart: isOwn, canKeep: isOwn }
}

async function send(origin: Origin, { target, input, left }: Parcel): Promise<HttpReply> {
  const { harness, hook, agent } = target
  const path = `/api/hooks/harness/${harness}/${hook}`
  const request = { method: 'POST', path, headers: headersOf({ agent }), body: input, timeoutMs: left() }
  if (origin.protocol === 'http:') return plainExchange(origin, request)
  const { exchange } = await import('../client/http/node-exchange.js')
  return exchange(origin, request)
}

function read(origin: Origin, { status, headers, text }: HttpReply, isOwn: boolean): Delivery {
  // Every reply of the daemon has a request id; without one somebody else has its port now.
  if (headers['x-request-id'] === undefined)
    return away(`${formatOrigin(origin)} is not a memory-service daemon`, isOwn)
  if (status === 200) return { kind: 'answered', text, note: headers[hookNoteHeader] as string | undefined }
  const why = errorOf(text) ?? `the daemon answered ${status}`
  // A daemon of before these hooks knows no such address; the next one will.
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
