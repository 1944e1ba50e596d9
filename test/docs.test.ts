import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'ava'

const root = join(import.meta.dirname, '..')
const pages = [
  'README.md',
  'AGENTS.md',
  'CONTRIBUTING.md',
  ...['docs', 'docs/adr', 'test/rules'].flatMap(folder =>
    readdirSync(join(root, folder))
      .filter(name => name.endsWith('.md'))
      .map(name => `${folder}/${name}`),
  ),
]
/** Folders that a run creates. */
const written = new Set(['bench/results/'])
/** Generated from the commands, whose own examples name files of others. */
const generated = new Set(['docs/commands.md'])

/** Paths in pages begin with these folders of this repository; a page about the daemon may shorten them. */
const ours = /^(?:src|test|bench|scripts|bin)\//u
const shortened = ['src/daemon', 'src/daemon/memory/recall', 'src/store', 'test']

for (const page of pages.filter(page => !generated.has(page)))
  test(`every path that ${page} names is there`, t => {
    const text = readFileSync(join(root, page), 'utf8')
    t.deepEqual(
      [...pathsIn(text).filter(path => !written.has(path) && !isThere(path)), ...brokenLinksIn(page, text)],
      [],
    )
  })

test('a path that is not there is found, whole, shortened or with a placeholder', t => {
  const text = '`src/daemon/nowhere.ts`, `memory/nowhere/recall.ts`, `src/nowhere/<area>/domain.ts`'
  t.is(pathsIn(text).filter(path => !isThere(path)).length, 3)
  const known =
    '`src/daemon/memory/recall/recall.ts`, `process/domains.ts`, `src/daemon/<area>/domain.ts`, `src/cli`'
  t.deepEqual(
    pathsIn(known).filter(path => !isThere(path)),
    [],
  )
})

/** Code spans that are a path below a folder of ours, or a file of code in some folder. */
function pathsIn(text: string): string[] {
  const spans = [...text.matchAll(/`([^`\s]+)`/gu)].map(([, span = '']) => span)
  return spans.filter(span => ours.test(span) || /^[\w-][^:]*\/[^/]+\.tsx?$/u.test(span))
}

function isThere(path: string): boolean {
  if (ours.test(path)) return matches('', path.split('/').filter(Boolean))
  return shortened.some(folder => matches(folder, path.split('/')))
}

/** `<area>` and `*` stand for any name. */
function matches(folder: string, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true
  if (!/[<*]/u.test(name)) {
    const path = join(folder, name)
    return existsSync(join(root, path)) && matches(path, rest)
  }
  if (!statSync(join(root, folder)).isDirectory()) return false
  const pattern = new RegExp(`^${name.replaceAll('.', '\\.').replace(/<[^>]*>|\*/gu, '[^/]+')}$`, 'u')
  return readdirSync(join(root, folder)).some(
    entry => pattern.test(entry) && matches(folder, [entry, ...rest]),
  )
}

function brokenLinksIn(page: string, text: string): string[] {
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/gu)].map(([, target = '']) => target)
  return links.filter(target => !existsSync(join(root, dirname(page), target)))
}
