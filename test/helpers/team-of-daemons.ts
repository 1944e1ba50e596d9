import { mkdirSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { stringify } from 'yaml'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { afterHeader, behindHeader, changeHeader } from '../../src/lib/workspace/peer-headers.js'
import { temporaryWorkspace } from './daemon.js'
import type { Scope } from './daemon-process.js'
import { type KeptDaemon, keepRunning } from './kept-daemon.js'
import { startProxy, type TcpProxy } from './tcp-proxy.js'

/** One of several daemons on a database, each a process of its own behind a proxy. */
export interface Member extends KeptDaemon {
  name: string
  proxy: TcpProxy
}

/** An answer of success. */
export interface Reply {
  status: number
  body: Record<string, unknown>
  /** The change that it made. */
  change: number
  /** It came without the change that was asked for. */
  isBehind: boolean
}

/** Failed requests: those that faults explain are counted, all others are kept. */
export interface Failures {
  counts: Record<string, number>
  unexpected: string[]
}

export interface Ask {
  method?: 'GET' | 'POST' | 'DELETE'
  body?: object | string
  /** The change that the daemon must know. */
  after?: number | undefined
  /** Statuses that are answers as well. */
  accepts?: readonly number[]
}

export const noFailures = (): Failures => ({ counts: {}, unexpected: [] })
const answerWithinMs = 60_000

/** Starts a daemon on a schema that others serve too; it is ready a little later. */
export async function startMember(
  t: Scope & Parameters<typeof temporaryWorkspace>[0],
  url: string,
  name: string,
): Promise<Member> {
  const proxy = await startProxy(t, url)
  const workspace = temporaryWorkspace(t)
  mkdirSync(workspace, { recursive: true })
  const storage = { postgres: proxy.url, schema: 'team_a', shared: true }
  writeFileSync(workspacePaths(workspace).settings, stringify({ storage }))
  const environment = {
    SERVICE_NODE_NAME: name,
    SERVICE_TEAM_KEY: 'a key that every daemon of the team gets',
  }
  return { name, proxy, ...keepRunning(t, workspace, environment) }
}

/** Asks once. @returns undefined when it failed */
export async function askOnce(
  member: Member,
  path: string,
  { method = 'POST', body, after, accepts = [] }: Ask,
  failures: Failures,
): Promise<Reply | undefined> {
  const url = member.url()
  if (url === undefined) return void (await delay(50))
  const count = (kind: string): undefined => {
    failures.counts[kind] = (failures.counts[kind] ?? 0) + 1
    return undefined
  }
  try {
    const type = typeof body === 'string' ? 'application/x-ndjson' : 'application/json'
    const reply = await fetch(url + path, {
      method,
      signal: AbortSignal.timeout(answerWithinMs),
      headers: { ...(body && { 'content-type': type }), ...(after && { [afterHeader]: String(after) }) },
      ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const { status, headers } = reply
    const text = await reply.text()
    if (reply.ok || accepts.includes(status))
      return {
        ...{ status, body: JSON.parse(text), change: Number(headers.get(changeHeader) ?? 0) },
        isBehind: headers.has(behindHeader),
      }
    if (status === 507 || (status === 503 && headers.has('retry-after'))) return count(String(status))
    failures.unexpected.push(`${new Date().toISOString()} ${member.name} ${method} ${path} ${status} ${text}`)
  } catch (error) {
    if ((error as Error).name !== 'TimeoutError') return count('lost')
    failures.unexpected.push(`${new Date().toISOString()} ${member.name} ${method} ${path} did not answer`)
  }
  return undefined
}

/** Asks until there is an answer. */
export async function askUntil(
  member: Member,
  path: string,
  ask: Ask,
  failures: Failures,
): Promise<Reply & { tries: number; askedAt: number }> {
  for (let tries = 1; ; tries++) {
    const askedAt = performance.now()
    const reply = await askOnce(member, path, ask, failures)
    if (reply) return { ...reply, tries, askedAt }
    await delay(50)
  }
}
