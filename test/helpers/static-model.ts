import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { encodeModel, type StaticModel } from '../../src/store/embedding/static/model-file.js'
import { temporaryFolder } from './embedding-fakes.js'

/** A model of a few words, each with a direction of its own; words of one group share it. */
export function smallModel(version = 'static-en-1'): StaticModel {
  const groups = ['car vehicle', 'parked garage', 'cake', 'lemon']
  const units = groups.flatMap(group => group.split(' '))
  const dimensions = 128
  const values = new Int8Array(units.length * dimensions)
  for (const [unit, word] of units.entries())
    values[unit * dimensions + groups.findIndex(group => group.split(' ').includes(word))] = 127
  return { version, dimensions, units, scales: new Float32Array(units.length).fill(1 / 127), values }
}

/** Its file, which is removed after the test. */
export async function smallModelFile(
  t: ExecutionContext,
  content = encodeModel(smallModel()),
): Promise<string> {
  const file = join(await temporaryFolder(t), 'model.bin')
  writeFileSync(file, content)
  return file
}
