import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BenchQuery, Contender } from './contender.js'
import { cpuMs, liveBytes, loopDelayDuring, percentile, timed } from './measure.js'
import { packedContender } from './packed-contender.js'
import { fts5Contender, oramaContender } from './stock-contenders.js'
import { SyntheticMemories } from './synthetic.js'

export interface QueryTimes {
  p50Ms: number
  p95Ms: number
  /** Mean processor time of one query, all threads together. */
  cpuMs: number
  rounds: number
}

/** Figures of one engine at one size. */
export interface IndexMeasurement {
  contender: string
  rows: number
  insertMs: number
  insertCpuMs: number
  /** Memory of the process minus that before the rows were inserted. */
  heldBytes: number
  queries: Record<string, QueryTimes>
  loopDelayP99Ms: number
  loopDelayMaxMs: number
  extras: Record<string, number>
}

const dimensions = 384
const seed = 7
/** A million distinct vectors would take longer to make than all measurements, so a smaller set is reused. */
const distinctVectors = 20_000
const rowsPerTurn = 100

const contenders: Record<string, () => Contender> = {
  packed: () => packedContender(dimensions),
  'stock orama': () => oramaContender(dimensions),
  'sqlite fts5': fts5Contender,
}

async function measureOne(name: string, rows: number): Promise<IndexMeasurement> {
  const memories = new SyntheticMemories(seed, dimensions)
  const vectors = Array.from({ length: Math.min(rows, distinctVectors) }, () => memories.vector())
  const before = liveBytes()
  const contender = contenders[name]!()
  let insertMs = 0
  const cpuBefore = cpuMs()
  for (let number = 0; number < rows; number++) {
    const entry = memories.entry(number)
    insertMs += (await timed(() => contender.insert(entry, vectors[number % vectors.length]!))).ms
    if (number % rowsPerTurn === 0) await nextTurn()
  }
  const insertCpuMs = cpuMs() - cpuBefore
  const heldBytes = liveBytes() - before
  const query = (): BenchQuery => ({
    text: memories.query(),
    vector: memories.vector(),
    filter: { projects: ['project-1'] },
  })
  const queries: IndexMeasurement['queries'] = {}
  let extras: Record<string, number> = {}
  const delay = await loopDelayDuring(async () => {
    for (const [kind, ask] of Object.entries(contender.queries)) {
      queries[kind] = await measureQueries(ask, query, contender.rounds)
    }
    extras = (await contender.extras?.(query)) ?? {}
  })
  contender.close?.()
  const loop = { loopDelayP99Ms: delay.p99Ms, loopDelayMaxMs: delay.maxMs }
  return { contender: name, rows, insertMs, insertCpuMs, heldBytes, queries, ...loop, extras }
}

async function measureQueries(
  ask: (query: BenchQuery) => unknown,
  query: () => BenchQuery,
  rounds: number,
): Promise<QueryTimes> {
  const times: number[] = []
  let cpu = 0
  for (let round = 0; round < rounds + 3; round++) {
    const next = query()
    await nextTurn()
    const cpuBefore = cpuMs()
    const { ms } = await timed(() => ask(next))
    // The first three queries warm up.
    if (round < 3) continue
    times.push(ms)
    cpu += cpuMs() - cpuBefore
  }
  return { p50Ms: percentile(times, 0.5), p95Ms: percentile(times, 0.95), cpuMs: cpu / rounds, rounds }
}

const [, , name, rows] = process.argv
process.stdout.write(JSON.stringify(await measureOne(name!, Number(rows))))
