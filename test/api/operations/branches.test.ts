import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { Reply } from '../../../src/contract/api.js'
import { startDaemon } from '../../helpers/daemon.js'
import { callTool, connectHttp } from '../../helpers/mcp.js'
import { temporaryFolder } from '../../helpers/temporary-folder.js'
import { importInto } from '../../helpers/transfer.js'

async function start(t: ExecutionContext, branches: 'shared' | 'isolated') {
  const daemon = await startDaemon(t, { settings: { memory: { branches } } })
  const shop = temporaryFolder(t, 'memory-service-branches')
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
      cwd: shop,
      encoding: 'utf8',
    }).trim()
  const commit = (name: string) => {
    writeFileSync(join(shop, name), name)
    git('add', '.')
    git('commit', '-qm', name)
  }
  git('init', '-q', '-b', 'main')
  commit('first')
  const headers = { 'x-service-project': encodeURI(shop) }
  const remember = async (content: string) =>
    (await daemon.call('POST /api/memory/remember', { body: { content, type: 'rule' }, headers })).body.id
  const told = async () => {
    const { body } = await daemon.call('POST /api/hooks/session-start', {
      body: { harness: 'codex', cwd: shop },
    })
    return (body as { memories: { content: string }[] }).memories.map(({ content }) => content).sort()
  }
  const recalled = async (body: object = {}) => {
    const wanted = { query: 'deploys start at', ...body }
    const reply = await daemon.call('POST /api/memory/recall', { body: wanted, headers })
    return reply.body.results.map(({ content }) => content).sort()
  }
  /** Returns what a list and a keyword search show here, which must agree. */
  const shown = async (query: { branch?: string } = {}) => {
    const list = await daemon.call('GET /api/memories', { query, headers })
    const search = await daemon.call('GET /memory/search', { query: { q: 'deploys', ...query }, headers })
    const byGet = await daemon.call('GET /api/memory/search', { query: { q: 'deploys', ...query }, headers })
    const counts = await daemon.call('GET /api/memories/counts', { query, headers })
    const [listed, found, recalled] = [list.body.memories, resultsOf(search.body), byGet.body.results].map(
      rows => rows.map(({ content }) => content).sort(),
    )
    t.deepEqual(found, listed)
    t.deepEqual(recalled, listed)
    t.is(list.body.matching, listed?.length ?? 0)
    t.is(counts.body.total, listed?.length ?? 0)
    return listed
  }
  return { ...daemon, headers, git, commit, remember, told, recalled, shown }
}

const resultsOf = (reply: Reply<'GET /memory/search'>) => ('results' in reply ? reply.results : [])

test('a memory has the branch and commit on which it was saved, and an export carries both', async t => {
  const { git, call, url, remember } = await start(t, 'shared')
  git('switch', '-qc', 'feature')
  const id = await remember('deploys start at noon')
  const { body } = await call('GET /api/memory/:id', { params: { id } })
  t.like(body, { branch: 'feature', commit: git('rev-parse', 'HEAD') })
  const other = await startDaemon(t)
  await importInto(other, await (await fetch(`${url}/api/export`)).text())
  const imported = await other.call('GET /api/memory/:id', { params: { id } })
  t.like(imported.body, { branch: 'feature', commit: body.commit })
})

test('shared branches hide nothing, and a branch restricts recalls and lists', async t => {
  const { git, call, remember, told, recalled } = await start(t, 'shared')
  await remember('deploys start at noon')
  git('switch', '-qc', 'feature')
  await remember('deploys start at midnight')
  git('switch', '-q', 'main')
  const all = ['deploys start at midnight', 'deploys start at noon']
  t.deepEqual(await told(), all)
  t.deepEqual(await recalled(), all)
  t.deepEqual(await recalled({ branch: 'feature' }), all.slice(0, 1))
  const { body } = await call('GET /api/memories', { query: { branch: 'feature' } })
  t.deepEqual(
    body.memories.map(({ content }) => content),
    all.slice(0, 1),
  )
})

test('isolated branches show their own memories and those of the default branch until they are merged', async t => {
  const { git, commit, remember, told, recalled, shown } = await start(t, 'isolated')
  const [noon, dusk, midnight] = ['noon', 'dusk', 'midnight'].map(time => `deploys start at ${time}`)
  await remember(noon as string)
  git('switch', '-qc', 'feature')
  await remember(dusk as string)
  commit('second')
  await remember(midnight as string)
  t.deepEqual(await told(), [dusk, midnight, noon])
  t.deepEqual(await recalled(), [dusk, midnight, noon])
  git('switch', '-q', 'main')
  t.deepEqual(await told(), [noon])
  t.deepEqual(await recalled(), [noon])
  t.deepEqual(await shown(), [noon])
  t.deepEqual(await recalled({ branch: 'feature' }), [dusk, midnight])
  t.deepEqual(await shown({ branch: 'feature' }), [dusk, midnight])
  git('merge', '-q', '--no-ff', '-m', 'merge', 'feature')
  t.deepEqual(await told(), [dusk, midnight, noon])
  t.deepEqual(await shown(), [dusk, midnight, noon])
  git('switch', '-qc', 'other')
  t.deepEqual(await recalled(), [dusk, midnight, noon])
})

test('what is hidden on an isolated branch is not forgotten there either', async t => {
  const { git, call, remember, headers } = await start(t, 'isolated')
  git('switch', '-qc', 'feature')
  const id = await remember('deploys start at midnight')
  git('switch', '-q', 'main')
  const candidates = async () => {
    const { body } = await call('POST /api/memory/forget', {
      body: { mode: 'preview', type: 'rule' },
      headers,
    })
    return body.mode === 'preview' && body.candidates.map(one => one.id)
  }
  t.deepEqual(await candidates(), [])
  git('switch', '-q', 'feature')
  t.deepEqual(await candidates(), [id])
})

test('MCP tools filter by branch, and memory_get names branch and commit', async t => {
  const { git, url, headers, remember } = await start(t, 'shared')
  await remember('deploys start at noon')
  git('switch', '-qc', 'feature')
  const id = await remember('deploys start at midnight')
  const client = await connectHttp(t, url, { headers })
  const read = await callTool(client, 'memory_get', { id })
  t.regex(read.text, new RegExp(`^branch: feature\ncommit: ${git('rev-parse', 'HEAD')}$`, 'm'))
  for (const [tool, key, query] of [
    ['memory_search', 'results', { query: 'deploys' }],
    ['memory_list', 'memories', {}],
  ] as const) {
    const { data } = await callTool(client, tool, { ...query, branch: 'feature' })
    t.deepEqual(
      data[key].map((row: { id: string }) => row.id),
      [id],
    )
  }
})
