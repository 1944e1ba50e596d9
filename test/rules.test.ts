import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import test from 'ava'

const root = join(import.meta.dirname, '..')

for (const page of pagesOfRules())
  test(`every test that ${page} names is there, and one alone has that name`, t => {
    const named = referencesIn(readFileSync(join(root, page), 'utf8'))
    t.true(named.length > 0)
    const wrong = named.filter(({ file, title }) => {
      const found = titlesIn(file).filter(one => one.startsWith(title))
      return title === '' ? found.length === 0 : found.length !== 1
    })
    t.deepEqual(wrong, [])
  })

/** Pages with a table of rules and their tests. */
function pagesOfRules(): string[] {
  return readdirSync(join(root, 'test/rules')).map(name => `test/rules/${name}`)
}

/** Tests of the API by their names alone, in whichever area's folder they are. */
const apiTests = new Map(
  readdirSync(join(root, 'test/api'), { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.test.ts'))
    .map(path => [basename(path, '.test.ts'), join(root, 'test/api', path)]),
)

/** Reads the last cell of each row below the heading `test`. A file without titles means all its tests. */
function referencesIn(markdown: string): { file: string; title: string }[] {
  const tables = markdown
    .split(/\n\n+/u)
    .filter(block => /^\|.*\| test \|$/mu.test(block.split('\n')[0] ?? ''))
  return tables.flatMap(table =>
    table
      .split('\n')
      .slice(2)
      .flatMap(row => referencesOf(row.split('|').at(-2) ?? '')),
  )
}

function referencesOf(cell: string): { file: string; title: string }[] {
  const parts = [...cell.matchAll(/"([^"]+)"|([^\s",]+)/gu)].filter(([, , word]) => word !== 'all')
  let file = ''
  return parts.flatMap(([, title, word], position) => {
    if (title !== undefined) return [{ file, title }]
    file = word as string
    return parts[position + 1]?.[1] === undefined ? [{ file, title: '' }] : []
  })
}

/** Titles in the order of the file, with `…` for what a title takes from its cases. */
function titlesIn(file: string): string[] {
  const named = join(root, 'test', file)
  const paths = file.includes('/') ? [`${named}.test.ts`, `${named}.test.tsx`] : [apiTests.get(file) ?? '']
  const path = paths.find(candidate => existsSync(candidate))
  if (!path) return []
  const calls = readFileSync(path, 'utf8').matchAll(
    /^ *(?:test(?:\.serial)?|browserTest)\(\s*(['`])(.+?)\1,/gmu,
  )
  return [...calls].map(([, , title = '']) => title.replace(/\$\{[^}]*\}/gu, '…'))
}
