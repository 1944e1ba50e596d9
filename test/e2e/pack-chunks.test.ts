// runs: in turn

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import { execa } from 'execa'
import { temporaryFolder } from '../helpers/temporary-folder.js'

const root = join(import.meta.dirname, '..', '..')
const urlOf = (...parts: string[]) => JSON.stringify(pathToFileURL(join(root, ...parts)).href)

/** A program that imports `late.ts` on demand; both share `log.ts`. */
const sources = {
  'main.ts': `import { count, log } from './log.js'
const late = () => import('./late.js')
export const said = log
export const run = async () => {
  const { next } = await late()
  return [next(), next(), count()].join(' ')
}
export const never = async () => (await late()).fail()
export const found = async () => (await import('./found.js')).found`,
  'log.ts': `export const log: string[] = []
let counted = 0
export function count() { return ++counted }`,
  'late.ts': `import { count, log } from './log.js'
import { word } from './word.js'
log.push('late ran')
export function next() { return word + count() }
export function fail() { throw new Error('of late.ts') }`,
  'word.ts': `export const word = 'number \u00e9'`,
  'found.ts': `export const found = 'by an import'`,
}

/**
 * Packs the program into two files. @param everyday ending of a file name that belongs in the script as well
 */
async function packed(
  t: ExecutionContext,
  everyday = '',
): Promise<{ folder: string; script: string; rest: string }> {
  const folder = temporaryFolder(t, 'memory-service-late')
  await mkdir(join(folder, 'src'))
  for (const [name, text] of Object.entries(sources)) await writeFile(join(folder, 'src', name), text)
  await runNode(`
    import { build } from ${urlOf('node_modules', 'esbuild', 'lib', 'main.js')}
    import { packChunks } from ${urlOf('scripts', 'pack-chunks.js')}
    import { finishScript } from ${urlOf('scripts', 'script-text.js')}
    const folder = ${JSON.stringify(folder)}
    const { metafile } = await build({
      absWorkingDir: folder, outdir: folder, entryPoints: { begin: folder + '/src/main.ts' }, bundle: true,
      splitting: true, format: 'esm', platform: 'node', metafile: true,
    })
    await packChunks(folder, metafile, { entry: 'begin.js', main: 'one.cjs', rest: 'rest.cjs' },
      source => ${everyday !== ''} && source.endsWith(${JSON.stringify(everyday)}))
    await finishScript(folder + '/one.cjs')`)
  return { folder, script: join(folder, 'one.cjs'), rest: join(folder, 'rest.cjs') }
}

/** Evaluates an expression of the loaded program, `program`; `rest` is the path of the rest file. */
async function evaluated(
  { script, rest }: { script: string; rest: string },
  expression: string,
): Promise<unknown> {
  const stdout = await runNode(`
    import { writeFileSync, unlinkSync } from 'node:fs'
    import { loadCached } from ${urlOf('bin', 'load-cached.js')}
    const rest = ${JSON.stringify(rest)}
    const program = loadCached(new URL(${JSON.stringify(pathToFileURL(script).href)}), { rest: new URL('file://' + rest) })
    process.stdout.write(JSON.stringify(await (async () => ${expression})()))`)
  return JSON.parse(stdout)
}

async function runNode(program: string): Promise<string> {
  const { stdout } = await execa(process.execPath, ['--input-type=module', '--eval', program])
  return stdout
}

test('a module runs once when it is imported, and shares modules with other importers (start.md#what-makes-a-start-short)', async t => {
  const files = await packed(t)
  const before = await evaluated(
    files,
    `[[...program.said], await program.run(), await program.run(), program.said]`,
  )
  t.deepEqual(before, [
    [],
    'number \u00e91 number \u00e92 3',
    'number \u00e94 number \u00e95 6',
    ['late ran'],
  ])
  t.is(await evaluated(files, `program.found()`), 'by an import')
  const text = await readFile(files.rest, 'latin1')
  t.regex(text, /of late\.ts/u)
  t.notRegex(await readFile(files.script, 'latin1'), /of late\.ts/u)
})

test('a late module of everyday requests is in the script, and runs when it is imported', async t => {
  const files = await packed(t, 'late.ts')
  t.regex(await readFile(files.script, 'latin1'), /of late\.ts/u)
  t.notRegex(await readFile(files.rest, 'latin1'), /of late\.ts/u)
  const said = await evaluated(files, `[[...program.said], await program.run(), program.said]`)
  t.deepEqual(said, [[], 'number \u00e91 number \u00e92 3', ['late ran']])
})

test('the stack trace of an error names the line in the rest file', async t => {
  const files = await packed(t)
  const stack = String(await evaluated(files, `program.never().catch(error => error.stack)`))
  const line = Number(/rest\.cjs:(\d+)/u.exec(stack)?.[1])
  const lines = (await readFile(files.rest, 'latin1')).split('\n')
  t.regex(lines[line - 1] ?? '', /of late\.ts/u)
})

// Windows cannot replace an open file.
const replaced = process.platform === 'win32' ? test.skip : test

replaced('late modules come from the started program, even after an update replaced the file', async t => {
  const files = await packed(t)
  const said = await evaluated(
    files,
    `(unlinkSync(rest), writeFileSync(rest, 'of another version '.repeat(99)), program.run())`,
  )
  t.is(said, 'number \u00e91 number \u00e92 3')
})
