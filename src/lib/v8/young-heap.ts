import { setImmediate as nextTurn } from 'node:timers/promises'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { collectGarbage } from './collect-garbage.js'

/** Limit of the young generation's semi-space; V8 needs a second one of the same size to copy into. */
const limitMb = 8
/** The same limit for worker threads, which have it from their start. */
const threadMb = 4
const mib = 1024 * 1024
/** V8's default growth factor of the semi-space. */
const usualGrowth = 2
/** V8's default minimum size of the semi-space. */
const usualLeast = 0
/** One collection normally suffices; if the space has not grown after these, this V8 behaves differently. */
const mostTries = 4

const state = { isLimited: false }

/**
 * Shrinks the young generation, which a start expands to V8's limit of twice 16 MiB, and limits it to twice 8
 * MiB. Node honours a limit only as a start flag, which makes the start a tenth slower. Therefore the space
 * is shrunk, grows to the limit, and then its growth factor is set to 1. Later threads have the limit from
 * their start. Blocks the event loop for two or three full collections. @returns true if the limit is in
 * effect.
 */
export async function limitYoungHeap(): Promise<boolean> {
  if (!(await shrinkHeap())) return false
  setFlagsFromString(`--semi-space-growth-factor=${limitMb}`)
  for (let tries = 0; tries < mostTries && youngMb() < 2 * limitMb; tries++) surviveCollection()
  state.isLimited = youngMb() >= 2 * limitMb
  setLimit(state.isLimited)
  return state.isLimited
}

/** Runs `work` with V8's default growth flags, then restores the limit. */
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

/** Triggers V8's response to memory pressure, which is reachable only through the inspector. */
async function shrinkHeap(): Promise<boolean> {
  try {
    const { Session } = process.getBuiltinModule('node:inspector/promises')
    const session = new Session()
    session.connect()
    await session.post('HeapProfiler.collectGarbage')
    // Disconnecting inside the response would wait for ever.
    await nextTurn()
    session.disconnect()
    return true
  } catch {
    // This Node was built without an inspector.
    return false
  }
}

/** Runs a minor collection in which more objects survive than V8's initial semi-space can hold. */
function surviveCollection(): void {
  const alive = Array.from({ length: 8000 }, (_, number) => ({ number, list: [number] }))
  collectGarbage({ type: 'minor' })
  alive.length = 0
}

function youngMb(): number {
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
  return (young?.space_size ?? 0) / mib
}
