import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { encodeModel, type StaticModel, Units } from '../../src/store/embedding/static/model-file.js'
import { temporaryFolder } from './temporary-folder.js'

/** A model of a few words: each group of words has a direction of its own. */
export function smallModel(version = 'static-en-1'): StaticModel {
  const groups = ['car vehicle', 'parked garage', 'cake', 'lemon']
  const words = groups.flatMap(group => group.split(' '))
  const dimensions = 128
  const values = new Int8Array(words.length * dimensions)
  for (const [unit, word] of words.entries())
    values[unit * dimensions + groups.findIndex(group => group.split(' ').includes(word))] = 127
  const units = new Units(words.map(word => `${word}\n`).join(''))
  return { version, dimensions, units, scales: new Float32Array(words.length).fill(1 / 127), values }
}

/** The model's file, which is removed after the test. */
export async function smallModelFile(
  t: ExecutionContext,
  content = encodeModel(smallModel()),
): Promise<string> {
  const file = join(temporaryFolder(t), 'model.bin')
  writeFileSync(file, content)
  return file
}
