import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { wordsOf } from '../../src/store/embedding/static/tokenizer.js'

/** A common run of this many words is unlikely to be chance. */
export const shingleWords = 13
const shortestWhole = 5

const base = 0x01000193
const otherBase = 0x5bd1e995
const oldest = power(base)
const otherOldest = power(otherBase)

function power(of: number): number {
  let value = 1
  for (let times = 0; times < shingleWords; times++) value = Math.imul(value, of)
  return value
}

/** Texts excluded from training: runs of 13 words of the evaluation sets, and shorter texts as a whole. */
export interface Forbidden {
  has(text: string): boolean
  shingles: number
}

/** @param folders every string in their JSON files is forbidden */
export function readForbidden(folders: readonly string[]): Forbidden {
  const known = new Set<number>()
  // A bitmap of hashes: most runs are unknown, and one bit says so at a tenth of the cost of the set.
  const maybe = new Uint8Array(1 << 24)
  for (const folder of folders)
    for (const name of readdirSync(folder).filter(name => name.endsWith('.json')))
      for (const text of stringsIn(JSON.parse(readFileSync(join(folder, name), 'utf8'))))
        for (const shingle of shinglesOf(text)) {
          known.add(shingle)
          maybe[placeOf(shingle)] = 1
        }
  return {
    has(text) {
      for (const shingle of shinglesOf(text)) if (maybe[placeOf(shingle)] && known.has(shingle)) return true
      return false
    },
    shingles: known.size,
  }
}

function* stringsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (value && typeof value === 'object')
    for (const inner of Object.values(value)) yield* stringsIn(inner)
}

/**
 * Two rolling hashes for every 13 words, combined in one number; for a text of 5 to 12 words one for the
 * whole text.
 */
export function shinglesOf(text: string): number[] {
  const hashes = wordsOf(text).map(word => hashOf(word.toLowerCase()))
  const shingles: number[] = []
  if (hashes.length < shortestWhole) return shingles
  let one = 0
  let other = 0
  for (let at = 0; at < hashes.length; at++) {
    const hash = hashes[at]!
    one = (Math.imul(one, base) + hash) | 0
    other = (Math.imul(other, otherBase) + hash) | 0
    if (at >= shingleWords) {
      one = (one - Math.imul(hashes[at - shingleWords]!, oldest)) | 0
      other = (other - Math.imul(hashes[at - shingleWords]!, otherOldest)) | 0
    }
    if (at >= shingleWords - 1) shingles.push(joined(one, other))
  }
  if (hashes.length < shingleWords) shingles.push(joined(one, other) + 0.5)
  return shingles
}

function placeOf(shingle: number): number {
  return Math.floor(shingle / 0x10_0000) & 0xff_ffff
}

function joined(one: number, other: number): number {
  return (one >>> 0) * 0x10_0000 + (other & 0xf_ffff)
}

function hashOf(word: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193)
  return hash
}
