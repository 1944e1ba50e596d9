import { realpathSync } from 'node:fs'
import type { Reply } from '../../contract/api.js'
import { ClientError } from '../http/client-error.js'
import { exchange } from '../http/exchange.js'
import type { HttpReply } from '../http/node-exchange.js'
import type { Origin } from '../http/origin.js'

export type Health = Reply<'GET /health'>

/** Who answers at an address. */
export type Probe =
  | { kind: 'daemon'; health: Health }
  | { kind: 'nothing' }
  /** Something listens there that is not our daemon; `answer` says what it did. */
  | { kind: 'foreign'; answer: string }

const probeTimeoutMs = 2_000

/**
 * Asks `GET /health`. A listener that stays silent counts as foreign: a daemon answers at once, unless its machine has no
 * time for it.
 */
export async function probe(origin: Origin, timeoutMs = probeTimeoutMs): Promise<Probe> {
  try {
    const reply = await exchange(origin, { method: 'GET', path: '/health', timeoutMs })
    const health = parseHealth(reply)
    return health
      ? { kind: 'daemon', health }
      : { kind: 'foreign', answer: `answered ${reply.status} to GET /health` }
  } catch (error) {
    if (error instanceof ClientError) return { kind: 'foreign', answer: 'did not answer GET /health' }
    const { code = '' } = error as NodeJS.ErrnoException
    if (['ECONNRESET', 'EPIPE'].includes(code) || code.startsWith('HPE_')) {
      return { kind: 'foreign', answer: 'does not speak HTTP' }
    }
    return { kind: 'nothing' }
  }
}

/** @returns false while the daemon still migrates and loads, and while something is wrong with it. */
export async function isReady(origin: Origin): Promise<boolean> {
  return (await askReadiness(origin))?.status === 200
}

/** @returns false while the daemon still migrates and loads; one that cannot do everything will not do more soon. */
export async function isUp(origin: Origin): Promise<boolean> {
  const reply = await askReadiness(origin)
  if (reply?.status !== 503) return reply?.status === 200
  return reply.text.includes('"checks"') && !reply.text.includes('"detail":"starting"')
}

function askReadiness(origin: Origin): Promise<HttpReply | undefined> {
  const request = { method: 'GET', path: '/health/ready', timeoutMs: probeTimeoutMs }
  return exchange(origin, request).catch(() => undefined)
}

/** True when both paths are one folder, symbolic links followed. */
export function isSameFolder(a: string, b: string): boolean {
  return real(a) === real(b)
}

function real(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}

function parseHealth({ status, text }: HttpReply): Health | undefined {
  if (status !== 200) return undefined
  try {
    const value = JSON.parse(text) as Partial<Health>
    const isOurs =
      value.status === 'healthy' && typeof value.version === 'string' && typeof value.workspace === 'string'
    return isOurs ? (value as Health) : undefined
  } catch {
    return undefined
  }
}
