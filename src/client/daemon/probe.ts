import type { Reply } from '../../contract/api.js'
import { challengeHeader, proofHeader } from '../../lib/workspace/peer-headers.js'
import { isProof, newChallenge } from '../http/challenge.js'
import { ClientError } from '../http/client-error.js'
import { exchange } from '../http/exchange.js'
import type { Origin } from '../http/origin.js'
import type { HttpReply } from '../http/plain-reply.js'

export type Health = Reply<'GET /health'>

/** Result of probing an address. */
export type Probe =
  /** `isOwn`: it has proven that it serves the workspace of the given instance id. */
  | { kind: 'daemon'; health: Health; isOwn: boolean }
  | { kind: 'nothing' }
  /** Another program listens there; `answer` describes its reaction. */
  | { kind: 'foreign'; answer: string }

const probeTimeoutMs = 2_000

/**
 * Calls `GET /health`, with a challenge that reveals nothing. A silent listener counts as foreign, because a
 * daemon answers at once unless its machine is overloaded.
 */
export async function probe(
  origin: Origin,
  { instance, timeoutMs = probeTimeoutMs }: { instance?: string | undefined; timeoutMs?: number } = {},
): Promise<Probe> {
  const asked = newChallenge()
  try {
    const headers = { [challengeHeader]: asked }
    const reply = await exchange(origin, { method: 'GET', path: '/health', headers, timeoutMs })
    const health = parseHealth(reply)
    const isOwn =
      instance !== undefined && isProof(reply.headers[proofHeader], { instance, asked, port: origin.port })
    return health
      ? { kind: 'daemon', health, isOwn }
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

/** @returns false while the daemon migrates and loads, and while one of its checks fails. */
export async function isReady(origin: Origin): Promise<boolean> {
  return (await askReadiness(origin))?.status === 200
}

/**
 * @returns false while the daemon migrates and loads. A daemon with a failing check counts as up, since
 * waiting would not help.
 */
export async function isUp(origin: Origin): Promise<boolean> {
  const reply = await askReadiness(origin)
  if (reply?.status !== 503) return reply?.status === 200
  return reply.text.includes('"checks"') && !reply.text.includes('"detail":"starting"')
}

function askReadiness(origin: Origin): Promise<HttpReply | undefined> {
  const request = { method: 'GET', path: '/health/ready', timeoutMs: probeTimeoutMs }
  return exchange(origin, request).catch(() => undefined)
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
