import { Agent } from 'node:http'
import { percentile } from '../index/measure.js'
import type { Server } from './build.js'

/** Figures of one kind of call from several clients. */
export interface Calls {
  p50Ms: number
  p95Ms: number
  perSecond: number
  cpuMs: number
  writtenKb: number
  /** Fewest and most calls that one client made out of the shared total. */
  turns: readonly [number, number]
}

/** The server writes counters once a second, after the answers. */
const afterwardsMs = 2500
/**
 * Caps the measuring time: a bare FTS5 needs seconds for a sentence in a million rows, so fewer calls are
 * made.
 */
const mostMs = 20_000

/** @param bodies of all calls; clients, each with its own connection, draw from them */
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

/** The median of several measurements, figure by figure. */
export function medianCalls(measured: readonly Calls[]): Calls {
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
