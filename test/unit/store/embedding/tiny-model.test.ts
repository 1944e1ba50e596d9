import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { tinyModelFiles } from '../../../../scripts/make-tiny-model.js'
import { tinyModelFolder } from '../../../helpers/embedding-fakes.js'

test('the tiny fixture model equals the output of its script and stays small', async t => {
  let bytes = 0
  for (const [path, content] of tinyModelFiles()) {
    t.true((await readFile(join(tinyModelFolder, path))).equals(content), path)
    bytes += content.length
  }
  t.true(bytes < 300_000)
})
