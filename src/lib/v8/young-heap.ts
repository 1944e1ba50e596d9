import { setImmediate as nextTurn } from 'node:timers/promises'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { collectGarbage } from './collect-garbage.js'

/** What is young may have this much, and as much again to be copied to. */
const limitMb = 8
/** The same of threads, which have a limit of their own from the first. */
const threadMb = 4
const mib = 1024 * 1024
/** V8's own, by which that room grows whenever much of it outlives a collection. */
const usualGrowth = 2
/** V8's own, for the least of that room. */
const usualLeast = 0
/** It has grown after one; where it has not, V8 does it in another way. */
const mostTries = 4

const state = { isLimited: false }

/**
 * Gives back the room for what is young, which a start drives up to V8's limit of twice 16 MiB, and keeps it at twice 8
 * from now on. Node heeds a limit only when it is given with its start, which it makes a tenth slower; so the room is
 * shrunk, grows to the limit, and then by nothing. Threads that begin later have theirs from the first.
 * Holds the event loop for two or three collections of everything. @returns whether it is limited now.
 */
export async function limitYoungHeap(): Promise<boolean> {
  if (!(await shrinkHeap())) return false
  setFlagsFromString(`--semi-space-growth-factor=${limitMb}`)
  for (let tries = 0; tries < mostTries && youngMb() < 2 * limitMb; tries++) surviveCollection()
  state.isLimited = youngMb() >= 2 * limitMb
  setLimit(state.isLimited)
  return state.isLimited
}

/** Runs `work` with the flags of the limit as they were at the start. */
export function withUsualGrowth(work: () => void): void {
  setLimit(false)
  try {
    work()
  } finally {
    setLimit(state.isLimited)
  }
}

function setLimit(isOn: boolean): void {
  setFlagsFromString(`--semi-space-growth-factor=${isOn ? 1 : usualGrowth}`)
  setFlagsFromString(`--min-semi-space-size=${isOn ? threadMb : usualLeast}`)
}

/** What V8 does for a system that is short of memory; from here it is reached through the inspector alone. */
async function shrinkHeap(): Promise<boolean> {
  try {
    const { Session } = process.getBuiltinModule('node:inspector/promises')
    const session = new Session()
    session.connect()
    await session.post('HeapProfiler.collectGarbage')
    // To leave within its answer would wait for ever.
    await nextTurn()
    session.disconnect()
    return true
  } catch {
    // A Node that was built without an inspector.
    return false
  }
}

/** A collection of what is young that leaves more than V8's first room for it alive. */
function surviveCollection(): void {
  const alive = Array.from({ length: 8000 }, (_, number) => ({ number, list: [number] }))
  collectGarbage({ type: 'minor' })
  alive.length = 0
}

function youngMb(): number {
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
  return (young?.space_size ?? 0) / mib
}
