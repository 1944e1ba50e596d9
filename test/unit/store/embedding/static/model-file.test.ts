import { readFileSync } from 'node:fs'
import test from 'ava'
import { packageFile } from '../../../../../src/lib/files/package-root.js'
import { decodeModel, Units } from '../../../../../src/store/embedding/static/model-file.js'

test('every unit of the bundled model has its index, and other words have none', t => {
  const { units, scales } = decodeModel(readFileSync(packageFile('models', 'static-en-1.bin')))
  const words = units.lines.split('\n').slice(0, -1)
  const places = new Map(words.map((word, place) => [word, place]))
  t.is(units.count, words.length)
  t.is(units.count, scales.length)
  for (const word of words)
    for (const asked of [word, `${word}q`, word.slice(1), word.slice(0, -1), `#${word}`])
      if (units.placeOf(asked) !== places.get(asked)) t.fail(asked)
})

test('units may be of any script, and the list may be empty', t => {
  const units = new Units('café\n記憶\ncaf\n')
  t.deepEqual(
    ['café', '記憶', 'caf', 'ca', '', '記'].map(word => units.placeOf(word)),
    [0, 1, 2, undefined, undefined, undefined],
  )
  t.is(new Units('').count, 0)
  t.is(new Units('').placeOf('a'), undefined)
})
