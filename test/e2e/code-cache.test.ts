// runs: in turn

import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import { execa } from 'execa'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import BetterSqlite from '../../src/store/sqlite/connection/driver.js'
import { temporaryWorkspace } from '../helpers/daemon.js'
import { spawnDaemon } from '../helpers/daemon-process.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'

const root = join(import.meta.dirname, '..', '..')
const dist = join(root, 'dist')
const loader = pathToFileURL(join(root, 'bin', 'load-cached.js')).href
const smallHeap = pathToFileURL(join(root, 'bin', 'small-heap.js')).href

test('scripts are plain ASCII, as their loader expects', async t => {
  for (const name of ['cli.cjs', 'everyday.cjs', 'mcp.cjs', 'daemon.cjs']) {
    const bytes = await readFile(join(dist, name))
    t.true(
      bytes.every(byte => byte < 128),
      name,
    )
  }
})

test('the daemon starts from the build’s code cache, and a workspace from its empty database', async t => {
  const before = await caches(dist)
  t.is(before.filter(name => name.startsWith('daemon.cjs.')).length, 1)
  const workspace = temporaryWorkspace(t)
  const { ready, child, exited } = spawnDaemon(t, workspace)
  await ready()
  child.kill('SIGTERM')
  t.is(await exited, 0)
  t.deepEqual(await caches(dist), before)
  const database = new BetterSqlite(workspacePaths(workspace).database, { readonly: true })
  t.teardown(() => database.close())
  const made = database.prepare('SELECT DISTINCT applied_at FROM migrations').pluck().all() as string[]
  t.is(made.length, 1)
  t.true(
    new Date(made[0]!).getTime() > Date.now() - 3_600_000,
    'the day of the workspace, not that of the build',
  )
})

test('a bundle replaced by one of the same length runs the new code', async t => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'one.cjs')
  await writeFile(file, bundle('first one', '0'))
  t.is(await run(file), 'first one')
  t.is((await caches(folder)).length, 1)
  await writeFile(file, bundle('other one', '1'))
  t.is(await run(file), 'other one')
  t.is((await caches(folder)).length, 2)
})

test('a cache that V8 rejects is replaced', async t => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'one.cjs')
  await writeFile(file, bundle('as it is', '0'))
  await run(file)
  const [cache] = (await readdir(folder)).filter(name => name.endsWith('.cache')) as [string]
  const written = await readFile(join(folder, cache))
  await writeFile(join(folder, cache), 'of something else')
  t.is(await run(file), 'as it is')
  t.is((await readFile(join(folder, cache))).length, written.length)
})

test('a cache under other flags than at the start is not written, since V8 would reject it', async t => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'one.cjs')
  await writeFile(
    file,
    bundle('still runs', '0', `require('node:v8').setFlagsFromString('--stack-size=900')`),
  )
  t.is(await run(file, '{ byTag: true }'), 'still runs')
  t.deepEqual(await caches(folder), [])
})

test('a cache is rewritten after more functions have run, under the flags of the start', async t => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'one.cjs')
  const later =
    'exports.later = () => { const said = "words".repeat(3); return said.split("o").map(part => part + said) }'
  await writeFile(file, bundle('at rest', '0', later))
  const options = (whenToSave: string) => `{ byTag: true, whenToSave: (exports, save) => { ${whenToSave} } }`
  await run(file, options('save()'))
  const sizeOf = async () => (await stat(join(folder, (await caches(folder))[0]!.split(' ')[0]!))).size
  const atStart = await sizeOf()
  await rm(join(folder, (await caches(folder))[0]!.split(' ')[0]!))
  await run(
    file,
    options('save(); keepHeapSmall(); withUsualHeap(save); exports.later(); withUsualHeap(save)'),
  )
  t.true((await sizeOf()) > atStart)
  const made = await caches(folder)
  t.is(await run(file, options('save()')), 'at rest')
  t.deepEqual(await caches(folder), made)
})

test('agents’ hook requests are served by the script with the code cache', async t => {
  const script = await readFile(join(dist, 'daemon.cjs'), 'utf8')
  for (const part of ['harness/relay-hook.ts', 'harness/dialects.ts', 'hooks/prompt-submit.ts'])
    t.regex(script, new RegExp(`^// src/daemon/sessions/${part}$`, 'mu'), part)
})

test('without write access a bundle runs without a cache', async t => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'one.cjs')
  const gone = `require('node:fs').rmSync(__dirname, { recursive: true })`
  await writeFile(file, bundle('still runs', '0', gone))
  t.is(await run(file), 'still runs')
})

/** A script that exports a text, marked as the build does. */
function bundle(text: string, mark: string, then = ''): string {
  return `(function (exports, require, module, __filename, __dirname) {exports.text = '${text}';${then}})\n// ${mark.repeat(16)}`
}

async function run(file: string, options = '{}'): Promise<string> {
  const program = `import { loadCached } from ${JSON.stringify(loader)}
    import { keepHeapSmall, withUsualHeap } from ${JSON.stringify(smallHeap)}
    process.stdout.write(loadCached(new URL(${JSON.stringify(pathToFileURL(file).href)}), ${options}).text)`
  const { stdout } = await execa(process.execPath, ['--input-type=module', '--eval', program])
  return stdout
}

/** Code caches in a folder, each with its modification time. */
async function caches(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter(name => name.endsWith('.cache'))
  return Promise.all(names.map(async name => `${name} ${(await stat(join(folder, name))).mtimeMs}`))
}

for (const platform of ['linux', 'win32'] as const)
  test(`parts of a program stay those of its own build after an update on ${platform}`, async t => {
    const folder = temporaryFolder(t, 'memory-service-rest')
    const file = join(folder, 'rest.cjs')
    await writeFile(file, "(() => 'first')\n(() => 'second')")
    const { openRest } = await import(loader)
    const read = openRest(pathToFileURL(file), platform)
    // An update replaces the file by another one.
    await rm(file)
    await writeFile(file, "(() => 'of another build, and longer')\n")
    t.is(read(0, 15, 0)(), 'first')
    t.is(read(16, 16, 1)(), 'second')
  })
