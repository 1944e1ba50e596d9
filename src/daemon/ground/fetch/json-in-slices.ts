import { everyFewMs } from '../../../lib/concurrency/every-few-ms.js'

/** Longer texts take more than a few milliseconds to parse at once. */
export const jsonAtOnceBytes = 1024 * 1024
/** Bytes parsed per slice: about 2 ms. */
const stepBytes = 64 * 1024

/**
 * Parses JSON, a long text in slices with turns for other work in between. Slices are about ten times slower
 * than JSON.parse but block no one.
 * @throws Error for invalid JSON
 */
export async function jsonInSlices(bytes: Buffer): Promise<unknown> {
  if (bytes.length <= jsonAtOnceBytes) return JSON.parse(bytes.toString('utf8'))
  const { JSONParser } = await import('@streamparser/json')
  const parser = new JSONParser({ paths: ['$'] })
  const found: { value?: unknown } = {}
  parser.onValue = ({ value }) => {
    found.value = value
  }
  const breathe = everyFewMs()
  for (let at = 0; at < bytes.length; at += stepBytes) {
    parser.write(bytes.subarray(at, at + stepBytes))
    await breathe()
  }
  if (!('value' in found)) throw new Error('the JSON text is incomplete')
  return found.value
}
