// runs: in turn

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { type MirrorCall, mirrorMemories } from '../../src/cli/memory/mirror/mirror-memories.js'
import { type SyncOptions, syncMirror } from '../../src/cli/memory/mirror/sync-mirror.js'
import { startDaemon } from '../helpers/daemon.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'

/** A mirrored folder under git. @param ignored files that git does not know */
async function underGit(t: ExecutionContext, ignored: string) {
  const daemon = await startDaemon(t)
  const folder = temporaryFolder(t, 'vault')
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
      cwd: folder,
      encoding: 'utf8',
    })
  git('init', '-q')
  writeFileSync(join(folder, '.gitignore'), ignored)
  const call: MirrorCall = async (address, request) => {
    const { status, body } = await daemon.call(address, request as never)
    if (status >= 400) throw new Error(JSON.stringify(body))
    return body as never
  }
  const memories = mirrorMemories(call, undefined)
  const sync = (onMissing: SyncOptions['onMissing'] = async () => 'wait', later = 10_000) =>
    syncMirror(folder, memories, { now: () => Date.now() + later, onMissing })
  const commit = (message: string) => {
    git('add', '-A')
    git('commit', '-q', '-m', message)
  }
  const file = (start: string) => {
    const names = readdirSync(folder, { recursive: true }) as string[]
    return join(folder, names.find(name => name.includes(start) && name.endsWith('.md')) ?? start)
  }
  const contents = async () =>
    (await daemon.call('GET /api/memories', { query: { current: 'true' } })).body.memories
      .map(({ content }) => content)
      .sort()
  return { ...daemon, folder, git, sync, commit, file, contents }
}

const rest = { written: 0, changed: 0, removed: 0, missing: 0, waiting: 0, conflicts: [] }

test('a commit changes nothing', async t => {
  const { remember, sync, commit, git, contents } = await underGit(t, '.memory-mirror.json\n')
  await remember('The relay listens on port 9123')
  t.like(await sync(), { written: 1 })
  commit('first')
  t.like(await sync(), rest)
  t.is(git('status', '--porcelain'), '', 'the mirror does not touch what it did not change')
  t.deepEqual(await contents(), ['The relay listens on port 9123'])
})

test('a checkout of an older state is an edit, and what came later is only asked about', async t => {
  const { remember, call, sync, commit, git, file, contents } = await underGit(t, '.memory-mirror.json\n')
  await remember('The relay listens on port 9123')
  const lift = await remember('The lift is slow', { tags: ['house'] })
  await sync()
  commit('first')
  const relay = file('the-relay')
  writeFileSync(relay, readFileSync(relay, 'utf8').replace('9123', '9200'))
  await call('PATCH /api/memory/:id', { params: { id: lift }, body: { tags: ['shaft'], reason: 'sorted' } })
  await remember('The roof is green')
  t.like(await sync(), { changed: 1, written: 2 })
  commit('second')
  git('checkout', '-q', 'HEAD~1')
  t.like(await sync(undefined, 0), { waiting: 2, changed: 0, missing: 1 }, 'the checkout may still run')
  t.like(await sync(), { changed: 2, waiting: 0, missing: 1, forgotten: 0, conflicts: [] })
  t.deepEqual(await contents(), ['The lift is slow', 'The relay listens on port 9123', 'The roof is green'])
  t.deepEqual((await call('GET /api/memory/:id', { params: { id: lift } })).body.tags, ['house'].join(','))
  t.like(await sync(), { ...rest, missing: 1 })
  git('stash', '-q', '-u')
  git('checkout', '-q', '-')
  t.like(await sync(), { changed: 2, missing: 0, waiting: 0 })
  t.deepEqual(await contents(), ['The lift is slow', 'The relay listens on port 9200', 'The roof is green'])
})

test('with its state under git, a checkout of an older state is brought to the present', async t => {
  const { remember, sync, commit, git, file, contents, folder } = await underGit(t, '')
  await remember('The relay listens on port 9123')
  await sync()
  commit('first')
  const relay = file('the-relay')
  writeFileSync(relay, readFileSync(relay, 'utf8').replace('9123', '9200'))
  await remember('The roof is green')
  await sync()
  commit('second')
  git('checkout', '-q', 'HEAD~1')
  t.true(existsSync(join(folder, '.memory-mirror.json')))
  t.like(await sync(), { changed: 0, forgotten: 0, missing: 0, waiting: 0 })
  t.deepEqual(await contents(), ['The relay listens on port 9200', 'The roof is green'])
  t.regex(readFileSync(file('the-relay'), 'utf8'), /9200/u)
  t.regex(readFileSync(file('the-roof'), 'utf8'), /green/u)
  t.like(await sync(), rest)
})

test('a file with the marks of a merge or half of its text waits, or is an edit that git can take back', async t => {
  const { remember, sync, commit, git, file, contents } = await underGit(t, '.memory-mirror.json\n')
  await remember('The relay listens on port 9123')
  await sync()
  commit('first')
  const relay = file('the-relay')
  const whole = readFileSync(relay, 'utf8')
  for (const half of ['', whole.slice(0, 20), whole.slice(0, whole.indexOf('The relay'))]) {
    writeFileSync(relay, half)
    t.like(await sync(), { ...rest, waiting: 1 })
  }
  writeFileSync(relay, `<<<<<<< HEAD\n${whole}=======\n${whole.replace('9123', '9200')}>>>>>>> other\n`)
  t.like(await sync(), { ...rest, waiting: 1 }, 'a head behind the marks of a merge is not whole')
  git('checkout', '-q', '.')
  t.like(await sync(), rest)
  t.deepEqual(await contents(), ['The relay listens on port 9123'])
})
