// runs: alone

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import { nativeRuntime } from '../../src/lib/workspace/model-folder.js'
import { createLocalWorker, defaultWorkerUrl, type LocalWorker } from '../../src/store/embedding/local.js'
import { runCli, until } from '../helpers/cli.js'
import { tinyModelFolder } from '../helpers/embedding-fakes.js'
import { fakeProgram } from '../helpers/fake-program.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'

const root = join(import.meta.dirname, '..', '..')
const texts = ['the car is red', 'ein Wort, das niemand kennt', '']

function tinyModelWorker(url: URL, runtimeDir: string): LocalWorker {
  return createLocalWorker({
    setup: { folder: tinyModelFolder, format: 'q8', pooling: 'mean', runtimeDir },
    url,
    idleUnloadMs: 60_000,
    onChange: () => undefined,
  })
}

async function vectorsOf(url: URL, runtimeDir: string) {
  const worker = tinyModelWorker(url, runtimeDir)
  const vectors = await worker.embed(texts)
  const runtime = worker.runtime()
  await worker.close()
  return { vectors, runtime }
}

test('the published package computes vectors without other packages, equal to the native runtime', async t => {
  const folder = temporaryFolder(t)
  for (const name of ['embedding-worker.js', 'onnx'])
    cpSync(join(root, 'dist', name), join(folder, name), { recursive: true })
  const alone = await vectorsOf(pathToFileURL(join(folder, 'embedding-worker.js')), folder)
  const native = await vectorsOf(defaultWorkerUrl(), folder)
  t.is(alone.runtime, 'wasm')
  t.is(native.runtime, 'native')
  for (const [row, vector] of alone.vectors.entries())
    for (const [column, value] of vector.entries())
      if (Math.abs(value - native.vectors[row]![column]!) > 1e-5) t.fail(`${row} ${column}`)
})

test('a thread that loads or uses the native runtime can be ended without the process', async t => {
  const runtimes = new Set<unknown>()
  for (let turn = 0; turn < 9; turn++) {
    const worker = tinyModelWorker(defaultWorkerUrl(), '')
    const embedding = worker.embed(Array(5000).fill('the car is red '.repeat(20)))
    if (turn % 3 > 0) await until(() => worker.state() === 'loaded', 'the model is loaded')
    // Each turn ends the thread at a different moment; without precautions most of these would abort the
    // process.
    await delay(turn * 15)
    runtimes.add(worker.runtime())
    await Promise.all([worker.close(), t.throwsAsync(embedding, { message: /closed/ })])
  }
  t.true(runtimes.has('native'))
})

/** A fake npm that installs a package with libraries of several platforms; loading it runs `main`. */
function npm(t: ExecutionContext, main: string, integrity: object = nativeRuntime.integrity) {
  const noted = Object.entries(integrity).map(([name, sum]) => [`node_modules/${name}`, { integrity: sum }])
  const lock = JSON.stringify({ packages: Object.fromEntries(noted) })
  return fakeProgram(
    t,
    'npm',
    `const { mkdirSync, writeFileSync } = require('node:fs')
    const folder = process.argv[process.argv.indexOf('--prefix') + 1] + '/node_modules/${nativeRuntime.name}'
    for (const place of ['sunos/sparc', process.platform + '/' + process.arch])
      mkdirSync(folder + '/bin/napi-v6/' + place, { recursive: true })
    writeFileSync(folder + '/../.package-lock.json', ${JSON.stringify(lock)})
    writeFileSync(folder + '/index.js', ${JSON.stringify(main)})`,
  )
}

test.serial(
  'the native runtime is installed with npm, without files for other platforms, and removed',
  async t => {
    const { path: PATH, calls } = npm(t, 'exports.InferenceSession = { create() {} }')
    const installed = await runCli(t, ['embedding', 'runtime', 'install', '--json'], { env: { PATH } })
    t.is(installed.code, 0, installed.stderr)
    const { folder, version } = installed.json()
    t.is(version, nativeRuntime.version)
    t.deepEqual(readdirSync(join(folder, 'bin', 'napi-v6', process.platform)), [process.arch])
    t.false(existsSync(join(folder, 'bin', 'napi-v6', 'sunos', 'sparc')))
    const args = calls()[0]?.args ?? []
    t.true(args.includes(`${nativeRuntime.name}@${nativeRuntime.version}`))
    t.true(args.includes('--ignore-scripts'))
    t.true((await runCli(t, ['embedding', 'runtime', 'remove', '--json'])).json().removed)
    t.false(existsSync(folder))
    t.false((await runCli(t, ['embedding', 'runtime', 'remove', '--json'])).json().removed)
  },
)

test.serial('a runtime that does not load is rejected, and the existing one is kept', async t => {
  const { path: PATH } = npm(t, "throw new Error('made for another machine')")
  const workspace = temporaryFolder(t)
  const before = join(workspace, '.daemon', 'runtime', 'node_modules', nativeRuntime.name)
  mkdirSync(before, { recursive: true })
  writeFileSync(join(before, 'index.js'), '')
  const env = { PATH, SERVICE_WORKSPACE: workspace }
  const failed = await runCli(t, ['embedding', 'runtime', 'install', '--json'], { env })
  t.is(failed.code, 1)
  t.is(failed.json().code, 'runtime_unavailable')
  t.regex(failed.json().error, /made for another machine/)
  t.deepEqual(readdirSync(join(workspace, '.daemon')), ['runtime'])
  t.true(existsSync(join(before, 'index.js')))
})

test.serial('a runtime with other bytes than those of this release is rejected', async t => {
  const main = 'exports.InferenceSession = { create() {} }'
  const { path: PATH } = npm(t, main, { ...nativeRuntime.integrity, [nativeRuntime.name]: 'sha512-other' })
  const failed = await runCli(t, ['embedding', 'runtime', 'install', '--json'], { env: { PATH } })
  t.is(failed.json().code, 'runtime_unavailable')
  t.regex(failed.json().error, /another onnxruntime-node than the one this release was built with/)
})

test('the native runtime has the version that transformers needs', async t => {
  const file = join(root, 'node_modules', '@xenova', 'transformers', 'package.json')
  const { dependencies } = JSON.parse(readFileSync(file, 'utf8'))
  t.is(dependencies['onnxruntime-node'], nativeRuntime.version)
})
