import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { packageFile } from '../../src/lib/files/package-root.js'
import { defaultModels } from '../../src/store/embedding/models.js'
import { openBert } from '../../src/store/embedding/open-bert.js'
import { decodeModel } from '../../src/store/embedding/static/model-file.js'
import { createStaticVectors } from '../../src/store/embedding/static-provider.js'
import { toUnitVectors } from '../../src/store/embedding/vectors.js'
import type { RowVectors } from './recall-system.js'

/** Loads a packaged model as its provider does. */
export async function packagedVectors(model: 'words' | 'sentences'): Promise<RowVectors> {
  return { model, vectorOf: model === 'words' ? await wordVectors() : await sentenceVectors() }
}

async function wordVectors(): Promise<RowVectors['vectorOf']> {
  const model = decodeModel(await readFile(packageFile('models', `${defaultModels.static}.bin`)))
  const { vectorOf } = createStaticVectors(model)
  return text => {
    const sum = vectorOf(text)
    return sum && toUnitVectors([sum], 1, model.dimensions)[0]
  }
}

const dimensions = 384
const keyBytes = 16
const recordBytes = keyBytes + 4 * dimensions

/** Vectors are kept in `bench/results`, since those of all sets take half an hour. */
async function sentenceVectors(): Promise<RowVectors['vectorOf']> {
  const embed = await openBert(packageFile('models', defaultModels.local))
  if (!embed) throw new Error('the packaged sentence model does not open')
  const file = packageFile('bench', 'results', `${defaultModels.local}.vectors`)
  const known = readKept(file)
  mkdirSync(dirname(file), { recursive: true })
  return text => {
    const key = createHash('sha256').update(text).digest().subarray(0, keyBytes)
    const name = key.toString('hex')
    const kept = known.get(name)
    if (kept) return kept
    const vector = embed(text.slice(0, 6000))
    known.set(name, vector)
    appendFileSync(file, Buffer.concat([key, Buffer.from(vector.buffer)]))
    return vector
  }
}

function readKept(file: string): Map<string, Float32Array> {
  const kept = new Map<string, Float32Array>()
  if (!existsSync(file)) return kept
  const bytes = readFileSync(file)
  for (let at = 0; at + recordBytes <= bytes.length; at += recordBytes) {
    const vector = new Float32Array(Uint8Array.from(bytes.subarray(at + keyBytes, at + recordBytes)).buffer)
    kept.set(bytes.toString('hex', at, at + keyBytes), vector)
  }
  return kept
}
