import { everyFewMs } from '../../../../../lib/concurrency/every-few-ms.js'
import { bodyText } from './body-text.js'

/** Of replies: deflate, and none of the optional fields of a header. */
const gzipMagic = Buffer.from([0x1f, 0x8b, 0x08, 0x00])
const gzipHeader = 10
const listStart = Buffer.from('[{"')
/** Longest list that is looked for in plain text. */
const longestList = 4 * 1024 * 1024

/** Lists of JSON in bytes of no known form: compressed ones and plain ones, wherever they begin. */
export async function* carvedLists(file: Buffer): AsyncGenerator<unknown[]> {
  const breathe = everyFewMs()
  for (let at = file.indexOf(gzipMagic); at !== -1; at = file.indexOf(gzipMagic, at + 1)) {
    await breathe()
    const text = await bodyText(file.subarray(at + gzipHeader), 'raw')
    const list = text === undefined ? undefined : listIn(text)
    if (list) yield list
  }
  for (let at = file.indexOf(listStart); at !== -1; ) {
    await breathe()
    const text = balanced(file.toString('utf8', at, Math.min(file.length, at + longestList)))
    const list = text === undefined ? undefined : listIn(text)
    if (list) yield list
    at = file.indexOf(listStart, at + (list && text ? Buffer.byteLength(text) : 1))
  }
}

/** A list of JSON; undefined for anything else. */
export function listIn(text: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The text up to the bracket that ends its first one; undefined when there is none. */
function balanced(text: string): string | undefined {
  let depth = 0
  let isInText = false
  for (let at = 0; at < text.length; at++) {
    const unit = text[at]
    if (isInText && unit === '\\') at++
    else if (unit === '"') isInText = !isInText
    else if (isInText) continue
    else if (unit === '[' || unit === '{') depth++
    else if ((unit === ']' || unit === '}') && --depth === 0) return text.slice(0, at + 1)
  }
  return undefined
}
