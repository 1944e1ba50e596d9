// runs: in turn

import { execFileSync } from 'node:child_process'
import { mkdirSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { gitIn } from '../../helpers/git.js'
import { startSession } from '../../helpers/hooks.js'
import { temporaryFolder } from '../../helpers/temporary-folder.js'

/** Windows has no device files in folders. */
const unix = process.platform === 'win32' ? test.skip : test

unix(
  'hooks from a hostile clone are answered, and so is everybody else (security.md#foreign-folders)',
  async t => {
    const home = temporaryFolder(t, 'hostile')
    const source = join(home, 'source')
    for (const name of ['terminal', 'zero']) {
      const sub = join(source, name)
      mkdirSync(join(sub, 'objects'), { recursive: true })
      writeFileSync(join(sub, 'HEAD'), 'ref: refs/heads/main\n')
      writeFileSync(join(sub, 'objects', 'kept'), '')
      for (const file of ['config', 'commondir'])
        symlinkSync(name === 'zero' ? '/dev/zero' : '/dev/ptmx', join(sub, file))
    }
    gitIn(source, 'init', '--quiet')
    gitIn(source, 'add', '.')
    gitIn(source, 'commit', '--quiet', '-m', 'all')
    const clone = join(home, 'clone')
    execFileSync('git', ['clone', '--quiet', source, clone], { stdio: 'ignore' })
    const { call } = await startDaemon(t)
    for (let turn = 0; turn < 4; turn++)
      for (const name of ['terminal', 'zero']) {
        const { status } = await call('POST /api/hooks/session-start', {
          body: { harness: 'claude-code', sessionKey: `${name}-${turn}`, cwd: join(clone, name, 'objects') },
        })
        t.is(status, 200)
      }
    t.is((await call('GET /health/ready')).status, 200)
  },
)

test('a git config of many line breaks takes no time to read (security.md#foreign-folders)', async t => {
  const folder = temporaryFolder(t, 'breaks')
  mkdirSync(join(folder, 'objects'))
  writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/main\n')
  const { call } = await startDaemon(t)
  const ask = async (sessionKey: string) => {
    const before = process.cpuUsage()
    const body = { harness: 'claude-code' as const, sessionKey, cwd: join(folder, 'objects') }
    t.is((await call('POST /api/hooks/session-start', { body })).status, 200)
    return process.cpuUsage(before).user / 1000
  }
  await ask('none')
  // Squared, this would take more than ten seconds.
  for (const text of ['\n'.repeat(60_000), `${' '.repeat(60_000)}\n`]) {
    writeFileSync(join(folder, 'config'), text)
    t.true((await ask(`with ${text.length} of ${JSON.stringify(text[0])}`)) < 3000)
  }
})

test('a start in a moved folder names the command that brings its memories (projects.md#places)', async t => {
  const home = realpathSync(temporaryFolder(t, 'moved'))
  const [former, now, other] = ['first', 'second', 'third'].map(name => join(home, name)) as [
    string,
    string,
    string,
  ]
  mkdirSync(former)
  mkdirSync(other)
  const { call } = await startDaemon(t)
  const start = async (cwd: string) => {
    return (await startSession({ call }, { sessionKey: `at-${cwd}`, cwd })).inject
  }
  const headers = { 'x-service-project': former }
  for (const content of ['the till opens at nine', 'the till closes at six'])
    t.is((await call('POST /api/memory/remember', { body: { content }, headers })).status, 200)
  t.notRegex(await start(other), /projects move/, 'nothing is gone')
  renameSync(former, now)
  const told = await start(now)
  t.true(told.includes(`2 memories of ${former}, which is gone`), told)
  t.true(told.includes(`\`memory projects move ${former} ${now}\``), told)
  const moved = await call('PATCH /api/projects', { body: { move: { from: former, to: now } } })
  t.is(moved.status, 200)
  const after = await start(`${now}/.`)
  t.notRegex(after, /projects move/)
  t.regex(after, /the till opens at nine/)
})

test('a start in a repository whose remote was renamed names the command that joins both (projects.md#places)', async t => {
  const shop = join(realpathSync(temporaryFolder(t, 'renamed')), 'shop')
  mkdirSync(shop)
  gitIn(shop, 'init', '--quiet')
  gitIn(shop, 'remote', 'add', 'origin', 'git@git.example:acme/shop.git')
  const { call } = await startDaemon(t)
  const headers = { 'x-service-project': shop }
  const body = { content: 'invoices are sent on Mondays' }
  t.is((await call('POST /api/memory/remember', { body, headers })).status, 200)
  gitIn(shop, 'remote', 'set-url', 'origin', 'git@git.example:acme-inc/shop.git')
  const start = async (sessionKey: string) => {
    return (await startSession({ call }, { sessionKey, cwd: shop })).inject
  }
  const told = await start('renamed')
  t.true(told.includes('1 memory of git.example/acme/shop, which is gone'), told)
  t.true(told.includes('`memory projects join git.example/acme/shop git.example/acme-inc/shop`'), told)
  const both = { from: 'git.example/acme/shop', into: 'git.example/acme-inc/shop' }
  t.is((await call('POST /api/projects/join', { body: both })).status, 200)
  t.regex(await start('joined'), /invoices are sent on Mondays/)
})
