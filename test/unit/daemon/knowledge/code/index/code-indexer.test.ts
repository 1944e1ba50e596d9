// runs: alone, because its timers do not keep the process alive until waiting tests had their turn

import { EventEmitter } from 'node:events'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import {
  type CodeIndexer,
  createCodeIndexer,
} from '../../../../../../src/daemon/knowledge/code/index/code-indexer.js'
import type { RunReport } from '../../../../../../src/daemon/knowledge/code/index/indexing/run-request.js'
import { watchCode } from '../../../../../../src/daemon/knowledge/code/index/watch-code.js'
import type { WatchFolder } from '../../../../../../src/daemon/knowledge/files/watched-folders.js'
import { deferred } from '../../../../../../src/lib/concurrency/deferred.js'
import { isAlive } from '../../../../../../src/lib/workspace/registration.js'
import { edgesIn, putCode, refusedIn, symbolsIn } from '../../../../../helpers/code-project.js'
import { until } from '../../../../../helpers/embedding-fakes.js'
import { temporaryFolder } from '../../../../../helpers/temporary-folder.js'

test('a killed process is restarted and continues, a signal ends a run, and close leaves nothing', async t => {
  const root = temporaryFolder(t)
  putCode(root, {
    ...Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [
        `part-${at}.ts`,
        `export function part${at}() { return ${at} }`,
      ]),
    ),
    'use.ts': "import { part7 } from './part-7.js'\nexport const all = () => part7()",
  })
  const pids: number[] = []
  const indexer = createCodeIndexer({ onStart: pid => pids.push(pid as number) })
  t.teardown(indexer.close)
  const ended = new AbortController()
  await t.throwsAsync(
    indexer.index({ root, signal: ended.signal, onProgress: () => ended.abort(new Error('enough')) }),
    { message: 'enough' },
  )
  let kills = 0
  const onProgress = (): void => {
    if (kills++ === 0) process.kill(pids.at(-1) as number, 'SIGKILL')
  }
  const report = await indexer.index({ root, onProgress })
  t.is(report.parsed + report.unchanged, 61)
  t.is(symbolsIn(root).length, 61)
  t.deepEqual(edgesIn(root, ['call']), ['all call part7 @ part-7.ts'])
  t.deepEqual(refusedIn(root), {})
  t.is(readFileSync(join(root, '.memory-service', '.gitignore'), 'utf8'), '*\n')
  t.is(pids.length, 3)

  putCode(root, { 'use.ts': "import { part8 } from './part-8.js'\nexport const all = () => part8()" })
  t.like(await indexer.index({ root, paths: ['use.ts'] }), { parsed: 1 })
  t.deepEqual(edgesIn(root, ['call']), ['all call part8 @ part-8.ts'])
  t.is(pids.length, 3)
  t.false(existsSync(join(root, '.memory-service', 'code.reading')))

  const waiting = indexer.index({ root })
  await indexer.close()
  await t.throwsAsync(waiting, { message: /is stopping/ })
  await t.throwsAsync(indexer.index({ root }), { message: /is stopping/ })
  await until(() => !pids.some(isAlive))
  t.pass()
})

/** A process that crashes on one file, like a grammar that crashes V8, and reports the others as read. */
const fragile = `
const { writeFileSync } = require('node:fs')
const { dirname } = require('node:path')
process.on('message', ({ database, blamed }) => {
  if (blamed.length === 0) {
    writeFileSync(dirname(database) + '/code.reading', 'bad.ts')
    process.kill(process.pid, 'SIGKILL')
  }
  process.send({ type: 'done', report: blamed, rssBytes: 0 })
})`

test('a file that crashes the process twice is skipped; an index behind a link is refused', async t => {
  const root = temporaryFolder(t)
  const file = join(temporaryFolder(t), 'fragile.cjs')
  writeFileSync(file, fragile)
  const pids: number[] = []
  const indexer = createCodeIndexer({
    child: { file, execArgv: [] },
    onStart: pid => pids.push(pid as number),
  })
  t.teardown(indexer.close)
  const report = (await indexer.index({ root })) as unknown
  t.deepEqual(report, [
    { path: 'bad.ts', reason: 'parser_ended', message: 'it crashed the process that reads code' },
  ])
  t.is(pids.length, 3)

  const [other, outside] = [temporaryFolder(t), temporaryFolder(t)]
  symlinkSync(outside, join(other, '.memory-service'))
  await t.throwsAsync(indexer.index({ root: other }), { message: /is a link/ })
})

/** A process that hangs on one project before it reads a file, as at a pipe, and reports others as read. */
const hanging = `
process.on('message', ({ root, blamed }) => {
  if (!root.includes('hanging')) process.send({ type: 'done', report: blamed, rssBytes: 0 })
})`

test('a project that hangs the process before it reads a file fails soon, and the next one is read (code-index.md 3)', async t => {
  const [hangs, other] = [temporaryFolder(t, 'hanging'), temporaryFolder(t)]
  const file = join(temporaryFolder(t), 'hanging.cjs')
  writeFileSync(file, hanging)
  const pids: number[] = []
  const indexer = createCodeIndexer({
    child: { file, execArgv: [] },
    silenceMs: 3000,
    onStart: pid => pids.push(pid as number),
  })
  t.teardown(indexer.close)
  const [first, second] = [indexer.index({ root: hangs }), indexer.index({ root: other })]
  await t.throwsAsync(first, { message: /ended or hung again and again/ })
  t.deepEqual((await second) as unknown, [])
  t.true(pids.length <= 4)
})

test('changes of a watched project are read, and all files if the system cannot watch', async t => {
  const root = temporaryFolder(t)
  mkdirSync(join(root, 'src'))
  const watchers = new Map<string, EventEmitter & { close(): void }>()
  const asked: (readonly string[] | undefined)[] = []
  const waiting = { read: deferred<void>(), covered: deferred<void>() }
  const indexer: Pick<CodeIndexer, 'index'> = {
    index: async ({ paths }) => {
      asked.push(paths)
      return {} as RunReport
    },
  }
  const stop = watchCode({
    root,
    indexer,
    scanEveryMs: 1,
    onRead: () => waiting.read.resolve(),
    onError: error => t.fail(String(error)),
    watchFolder: path => {
      const watcher = Object.assign(new EventEmitter(), { close: () => watchers.delete(path) })
      watchers.set(path, watcher)
      if (path === join(root, 'src')) waiting.covered.resolve()
      return watcher as unknown as ReturnType<WatchFolder>
    },
  })
  await waiting.covered.promise
  watchers.get(join(root, '.git'))?.emit('change', 'change', 'HEAD')
  watchers.get(join(root, 'src'))?.emit('change', 'change', 'a.ts')
  await waiting.read.promise
  t.deepEqual(asked, [['src/a.ts']])

  waiting.read = deferred()
  watchers.get(join(root, 'src'))?.emit('error', Object.assign(new Error('none left'), { code: 'ENOSPC' }))
  await waiting.read.promise
  t.deepEqual(asked[1], undefined)
  await stop()
  t.is(watchers.size, 0)
})
