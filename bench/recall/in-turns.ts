import { setTimeout as delay } from 'node:timers/promises'
import { type MeasuredDaemon, startMeasuredDaemon } from '../daemon/daemon-process.js'
import { fillWorkspace, temporaryWorkspace } from '../daemon/workspace.js'
import { percentile } from '../index/measure.js'
import type { SyntheticMemories } from '../index/synthetic.js'

/** Recall over HTTP with other rows beside the memories, compared with the same memories alone. */
export interface RecallInTurns {
  rows: number
  p50Ms: number
  p95Ms: number
  aloneP50Ms: number
  aloneP95Ms: number
  /** Processor time of the daemon for one recall, all threads. */
  cpuMs: number
  aloneCpuMs: number
}

export interface FilledDaemon {
  daemon: MeasuredDaemon
  memories: SyntheticMemories
  close(): Promise<void>
}

export interface Filling {
  /** Number of memories to write. */
  rows: number
  /** Changes the written rows, or adds others, before the daemon starts. */
  add?(folder: string): void
  /** Returns whether the added rows are searchable; polled until true. */
  isFound?(daemon: MeasuredDaemon): Promise<boolean>
}

const turns = 150
const warmUps = 20
/** A daemon below this share of a core during one sample, the probe included, counts as idle. */
const idleLookMs = 2000
const idleShare = 0.15

/** Starts a daemon without an embedder whose index contains everything that was written before. */
export async function filledDaemon({ rows, add, isFound }: Filling): Promise<FilledDaemon> {
  const workspace = temporaryWorkspace()
  const memories = await fillWorkspace(workspace.folder, rows, { vectors: false })
  add?.(workspace.folder)
  const daemon = await startMeasuredDaemon(workspace.folder)
  const close = async (): Promise<void> => {
    await daemon.stop()
    workspace.remove()
  }
  await indexReady(daemon, rows)
  while (isFound && !(await isFound(daemon))) await delay(100)
  await idle(daemon)
  return { daemon, memories, close }
}

/**
 * Waits until the daemon has finished the work that a start leaves for later: new safety verdicts and
 * database checks.
 */
export async function idle(daemon: MeasuredDaemon): Promise<void> {
  for (let before = (await daemon.load()).cpuMs; ; ) {
    await delay(idleLookMs)
    const now = (await daemon.load()).cpuMs
    if (now - before < idleLookMs * idleShare) return
    before = now
  }
}

/**
 * Waits until all rows are in the index.
 * @throws Error when the index is ready with another number of rows
 */
export async function indexReady(daemon: MeasuredDaemon, rows: number): Promise<void> {
  for (;;) {
    const { state, documents } = (await daemon.ask('GET', '/api/status')).body.index
    if (state === 'ready' && documents === rows) return
    if (state === 'ready') throw new Error(`the index is ready with ${documents} of ${rows} entries`)
    await delay(50)
  }
}

/**
 * Sends the same queries to two daemons in turns, alternating which goes first, and stops the daemons.
 * @param rows memories in each of them
 */
export async function recallInTurns(
  rows: number,
  { both, alone }: { both: FilledDaemon; alone: FilledDaemon },
): Promise<RecallInTurns> {
  const sides = [both, alone] as const
  const queries = Array.from({ length: turns + warmUps }, () => alone.memories.query())
  const times: [number[], number[]] = [[], []]
  const before: number[] = []
  for (const [turn, query] of queries.entries()) {
    if (turn === warmUps) for (const { daemon } of sides) before.push((await daemon.load()).cpuMs)
    for (const which of turn % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const { status, ms } = await sides[which].daemon.ask('POST', '/api/memory/recall', { query })
      if (status !== 200) throw new Error(`answered ${status}`)
      if (turn >= warmUps) times[which].push(ms)
    }
  }
  const cpu: number[] = []
  for (const [which, { daemon, close }] of sides.entries()) {
    cpu.push(((await daemon.load()).cpuMs - (before[which] as number)) / turns)
    await close()
  }
  return {
    rows,
    p50Ms: percentile(times[0], 0.5),
    p95Ms: percentile(times[0], 0.95),
    aloneP50Ms: percentile(times[1], 0.5),
    aloneP95Ms: percentile(times[1], 0.95),
    cpuMs: cpu[0] as number,
    aloneCpuMs: cpu[1] as number,
  }
}

/** @param what is beside the memories, e.g. `as many chunks` */
export function formatRecallInTurns(what: string, recall: RecallInTurns): string {
  const { rows, p50Ms, p95Ms, aloneP50Ms, aloneP95Ms, cpuMs, aloneCpuMs } = recall
  const ms = (values: readonly number[]) => values.map(value => `${value.toFixed(1)} ms`).join(' | ')
  const ratios = [p50Ms / aloneP50Ms, p95Ms / aloneP95Ms, cpuMs / aloneCpuMs]
  return [
    `| recall, ${rows.toLocaleString('en')} memories | p50 | p95 | processor |`,
    '|---|--:|--:|--:|',
    `| with ${what} | ${ms([p50Ms, p95Ms, cpuMs])} |`,
    `| alone | ${ms([aloneP50Ms, aloneP95Ms, aloneCpuMs])} |`,
    `| ratio | ${ratios.map(ratio => ratio.toFixed(2)).join(' | ')} |`,
  ].join('\n')
}
