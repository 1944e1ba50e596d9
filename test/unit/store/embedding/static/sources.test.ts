import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { shinglesOf } from '../../../../../scripts/embedding-model/overlap.js'
import { packageFile } from '../../../../../src/lib/files/package-root.js'
import { decodeModel } from '../../../../../src/store/embedding/static/model-file.js'
import { createStaticVectors } from '../../../../../src/store/embedding/static-provider.js'

interface Source {
  repository: string
  licence: string
  licenceFile: string
  credit?: string
  commit: string
  bytes: number
}

const root = packageFile()
const sources: Source[] = JSON.parse(
  readFileSync(join(root, 'scripts', 'embedding-model', 'sources.json'), 'utf8'),
)
const notice = readFileSync(join(root, 'NOTICE'), 'utf8')

test('every source of the model has a permissive licence, a commit and its credit in NOTICE', t => {
  const allowed =
    /^(public domain|CC0-1\.0|CC-BY-[34]\.0|MIT|BSD-3-Clause|Apache-2\.0|ISC|curl|Biopython|CDLA-Permissive-1\.0|WordNet)$/
  for (const { repository, licence, licenceFile, credit, commit } of sources) {
    const names = licence.replace(/ \(markup .*\)/, '').split(/ (?:OR|or|and) /)
    t.true(
      names.every(name => allowed.test(name)),
      `${repository}: ${licence}`,
    )
    t.true(licenceFile.length > 0 && /^[0-9a-f]{40}$/.test(commit), repository)
    t.true(credit !== undefined || !/^(CC-BY|CDLA)/.test(licence), `${repository} asks for a credit`)
    t.true(
      notice.includes(`github.com/${repository}: ${licence}${credit ? `, by ${credit}` : ''}\n`),
      repository,
    )
  }
})

test('two texts match only if they share 13 consecutive words', t => {
  const words = Array.from({ length: 40 }, (_, at) => `word${at}`)
  const known = new Set(shinglesOf(words.join(' ')))
  const shares = (text: string) => shinglesOf(text).some(shingle => known.has(shingle))
  t.true(shares(`Before: ${words.slice(5, 18).join(', ')} and after`))
  t.true(shares(words.slice(5, 18).join(' ').toUpperCase()))
  t.false(shares(words.slice(5, 17).join(' ')))
  t.false(shares(words.toReversed().join(' ')))
  t.deepEqual(shinglesOf('one two three four'), [])
  t.is(shinglesOf('one two three four five').length, 1)
})

test('the bundled model is complete, and similar meanings are closest', t => {
  const model = decodeModel(readFileSync(join(root, 'models', 'static-en-1.bin')))
  t.like(model, { version: 'static-en-1', dimensions: 128 })
  const { vectorOf } = createStaticVectors(model)
  const near = (one: string, other: string) => {
    const [a, b] = [vectorOf(one)!, vectorOf(other)!]
    return a.reduce((sum, value, at) => sum + value * b[at]!, 0) / (Math.hypot(...a) * Math.hypot(...b))
  }
  const question = 'how do we ship a new release'
  t.true(near(question, 'deployments go out every Friday') > near(question, 'Maya is allergic to peanuts'))
  for (const text of [
    'Wir haben beschlossen, die Rechnungen woanders zu speichern',
    'aGVsbG8gd29ybGQ= Zm9vYmFyYmF6',
    '9f86d081884c7d659a2f',
  ])
    t.is(vectorOf(text), undefined, text)
})
