import { posix } from 'node:path'
import test from 'ava'
import { readSources, type SourceFile, sourceTree } from '../helpers/source-tree.js'
import { childrenOf, type SyntaxNode, syntaxOf } from '../helpers/syntax-tree.js'

const maxFileLines = 400
const maxFunctionLines = 60
const maxFiles = 20

/** Folders of similar files, which are looked up one by one and therefore may be large. */
const lists: readonly RegExp[] = [
  /^src\/commands(?:\/|$)/u,
  /^src\/store\/migrations$/u,
  /^src\/store\/tables\/[a-z]+$/u,
]

const sources = readSources('src')
const tests = readSources('test').filter(({ path }) => !path.includes('/fixtures/'))

test(`no file of the sources and tests is longer than ${maxFileLines} lines`, t => {
  t.deepEqual(longFiles([...sources, ...tests]), [])
})

test('a file that is too long is caught, except for a migration', t => {
  const text = 'x\n'.repeat(maxFileLines + 1)
  const example = sourceTree({ 'src/a.ts': text, 'src/b.ts': 'x\n', 'src/store/migrations/c.ts': text })
  t.deepEqual(longFiles(example), [`src/a.ts: ${maxFileLines + 1}`])
})

test(`no function is longer than ${maxFunctionLines} lines, except for table factories`, t => {
  t.deepEqual(longFunctions(sources), [])
})

test('a function that is too long is caught in every form', t => {
  const body = `{\n${'  x\n'.repeat(maxFunctionLines)}}`
  const example = sourceTree({
    'src/a.ts': `export function declared() ${body}`,
    'src/b.ts': `const arrow = () => ${body}`,
    'src/c.ts': `class C {\n  method() ${body}\n}`,
    'src/d.ts': `export const short = () => {}`,
    'src/store/tables/e.ts': `export function table() ${body}`,
  })
  t.deepEqual(longFunctions(example), [
    `src/a.ts: declared has ${maxFunctionLines + 2} lines`,
    `src/b.ts: arrow has ${maxFunctionLines + 2} lines`,
    `src/c.ts: method has ${maxFunctionLines + 2} lines`,
  ])
})

test('file names are kebab-case and specific', t => {
  t.deepEqual(vagueNames(sources), [])
})

test('a vague name, and a name that is not kebab-case, are caught', t => {
  const example = sourceTree({ 'src/text-utils.ts': '', 'src/someThing.ts': '', 'src/clip.ts': '' })
  t.deepEqual(vagueNames(example), ['src/text-utils.ts', 'src/someThing.ts'])
})

test(`no folder has more than ${maxFiles} files, except for lists of one kind`, t => {
  t.deepEqual(fullFolders(sources), [])
})

test('a folder with too many files is caught, except for lists; nested folders count separately', t => {
  const filesOf = (folder: string) =>
    Object.fromEntries(Array.from({ length: maxFiles + 1 }, (_, n) => [`${folder}/f${n}.ts`, '']))
  const split = { 'src/lib/a.ts': '', ...filesOf('src/commands'), ...filesOf('src/store/tables/memory') }
  t.deepEqual(fullFolders(sourceTree(split)), [])
  t.deepEqual(fullFolders(sourceTree({ ...split, ...filesOf('src/lib/text') })), [
    `src/lib/text: ${maxFiles + 1}`,
  ])
})

test('only the daemon’s entry reads its environment', t => {
  const inside = sources.filter(({ path }) => /^src\/(?:daemon|store)\//u.test(path))
  t.deepEqual(filesWith(inside, 'process.env'), ['src/daemon/process/main.ts'])
})

test('only entry files end the process', t => {
  t.deepEqual(filesWith(sources, 'process.exit(').sort(), [
    'src/daemon/process/main.ts',
    'src/hook/main.ts',
    // This call ends only its own thread, which is stopping anyway.
    'src/lib/threads/run-protected.ts',
  ])
})

/** Skips short files, since parsing all sources takes seconds. */
const mayHoldLong = (text: string): boolean => linesOf(text) >= maxFunctionLines
const linesOf = (text: string): number => text.split('\n').length - 1

function longFiles(files: readonly SourceFile[]): string[] {
  return files
    .map(({ path, text }) => ({ path, lines: linesOf(text) }))
    .filter(({ path, lines }) => lines > maxFileLines && !path.includes('/migrations/'))
    .map(({ path, lines }) => `${path}: ${lines}`)
}

function fullFolders(files: readonly SourceFile[]): string[] {
  const counts = new Map<string, number>()
  for (const { path } of files) counts.set(posix.dirname(path), (counts.get(posix.dirname(path)) ?? 0) + 1)
  return [...counts]
    .filter(([folder, count]) => count > maxFiles && !lists.some(list => list.test(folder)))
    .map(([folder, count]) => `${folder}: ${count}`)
}

function vagueNames(files: readonly SourceFile[]): string[] {
  const vague = /(?:^|[-.])(?:utils?|helpers?|managers?|base|services?|common)(?:[-.]|$)/u
  return files
    .map(({ path }) => path)
    .filter(path => {
      const name = path.split('/').at(-1) ?? ''
      return !/^[a-z0-9]+(?:[-.][a-z0-9]+)*\.(?:tsx?|wat)$/u.test(name) || vague.test(name)
    })
}

function filesWith(files: readonly SourceFile[], text: string): string[] {
  return files.filter(file => file.text.includes(text)).map(({ path }) => path)
}

function longFunctions(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path, text }) => !path.startsWith('src/store/tables/') && mayHoldLong(text))
    .flatMap(file =>
      functionsIn(syntaxOf(file), '?')
        .filter(({ lines }) => lines > maxFunctionLines)
        .map(({ name, lines }) => `${file.path}: ${name} has ${lines} lines`),
    )
}

function functionsIn(node: SyntaxNode, around: string): { name: string; lines: number }[] {
  const named = node as { id?: { name?: string }; key?: { name?: string } }
  const name = named.id?.name ?? named.key?.name ?? around
  const isFunction = /Function|Method/u.test(node.type) && 'body' in node
  const own = isFunction && node.loc ? [{ name, lines: node.loc.end.line - node.loc.start.line + 1 }] : []
  return [...own, ...childrenOf(node).flatMap(child => functionsIn(child, name))]
}
