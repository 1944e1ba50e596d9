import { readFileSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import type { Reply } from '../../../src/contract/api.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { filesWith } from '../../helpers/files-below.js'
import { type GithubFake, type GithubFakeOptions, startGithub } from '../../helpers/github-fake.js'
import { type FakeRepoFields, madeItem, minute } from '../../helpers/github-fake-repo.js'
import { pathsOf, readAgain, removeWholly, settledSource } from '../../helpers/sources.js'

const token = 'a-valid-token-of-github'
type Source = Reply<'GET /api/sources/:sourceId'>

async function started(
  t: ExecutionContext,
  repos: Readonly<Record<string, FakeRepoFields>>,
  options: GithubFakeOptions = {},
): Promise<{ github: GithubFake; daemon: TestDaemon }> {
  const github = await startGithub(t, repos, options)
  const sources = { coderepo: { apiBaseUrl: github.base } }
  return { github, daemon: await startDaemon(t, { settings: { sources } }) }
}

async function added(daemon: TestDaemon, body: object): Promise<Source> {
  const reply = await daemon.call('POST /api/sources/coderepo', { body: body as never })
  if (reply.status !== 200) throw new Error(`${reply.status}: ${reply.body.error}`)
  return settledSource(daemon, reply.body.source.id)
}

test('repositories are read with a referenced token, found, read again when they changed, and removed', async t => {
  const { github, daemon } = await started(t, {
    'octo/site': {
      isPrivate: true,
      items: [
        { number: 1, title: 'The crane squeaks', body: 'It wants whale oil.' },
        { number: 2, isPull: true },
      ],
      comments: [{ id: 3, number: 1, body: 'Not on a Sunday.' }],
      discussions: [{ number: 4, title: 'Quays' }],
      files: { 'README.md': '# Harbour\n\nShips moor here.', 'src/code.md': 'Not documentation.' },
    },
  })
  await daemon.call('POST /api/secrets/:name', { params: { name: 'GITHUB_TOKEN' }, body: { value: token } })
  const body = { repo: 'octo/site', tokenRef: 'GITHUB_TOKEN' }
  const first = await daemon.call('POST /api/sources/coderepo', { body })
  t.like(first.body, {
    created: true,
    queued: true,
    source: { kind: 'coderepo', name: 'octo/site', mode: 'read-only' },
  })
  t.regex(first.body.source.id, /^coderepo:[0-9a-f]+$/u)
  const source = await settledSource(daemon, first.body.source.id)
  t.like(source.indexJob, { status: 'complete', partial: false, scanned: 5, indexed: 5 })
  t.is(source.health.status, 'healthy')
  t.deepEqual(await pathsOf(daemon, source.id), [
    'octo/site/comments/1/3',
    'octo/site/discussions/4',
    'octo/site/docs/README.md',
    'octo/site/issues/1',
    'octo/site/pulls/2',
  ])
  github.repo('octo/site').items.push(madeItem({ number: 5, updatedAt: minute(60) }))
  const again = await daemon.call('POST /api/sources/coderepo', {
    body: { repos: ['Octo/Site'], tokenRef: 'GITHUB_TOKEN' },
  })
  t.like(again.body, { created: false, source: { id: source.id } })
  t.like((await settledSource(daemon, source.id)).stats, { artifacts: 6 })
  await removeWholly(daemon, source.id)
  t.deepEqual(filesWith(daemon.paths.root, token), [])
})

test('an invalid repository source is refused, changes nothing, and never repeats a raw token', async t => {
  const { daemon } = await started(t, {})
  const repos = ['octo/site']
  const raw = [
    'ghp_abc123',
    `github_pat_${'1'.repeat(22)}`,
    'a94a8fe5ccb19ba61c4c0873d391e987982fbbd3',
    'Bearer x',
    'v1.abc-def',
  ]
  for (const tokenRef of raw) {
    const { status, body } = await daemon.call('POST /api/sources/coderepo', { body: { repos, tokenRef } })
    t.is(status, 400, tokenRef)
    t.regex(JSON.stringify(body), /is the name of a secret, not the token/u)
    t.false(JSON.stringify(body).includes(tokenRef))
  }
  const cases: [object, RegExp][] = [
    [{}, /repos is required/u],
    [{ repos: ['octo'] }, /must be OWNER\/REPO/u],
    [{ repos: ['octo/..'] }, /must be OWNER\/REPO/u],
    [{ repos: ['https://github.com/octo/site'] }, /must be OWNER\/REPO/u],
    [{ repos, resourceTypes: ['discussions'] }, /discussions need a token/u],
    [{ repos, resourceTypes: ['wiki'] }, /resourceTypes/u],
    [{ repos, state: 'merged' }, /state/u],
    [{ repos, docPaths: ['src/code.ts'] }, /must be a Markdown file or a glob/u],
    [{ repos, docPaths: ['../x.md'] }, /inside the repository/u],
    [{ repos, maxItemsPerRepo: 0 }, /maxItemsPerRepo/u],
  ]
  for (const [body, message] of cases) {
    const reply = await daemon.call('POST /api/sources/coderepo', { body: body as never })
    t.is(reply.status, 400, JSON.stringify(body))
    t.regex(JSON.stringify(reply.body), message)
  }
  t.deepEqual((await daemon.call('GET /api/sources')).body.sources, [])
})

test('an unreadable repository fails the job, keeps the rows of the others, and health says what to do', async t => {
  const { daemon, github } = await started(t, { 'octo/site': { items: [{ number: 1 }] } })
  const source = await added(daemon, { repos: ['octo/site', 'octo/secret'], resourceTypes: ['issues'] })
  t.like(source.indexJob, { status: 'failed', partial: true })
  t.regex(source.indexJob?.statusMessage ?? '', /not read: octo\/secret\/issues/u)
  t.is(source.stats.artifacts, 1)
  t.is(source.lastIndexedAt, null)
  t.like(source.health, { status: 'unhealthy', failures: { total: 1 }, permission: { status: 'denied' } })
  t.regex(source.health.permission.issues[0]?.guidance ?? '', /a private repository needs a token/u)
  github.intercept = ({ path }, response) => {
    if (!path.includes('octo/secret')) return false
    response.end('[]')
    return true
  }
  t.like(await readAgain(daemon, source.id), {
    indexJob: { status: 'complete' },
    health: { status: 'healthy' },
  })
})

test('a missing or refused token fails the job, and health reports it', async t => {
  const { daemon, github } = await started(t, { 'octo/site': { items: [{ number: 1 }] } })
  const missing = await added(daemon, { repos: ['octo/site'], tokenRef: 'GITHUB_TOKEN' })
  t.like(missing.indexJob, { status: 'failed' })
  t.regex(
    missing.indexJob?.statusMessage ?? '',
    /secret GITHUB_TOKEN not found; store it with: memory secrets set/u,
  )
  t.deepEqual(
    missing.health.permission.issues.map(({ path }) => path),
    ['tokenRef'],
  )
  t.deepEqual(github.requests, [])
  await daemon.call('POST /api/secrets/:name', {
    params: { name: 'GITHUB_TOKEN' },
    body: { value: 'revoked-token' },
  })
  const refused = await readAgain(daemon, missing.id)
  t.regex(refused.indexJob?.statusMessage ?? '', /answered 401 \(Bad credentials\)/u)
  t.is(github.requests.length, 1)
})

test('an exhausted rate limit pauses the job, and once resumed it stores everything once', async t => {
  const { daemon, github } = await started(t, {
    'octo/site': { items: Array.from({ length: 320 }, (_, at) => ({ number: at + 1 })) },
  })
  github.budget.remaining = 2
  const { body } = await daemon.call('POST /api/sources/coderepo', {
    body: { repos: ['octo/site'], resourceTypes: ['issues'], includeComments: false },
  })
  const paused = await settledSource(daemon, body.source.id)
  t.like(paused.indexJob, {
    status: 'paused',
    pauseReason: 'rate_limited',
    resumeFrontier: 'octo/site/issues',
    partial: true,
  })
  t.is(paused.lastIndexedAt, null)
  t.true(paused.stats.artifacts > 0 && paused.stats.artifacts < 320)
  await until(async () => readFileSync(daemon.paths.telemetryEvents, 'utf8').includes('"outcome":"paused"'))
  github.budget.remaining = 5000
  await daemon.call('POST /api/sources/:sourceId/resume', { params: { sourceId: body.source.id } })
  const done = await settledSource(daemon, body.source.id)
  t.like(done.indexJob, { status: 'complete', partial: false })
  t.is(done.stats.artifacts, 320)
  t.is(done.health.checkpoints.partial, 0)
})
