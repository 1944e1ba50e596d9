// runs: alone, since the event loop waits here while git runs

import { existsSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { startDaemon, temporaryWorkspace } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { sendJson, startHttpFake } from '../../helpers/embedding-fakes.js'
import {
  bareRepository,
  filesAt,
  gitIn,
  put,
  startInRepository,
  startWithGit,
  textAt,
} from '../../helpers/git.js'

const markers = /^(?:<{7}|={7}|>{7})/mu

test('a workspace without a repository says how to create one, and nothing is changed (operations.md 1.3)', async t => {
  const daemon = await startWithGit(t)
  const { body } = await daemon.call('GET /api/git/status')
  t.like(body, { enabled: false, branch: null, ahead: null, behind: null, dirty: false, lastCommit: null })
  t.regex(body.problem ?? '', /memory git init/)
  const { status, body: sync } = await daemon.call('POST /api/git/sync')
  t.is(status, 200)
  t.like(sync, { success: false, output: '' })
  t.regex(sync.error ?? '', /memory git init/)
  t.false(existsSync(join(daemon.paths.root, '.git')))
  t.like((await daemon.call('GET /api/git/status')).body.lastRun, { success: false })
  t.true((await daemon.call('POST /api/git/init', { body: {} })).body.success)
  t.is((await daemon.call('GET /api/git/status')).body.lastRun, null)
})

test('a dry run of init lists the files to commit and changes nothing (operations.md 1.1)', async t => {
  const daemon = await startWithGit(t)
  put(daemon, 'MEMORY.md', 'what I know\n')
  put(daemon, 'skills/deploy/SKILL.md', '---\nname: deploy\n---\n')
  const { body } = await daemon.call('POST /api/git/init', { body: { dryRun: true } })
  t.like(body, { success: true, dryRun: true, created: true })
  t.deepEqual(body.files, ['.gitignore', 'MEMORY.md', 'agent.yaml', 'skills/deploy/SKILL.md'])
  t.false(existsSync(join(daemon.paths.root, '.git')))
})

test('only settings, texts, skills and transcripts are ever committed (operations.md 1.1)', async t => {
  const daemon = await startWithGit(t)
  const yes = [
    'AGENTS.md',
    'memory/default/transcripts/transcript.jsonl',
    'notes/a b.md',
    'skills/x/data.json',
  ]
  const no = [
    '.secrets/a.md',
    '.daemon/b.md',
    'skills/x/.env',
    'skills/x/run.sh',
    'skills/x/node_modules/y/README.md',
    'memory/other.db',
    'plugins/p/manifest.json',
    'notes/key.txt',
  ]
  for (const path of [...yes, ...no]) put(daemon, path, `${path}\n`)
  put(daemon, 'notes/large.md', Buffer.alloc(5 * 1024 * 1024 + 1, 'a'))
  symlinkSync('/etc/passwd', join(daemon.paths.root, 'notes', 'link.md'))
  const { body } = await daemon.call('POST /api/git/init', { body: {} })
  t.true(body.success, body.error ?? '')
  t.deepEqual(filesAt(daemon.paths.root), ['.gitignore', ...yes, 'agent.yaml'].sort())
  t.deepEqual(
    body.leftOut.map(({ path }) => path),
    ['notes/large.md', 'notes/link.md', 'skills/x/run.sh'],
  )
  // Staged files are excluded from our commits too.
  gitIn(daemon.paths.root, 'add', '--force', '.secrets/a.md')
  put(daemon, 'AGENTS.md', 'changed\n')
  const { body: sync } = await daemon.call('POST /api/git/sync')
  t.regex(sync.output, /committed AGENTS.md/)
  t.false(filesAt(daemon.paths.root).includes('.secrets/a.md'))
})

test('status shows the branch and the number of uncommitted, unpushed and unpulled changes, without credentials (operations.md 1.3)', async t => {
  const remote = bareRepository(t)
  const daemon = await startInRepository(t, remote)
  await daemon.call('POST /api/git/sync')
  put(daemon, 'a.md', 'a\n')
  const { body } = await daemon.call('GET /api/git/status')
  t.like(body, { enabled: true, branch: 'main', ahead: 0, behind: 0, dirty: true, problem: null })
  t.deepEqual(body.uncommitted, ['a.md'])
  t.is(body.lastCommit?.id, gitIn(daemon.paths.root, 'rev-parse', 'HEAD'))
  t.like(body.lastRun, { action: 'sync', success: true, error: null })
  gitIn(daemon.paths.root, 'remote', 'set-url', 'origin', 'https://me:geheim@example.org/x.git')
  const again = (await daemon.call('GET /api/git/status')).body
  t.is(again.remoteUrl, 'https://example.org/x.git')
  t.false(JSON.stringify(again).includes('geheim'))
})

test('two workspaces sync through one remote, and each receives the other’s changes (operations.md 1.5)', async t => {
  const remote = bareRepository(t)
  const [one, two] = [await startInRepository(t, remote), await startInRepository(t, remote)]
  rmSync(two.paths.settings)
  writeFileSync(two.paths.settings, readFileSync(one.paths.settings))
  for (const [daemon, path] of [
    [one, 'one.md'],
    [two, 'two.md'],
    [one, 'three.md'],
  ] as const) {
    put(daemon, path, `${path}\n`)
    const { body } = await daemon.call('POST /api/git/sync')
    t.true(body.success, body.error ?? '')
  }
  await two.call('POST /api/git/pull')
  for (const daemon of [one, two])
    for (const path of ['one.md', 'two.md', 'three.md']) t.is(textAt(daemon, path), `${path}\n`)
  t.deepEqual(filesAt(remote), filesAt(one.paths.root))
})

test('conflicting changes are listed, and both versions are kept (operations.md 1.5)', async t => {
  const remote = bareRepository(t)
  const [one, two] = [await startInRepository(t, remote), await startInRepository(t, remote)]
  for (const daemon of [one, two]) await daemon.call('POST /api/git/sync')
  put(one, 'plan.md', 'mine\n')
  put(two, 'plan.md', 'yours\n')
  t.true((await one.call('POST /api/git/sync')).body.success)
  const { body } = await two.call('POST /api/git/sync')
  t.false(body.success)
  t.regex(body.error ?? '', /plan\.md/)
  t.is(textAt(two, 'plan.md'), 'yours\n')
  t.is(gitIn(remote, 'show', 'main:plan.md'), 'mine')
  t.is((await two.call('GET /api/git/status')).body.problem, null)
  t.false(markers.test(textAt(two, 'plan.md')))
})

test('transcripts keep the lines of both sides, and MEMORY.md keeps this machine’s version (operations.md 1.5)', async t => {
  const remote = bareRepository(t)
  const [one, two] = [await startInRepository(t, remote), await startInRepository(t, remote)]
  const path = 'memory/ann/transcripts/transcript.jsonl'
  put(one, path, '{"n":1}\n')
  await one.call('POST /api/git/sync')
  await two.call('POST /api/git/sync')
  for (const [daemon, n] of [
    [one, 2],
    [two, 3],
  ] as const) {
    put(daemon, path, `{"n":1}\n{"n":${n}}\n`)
    put(daemon, 'MEMORY.md', `of ${n}\n`)
    const { body } = await daemon.call('POST /api/git/sync')
    t.true(body.success, body.error ?? '')
  }
  t.deepEqual(textAt(two, path).trim().split('\n').sort(), ['{"n":1}', '{"n":2}', '{"n":3}'])
  t.is(textAt(two, 'MEMORY.md'), 'of 3\n')
})

test('a pull never overwrites uncommitted changes (operations.md 1.5)', async t => {
  const remote = bareRepository(t)
  const [one, two] = [await startInRepository(t, remote), await startInRepository(t, remote)]
  for (const daemon of [one, two]) await daemon.call('POST /api/git/sync')
  put(one, 'plan.md', 'mine\n')
  await one.call('POST /api/git/sync')
  put(two, 'plan.md', 'not committed\n')
  const { body } = await two.call('POST /api/git/pull')
  t.false(body.success)
  t.regex(body.error ?? '', /plan\.md/)
  t.is(textAt(two, 'plan.md'), 'not committed\n')
})

for (const [what, prepare, pattern] of [
  [
    'a detached HEAD',
    (root: string) => gitIn(root, 'checkout', '--quiet', '--detach'),
    /detached.*git switch main/,
  ],
  ['another branch', (root: string) => gitIn(root, 'switch', '--quiet', '-c', 'b'), /is on b.*--branch b/],
  [
    'a merge in progress',
    (root: string) => writeFileSync(join(root, '.git', 'MERGE_HEAD'), ''),
    /a merge is in progress/,
  ],
  ['no remote', () => undefined, /remote origin not found/],
  [
    'a missing remote folder',
    (root: string) => gitIn(root, 'remote', 'add', 'origin', join(root, 'nowhere')),
    /nowhere/,
  ],
] as const)
  test(`${what} is reported, and nothing is changed (operations.md 1.3)`, async t => {
    const daemon = await startInRepository(t)
    prepare(daemon.paths.root)
    const before = gitIn(daemon.paths.root, 'rev-parse', 'HEAD')
    const { status, body } = await daemon.call('POST /api/git/pull')
    t.is(status, 200)
    t.false(body.success)
    t.regex(body.error ?? '', pattern)
    t.is(gitIn(daemon.paths.root, 'rev-parse', 'HEAD'), before)
  })

test('hooks of the repository are not run (operations.md 1.4)', async t => {
  const daemon = await startInRepository(t)
  const hook = join(daemon.paths.root, '.git', 'hooks', 'pre-commit')
  const trace = join(daemon.paths.root, 'ran')
  writeFileSync(hook, `#!/bin/sh\ntouch '${trace}'\nexit 1\n`, { mode: 0o755 })
  put(daemon, 'a.md', 'a\n')
  const { body } = await daemon.call('POST /api/git/sync')
  t.regex(body.output, /committed a\.md/)
  t.false(existsSync(trace))
})

test('config is written to agent.yaml with its comments kept, and applies at once (operations.md 1.2)', async t => {
  const daemon = await startInRepository(t)
  writeFileSync(daemon.paths.settings, '# mine\nembedding:\n  provider: none # quiet\n')
  const { body } = await daemon.call('POST /api/git/config', { body: { autoCommit: true, syncInterval: 60 } })
  const config = {
    enabled: true,
    autoCommit: true,
    autoSync: false,
    syncInterval: 60,
    remote: 'origin',
    branch: 'main',
  }
  t.deepEqual(body, { success: true, config })
  t.deepEqual((await daemon.call('GET /api/git/config')).body, config)
  t.regex(readFileSync(daemon.paths.settings, 'utf8'), /# mine[\s\S]*# quiet[\s\S]*autoCommit: true/)
  // The timer restarted, so the change is committed without a request.
  await until(() => gitIn(daemon.paths.root, 'log', '-1', '--format=%s') === 'Update agent.yaml')
  t.false((await daemon.call('GET /api/git/status')).body.dirty)
})

test('with autoSync a timer pulls and pushes, and applies changed settings at once (operations.md 1.2)', async t => {
  const remote = bareRepository(t)
  const [daemon, other] = [await startInRepository(t, remote), await startInRepository(t, remote)]
  await other.call('POST /api/git/sync')
  put(daemon, 'notes/here.md', 'here\n')
  await daemon.call('POST /api/git/config', { body: { autoSync: true } })
  await until(() => filesAt(remote).includes('notes/here.md'))
  put(other, 'notes/there.md', 'there\n')
  t.true((await other.call('POST /api/git/sync')).body.success)
  t.is(textAt(other, 'notes/here.md'), 'here\n')
  // The next sync is due in five minutes, but the changed interval triggers it.
  await daemon.call('POST /api/git/config', { body: { syncInterval: 600 } })
  await until(() => existsSync(join(daemon.paths.root, 'notes', 'there.md')))
  t.like((await daemon.call('GET /api/git/status')).body.lastRun, { action: 'sync' })
})

for (const [field, value] of [
  ['remote', '--upload-pack=touch x'],
  ['branch', '-f'],
  ['branch', 'a..b'],
  ['syncInterval', 59],
] as const)
  test(`${field} ${value} is refused (operations.md 1.2)`, async t => {
    const daemon = await startWithGit(t)
    const before = readFileSync(daemon.paths.settings, 'utf8')
    const { status, body } = await daemon.call('POST /api/git/config', { body: { [field]: value } })
    t.is(status, 400)
    t.is(body.code, 'validation_failed')
    t.is(readFileSync(daemon.paths.settings, 'utf8'), before)
  })

test('file names that look like options are treated as files (operations.md 1.4)', async t => {
  const remote = bareRepository(t)
  const [one, two] = [await startInRepository(t, remote), await startInRepository(t, remote)]
  await one.call('POST /api/git/sync')
  await two.call('POST /api/git/sync')
  const paths = ['--force.md', '-rf.md', 'notes/--exec=touch x.md', ':(top)a.md', '*.md']
  for (const path of paths) put(one, path, `${path}\n`)
  put(one, 'stays.md', 'stays\n')
  for (const daemon of [one, two]) {
    const { body } = await daemon.call('POST /api/git/sync')
    t.true(body.success, body.error ?? '')
  }
  for (const path of paths) t.is(textAt(two, path), `${path}\n`)
  rmSync(join(one.paths.root, '*.md'))
  for (const daemon of [one, two]) await daemon.call('POST /api/git/sync')
  t.false(existsSync(join(two.paths.root, '*.md')))
  t.is(textAt(two, 'stays.md'), 'stays\n', 'a file name is not a pattern')
})

test('a remote that asks for a password is reported, and no prompt appears (operations.md 1.4)', async t => {
  const { url, requests } = await startHttpFake(t, (_request, response) =>
    sendJson(response, 401, {}, { 'www-authenticate': 'Basic realm="git"' }),
  )
  const daemon = await startInRepository(t, `${url}/me.git`)
  for (const name of ['pull', 'push', 'sync'] as const) {
    const { status, body } = await daemon.call(`POST /api/git/${name}`)
    t.is(status, 200)
    t.false(body.success)
    t.regex(
      body.error ?? '',
      /terminal prompts disabled; the remote needs a password.*credential helper/u,
      name,
    )
  }
  t.true(requests.length > 0)
})

test('an address that runs a command is refused, and a remote with another address is kept (operations.md 1.4)', async t => {
  const daemon = await startInRepository(t, bareRepository(t))
  for (const remoteUrl of ['ext::sh', 'nonsense'])
    t.is((await daemon.call('POST /api/git/init', { body: { remoteUrl } })).status, 400, remoteUrl)
  const { body } = await daemon.call('POST /api/git/init', { body: { remoteUrl: bareRepository(t) } })
  t.like(body, { success: false, created: false })
  t.true(body.error?.endsWith(`git -C ${daemon.paths.root} remote set-url origin ADDRESS`))
})

test('a lock left by a killed daemon is removed, another program’s lock stays (operations.md 1.6)', async t => {
  const daemon = await startInRepository(t)
  const lock = join(daemon.paths.root, '.git', 'index.lock')
  const note = join(daemon.paths.daemonDir, 'git', 'under-way.json')
  put(daemon, 'a.md', 'a\n')
  writeFileSync(lock, '')
  const { body } = await daemon.call('POST /api/git/sync')
  t.regex(body.error ?? '', /index\.lock/)
  t.true(existsSync(lock))
  const old = new Date(Date.now() - 60_000)
  utimesSync(lock, old, old)
  writeFileSync(note, JSON.stringify({ startedAt: new Date().toISOString() }))
  await daemon.call('POST /api/git/sync')
  t.true(existsSync(lock))
  writeFileSync(note, JSON.stringify({ startedAt: old.toISOString() }))
  t.regex((await daemon.call('POST /api/git/sync')).body.output, /committed a\.md/)
  t.false(existsSync(lock))
})

test('files that a kill left half-written are restored (operations.md 1.6)', async t => {
  const daemon = await startInRepository(t)
  const { root, daemonDir } = daemon.paths
  const from = gitIn(root, 'rev-parse', 'HEAD')
  put(daemon, 'cut.md', 'a long text\n')
  put(daemon, 'gone.md', 'gone\n')
  put(daemon, 'own.md', 'theirs\n')
  gitIn(root, 'add', '*.md')
  gitIn(root, 'commit', '--quiet', '-m', 'theirs')
  const to = gitIn(root, 'rev-parse', 'HEAD')
  gitIn(root, 'update-ref', 'refs/heads/main', from)
  put(daemon, 'cut.md', 'a long')
  rmSync(join(root, 'gone.md'))
  put(daemon, 'own.md', 'written meanwhile\n')
  const note = { startedAt: new Date().toISOString(), move: { from, to } }
  writeFileSync(join(daemonDir, 'git', 'under-way.json'), JSON.stringify(note))
  await daemon.call('POST /api/git/sync')
  t.is(textAt(daemon, 'cut.md'), 'a long text\n')
  t.is(textAt(daemon, 'gone.md'), 'gone\n')
  t.is(textAt(daemon, 'own.md'), 'written meanwhile\n')
})

test('deleted files are committed as deleted, whatever was staged for them (operations.md 1.6)', async t => {
  const daemon = await startInRepository(t)
  const { root } = daemon.paths
  for (const path of ['kept.md', 'removed.md', 'gone.md']) put(daemon, path, `${path}\n`)
  await daemon.call('POST /api/git/sync')
  gitIn(root, 'rm', '--quiet', 'removed.md')
  rmSync(join(root, 'gone.md'))
  put(daemon, 'never.md', 'never committed\n')
  gitIn(root, 'add', 'never.md')
  rmSync(join(root, 'never.md'))
  put(daemon, 'kept.md', 'changed\n')
  const { body } = await daemon.call('POST /api/git/sync')
  t.regex(body.output, /committed 3 files/, body.error ?? '')
  t.is(gitIn(root, 'status', '--porcelain'), '')
  t.deepEqual(
    filesAt(root).filter(path => /^(?:kept|removed|gone|never)\.md$/u.test(path)),
    ['kept.md'],
  )
  gitIn(root, 'rm', '--quiet', '--cached', 'kept.md')
  put(daemon, 'alone.md', 'alone\n')
  gitIn(root, 'add', 'alone.md')
  rmSync(join(root, 'alone.md'))
  await daemon.call('POST /api/git/sync')
  t.is(textAt(daemon, 'kept.md'), 'changed\n')
  t.is(gitIn(root, 'status', '--porcelain'), '')
})

test('without git on its PATH the daemon says so (operations.md 1.3)', async t => {
  const daemon = await startDaemon(t, { environment: { PATH: temporaryWorkspace(t) } })
  const { body } = await daemon.call('POST /api/git/init', { body: {} })
  t.false(body.success)
  t.regex(body.error ?? '', /git is not on the PATH/)
  t.is((await daemon.call('GET /api/git/status')).status, 200)
  t.true(statSync(daemon.paths.root).isDirectory())
})
