import { execFileSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { gitTransport } from '../../../../../src/daemon/operations/sync/transports/git.js'
import type { Transport } from '../../../../../src/daemon/operations/sync/transports/transport.js'
import { workspacePaths } from '../../../../../src/lib/workspace/paths.js'
import { temporaryFolder } from '../../../../helpers/temporary-folder.js'
import { testTransport } from '../../../../helpers/transport-suite.js'

function bareRepository(t: ExecutionContext): string {
  const folder = temporaryFolder(t, 'memory-sync-bare')
  execFileSync('git', ['init', '--quiet', '--bare', folder])
  return folder
}

interface Machine {
  transport: Transport
  clones: string
}

async function machine(
  t: ExecutionContext,
  remote: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<Machine> {
  const home = temporaryFolder(t, 'memory-sync-home')
  const paths = workspacePaths(join(home, 'workspace'))
  const log = { warn: () => undefined, error: () => undefined, info: () => undefined, debug: () => undefined }
  const transport = await gitTransport(
    { remote },
    {
      ...{ place: `git+${remote}`, advice: 'log in', signal: new AbortController().signal },
      credentials: async () => undefined,
      deps: { paths, log: log as never, environment: { PATH: process.env.PATH, HOME: home, ...environment } },
    },
  )
  return { transport, clones: paths.syncClones }
}

const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['--git-dir', folder, ...args], { encoding: 'utf8' }).trim()

testTransport(
  'git',
  async t => {
    const folder = bareRepository(t)
    const remote = `file://${folder}`
    const one = (await machine(t, remote)).transport
    const hook = join(folder, 'hooks', 'pre-receive')
    return {
      one,
      two: (await machine(t, remote)).transport,
      cutPut: async (name, bytes) => {
        writeFileSync(hook, '#!/bin/sh\nexit 1\n')
        chmodSync(hook, 0o755)
        await t.throwsAsync(one.put(name, bytes), { name: 'TransportFault' })
        rmSync(hook)
      },
    }
  },
  { files: 96 },
)

const file = (at: number): string => `0123456789abcdef0123456789abcdef/dev1/000000000${at}-aa.seg`

test('many files are one commit, and a removed one leaves no history behind', async t => {
  const folder = bareRepository(t)
  const { transport } = await machine(t, `file://${folder}`)
  await transport.list()
  await Promise.all([1, 2, 3, 4, 5].map(at => transport.put(file(at), Buffer.from(`text ${at}`))))
  t.true(Number(git(folder, 'rev-list', '--count', 'memory-sync')) <= 2)
  await transport.remove(file(3))
  t.is(git(folder, 'rev-list', '--count', 'memory-sync'), '1')
  t.notRegex(git(folder, 'rev-list', '--objects', 'memory-sync'), /0000000003-aa/u)
  t.regex(
    git(folder, 'log', '-1', '--format=%an %ae %s', 'memory-sync'),
    /^memory-sync memory-sync@localhost memory sync 1$/u,
  )
})

test('a server that keeps its history gets the removal on top', async t => {
  const folder = bareRepository(t)
  git(folder, 'config', 'receive.denyNonFastForwards', 'true')
  const { transport } = await machine(t, `file://${folder}`)
  for (const at of [1, 2]) await transport.put(file(at), Buffer.from('x'))
  await transport.remove(file(1))
  t.deepEqual(await transport.list(), [{ name: file(2), bytes: 1 }])
  t.is(git(folder, 'rev-list', '--count', 'memory-sync'), '3')
})

test('a branch that somebody rolled back, rewrote or deleted is named once', async t => {
  const folder = bareRepository(t)
  const [one, two] = [await machine(t, `file://${folder}`), await machine(t, `file://${folder}`)]
  for (const at of [1, 2]) await one.transport.put(file(at), Buffer.from('x'))
  await two.transport.list()
  git(folder, 'update-ref', 'refs/heads/memory-sync', 'memory-sync~1')
  t.is((await two.transport.list()).length, 1)
  t.regex(two.transport.oddities!().join(), /rewritten or rolled back by somebody else/u)
  await two.transport.list()
  t.deepEqual(two.transport.oddities!(), [])

  await two.transport.remove(file(1))
  await one.transport.list()
  one.transport.oddities!()
  await two.transport.put(file(4), Buffer.from('x'))
  await two.transport.remove(file(4))
  await one.transport.list()
  t.deepEqual(one.transport.oddities!(), [], 'another machine began a new history')

  git(folder, 'update-ref', '-d', 'refs/heads/memory-sync')
  t.deepEqual(await two.transport.list(), [])
  t.regex(two.transport.oddities!().join(), /is gone/u)
})

test('hooks and settings of the person are not used, but those that lead to the remote', async t => {
  const folder = bareRepository(t)
  const { transport, clones } = await machine(t, `file://${folder}`)
  const home = join(clones, '..', '..', '..')
  const trap = join(home, 'trap')
  writeFileSync(
    join(home, '.gitconfig'),
    `[core]\n\thooksPath = ${home}\n\tfsmonitor = "touch ${trap}"\n[url "file:///nowhere/"]\n\tinsteadOf = "file:///"\n[user]\n\tname = Planted Name\n\temail = planted@example.com\n`,
  )
  writeFileSync(join(home, 'pre-push'), `#!/bin/sh\ntouch ${trap}\nexit 1\n`)
  chmodSync(join(home, 'pre-push'), 0o755)
  await transport.put(file(1), Buffer.from('x'))
  t.is((await transport.list()).length, 1)
  t.false(readdirSync(home).includes('trap'))
  t.notRegex(git(folder, 'log', '--format=%an%ae%cn%ce%B', 'memory-sync'), /planted/iu)
})

test('a copy that a kill damaged is fetched again', async t => {
  const folder = bareRepository(t)
  const { transport, clones } = await machine(t, `file://${folder}`)
  await transport.put(file(1), Buffer.from('first'))
  const [clone] = readdirSync(clones)
  rmSync(join(clones, clone!, 'objects'), { recursive: true })
  await transport.put(file(2), Buffer.from('second'))
  t.is((await transport.list()).length, 2)
  t.is(String(await transport.get(file(1))), 'first')
})

test('faults say what to do: no git, no repository, no access', async t => {
  const folder = bareRepository(t)
  const without = await machine(t, `file://${folder}`, { PATH: temporaryFolder(t, 'memory-empty') })
  await t.throwsAsync(without.transport.list(), {
    message: /git is not on the PATH of the daemon; install it/u,
  })
  const nowhere = await machine(t, `file://${folder}-gone`)
  const fault = await t.throwsAsync(nowhere.transport.list(), { name: 'TransportFault' })
  t.like(fault, { kind: 'absent' })
  const hook = join(folder, 'hooks', 'pre-receive')
  writeFileSync(hook, '#!/bin/sh\necho "quota exceeded" >&2\nexit 1\n')
  chmodSync(hook, 0o755)
  const full = await machine(t, `file://${folder}`)
  t.like(await t.throwsAsync(full.transport.put(file(1), Buffer.from('x'))), { kind: 'full' })
  t.truthy(readFileSync(hook))
})
