import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import test from 'ava'
import { placesIn, straysIn, unresolvedIn } from '../helpers/citations.js'
import { root } from '../helpers/source-tree.js'

const texts = [
  ...['src', 'test', 'bench', 'scripts', 'bin', 'docs'].flatMap(filesBelow),
  ...['README.md', 'CONTRIBUTING.md', 'AGENTS.md'].map(name => join(root, name)),
].map(path => ({ path: relative(root, path), text: readFileSync(path, 'utf8') }))

/**
 * Places that can be cited, by page: its headings in docs, and the headings and rows of its rules in
 * test/rules.
 */
const pages = new Map<string, Set<string>>()
for (const folder of ['docs', 'test/rules'])
  for (const name of readdirSync(join(root, folder)).filter(name => name.endsWith('.md'))) {
    const places = placesIn(readFileSync(join(root, folder, name), 'utf8'))
    pages.set(name, new Set([...(pages.get(name) ?? []), ...places]))
  }

const example = new Map([
  ['rules.md', placesIn('## 4.5 to 4.8 Changes\n\n## 4.12 Settings\n\n## Kill switch')],
])

test('every citation of a docs page leads to a heading or a row', t => {
  const cited = texts.flatMap(({ path, text }) =>
    unresolvedIn(text, pages).map(citation => `${path}: ${citation}`),
  )
  t.deepEqual(cited, [])
})

test('nothing cites a text that is not in the repository', t => {
  const strays = texts.flatMap(({ path, text }) => straysIn(text).map(stray => `${path}: ${stray}`))
  t.deepEqual(strays, [])
})

test('headings and rows of test tables can be cited, other tables cannot', t => {
  const places = placesIn(
    [
      '## 4.10 and 4.11 Transcripts',
      '| | rule | test |\n|---|---|---|\n| 1.3.13, 8 | a rule | recall |',
      '| numbers | what |\n|---|---|\n| 5 | a list of contents |',
      '## Hosts and origins',
    ].join('\n\n'),
  )
  t.deepEqual(
    [...places].sort(),
    ['#410-and-411-transcripts', '#hosts-and-origins', '1.3.13', '4.10', '4.11', '8'].sort(),
  )
})

for (const [what, text] of Object.entries({
  'a number without a heading or row': '(rules.md 4.9)',
  'a number among others': '(rules.md 4.5, 4.6 and 9)',
  'the end of a range': '(rules.md 4.7 to 4.9)',
  'the middle of a range': '(rules.md 4.8 to 4.12)',
  'a missing heading': '(rules.md#kill-switches)',
  'a missing page': '(rulez.md 4.5)',
  'a number on the next line of a comment': '/**\n * Changes (rules.md\n * 4.9).\n */',
}))
  test(`a citation without a target is caught: ${what}`, t => {
    t.is(unresolvedIn(text, example).length, 1)
  })

test('citations with a target are accepted', t => {
  const text = '(rules.md 4.5) (rules.md 4.5 to 4.8; rules.md#kill-switch) docs/rules.md 4.6, see `AGENTS.md`'
  t.deepEqual(unresolvedIn(text, example), [])
})

for (const stray of [
  '(spec 1, 4.10)',
  '(specification 3, section 6)',
  'as spec part 2 says',
  '(spec\n * 1, 4.10)',
  'in the order of the spec',
  'messages (part 3, 4.10)',
  '(contract)',
  '(contract, kill switch)',
  '(rules.md 4.5; contract, holders)',
  '(contract: 401 before 403)',
])
  test(`a citation of a text that is not in the repository is caught: ${JSON.stringify(stray)}`, t => {
    t.is(straysIn(stray).length, 1)
  })

test('mentions of src/contract are not citations', t => {
  const text =
    '`src/contract` (schemas), every endpoint of the contract, cli, contract, lib; the MCP specification'
  t.deepEqual(straysIn(text), [])
})

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && /\.(?:tsx?|m?js|ya?ml|md)$/u.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
    .filter(
      path =>
        !path.includes(join('test', 'fixtures')) && !path.endsWith(join('architecture', 'citations.test.ts')),
    )
}
