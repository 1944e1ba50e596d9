import { readFile } from 'node:fs/promises'
import { packageFile } from '../../src/lib/files/package-root.js'
import { defaultModels } from '../../src/store/embedding/models.js'
import { decodeModel } from '../../src/store/embedding/static/model-file.js'
import { createStaticVectors } from '../../src/store/embedding/static-provider.js'
import { toUnitVectors } from '../../src/store/embedding/vectors.js'
import type { VectorOf } from './recall-system.js'

/** Loads the packaged model as its provider does. */
export async function packagedVectors(): Promise<VectorOf> {
  const model = decodeModel(await readFile(packageFile('models', `${defaultModels.static}.bin`)))
  const { vectorOf } = createStaticVectors(model)
  return text => {
    const sum = vectorOf(text)
    return sum && toUnitVectors([sum], 1, model.dimensions)[0]
  }
}
