import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/** Less is not worth a look. */
const leastBytes = 1024
/** The cheapest: what it makes small are long runs of the same numbers. */
const level = 1
/** What is handed from the thread that deflates to this one at a time: each time costs a turn of the event loop. */
const chunkSize = 256 * 1024

/** Share of the bytes that may be left: inflating takes time at every start. */
const worthwhile = 0.75

/** The bytes deflated, in a thread; undefined where that does not make them fewer by a quarter. */
export async function deflated(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  if (bytes.length < leastBytes) return undefined
  const small = await deflate(bytes, { level, chunkSize })
  return small.length <= bytes.length * worthwhile ? small : undefined
}

/** Inflates to where the bytes belong, in a thread. @returns false when they are not as many as have room there. */
export async function inflateTo(place: Uint8Array, small: Uint8Array): Promise<boolean> {
  const maxOutputLength = place.length
  const bytes = await inflate(small, { maxOutputLength, chunkSize: Math.max(maxOutputLength, 64) }).catch(
    () => undefined,
  )
  if (bytes?.length !== place.length) return false
  place.set(bytes)
  return true
}
