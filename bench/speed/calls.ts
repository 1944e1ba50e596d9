import { Agent } from 'node:http'
import { percentile } from '../index/measure.js'
import type { Server } from './build.js'

/** Calls of one kind by some clients. */
export interface Calls {
  p50Ms: number
  p95Ms: number
  perSecond: number
  cpuMs: number
  writtenKb: number
  /** Fewest and most that one of the clients got of the common number. */
  turns: readonly [number, number]
}

/** What the server writes behind the answers: counters are written once a second. */
const afterwardsMs = 2500
/** Of a server that needs longer, fewer calls are measured: a bare FTS5 takes seconds for a sentence of a million rows. */
const mostMs = 20_000

/** @param bodies of all calls; the clients, each with a connection of its own, draw from them. */
export async function measureCalls(
  server: Server,
  path: string,
  bodies: readonly object[],
  clients: number,
): Promise<Calls> {
  const agents = Array.from({ length: clients }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  const times: number[] = []
  const before = server.usage()
  const started = performance.now()
  let next = 0
  const client = async (agent: Agent): Promise<number> => {
    let turns = 0
    for (let body = bodies[next++]; body && performance.now() - started < mostMs; body = bodies[next++]) {
      const { status, ms } = await server.ask('POST', path, body, agent)
      if (status !== 200) throw new Error(`${path} answered ${status}`)
      times.push(ms)
      turns++
    }
    return turns
  }
  const turns = await Promise.all(agents.map(client))
  const seconds = (performance.now() - started) / 1000
  const cpuMs = server.usage().cpuMs - before.cpuMs
  await new Promise(resolve => setTimeout(resolve, afterwardsMs))
  for (const agent of agents) agent.destroy()
  return {
    p50Ms: percentile(times, 0.5),
    p95Ms: percentile(times, 0.95),
    perSecond: times.length / seconds,
    cpuMs: cpuMs / times.length,
    writtenKb: (server.usage().writtenKb - before.writtenKb) / times.length,
    turns: [Math.min(...turns), Math.max(...turns)],
  }
}

/** The middle of several measurements, figure by figure. */
export function middle(measured: readonly Calls[]): Calls {
  const of = (figure: (calls: Calls) => number): number => percentile(measured.map(figure), 0.5)
  return {
    p50Ms: of(calls => calls.p50Ms),
    p95Ms: of(calls => calls.p95Ms),
    perSecond: of(calls => calls.perSecond),
    cpuMs: of(calls => calls.cpuMs),
    writtenKb: of(calls => calls.writtenKb),
    turns: [
      Math.min(...measured.map(({ turns }) => turns[0])),
      Math.max(...measured.map(({ turns }) => turns[1])),
    ],
  }
}
