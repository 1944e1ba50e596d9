import { createServer } from 'node:net'
import { join } from 'node:path'
import test from 'ava'
import { pino } from 'pino'
import { createGit, GitFault, gitOptions } from '../../../../../src/daemon/platform/processes/git-program.js'
import { workspacePaths } from '../../../../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'
import { fakeProgram } from '../../../../helpers/fake-program.js'
import { gitIn, gitOnly } from '../../../../helpers/git.js'

test('a remote that connects but stays silent times out with an explanation (operations.md 1.3)', async t => {
  const root = temporaryWorkspace(t)
  gitIn(root, 'init', '--quiet')
  const silent = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => silent.once('listening', resolve))
  const connected = new Promise(resolve => silent.once('connection', resolve))
  t.teardown(() => silent.close())
  const { port } = silent.address() as { port: number }
  const life = new AbortController()
  const deps = { paths: workspacePaths(root), log: pino({ level: 'silent' }), environment: gitOnly(root) }
  const git = createGit(deps, life.signal)
  const asked = ['ls-remote', `git://127.0.0.1:${port}/a`]
  await t.throwsAsync(git.ask(asked, { timeoutMs: 500 }), {
    instanceOf: GitFault,
    message: 'git ls-remote did not finish within 0.5 s; is the remote reachable?',
  })
  await connected
  const cut = git.call(asked)
  life.abort()
  await t.throwsAsync(cut, { message: 'the daemon is stopping' })
})

test('git and its credential manager ask nobody, since a window would open from nowhere', async t => {
  const root = temporaryWorkspace(t)
  const { path, calls } = fakeProgram(t, 'git', '')
  const deps = { paths: workspacePaths(root), log: pino({ level: 'silent' }), environment: { PATH: path } }
  await createGit(deps, new AbortController().signal).run(['status'])
  const [{ args = [], env = {} } = {}] = calls()
  t.like(env, { GIT_TERMINAL_PROMPT: '0', GCM_INTERACTIVE: 'never', GCM_GUI_PROMPT: 'false' })
  t.true(args.includes('credential.interactive=false'))
})

test('on Windows git looks for hooks in our own folder, since every user may make C:\\dev\\null', t => {
  const { daemonDir } = workspacePaths(temporaryWorkspace(t))
  t.true(gitOptions({ daemonDir }, 'win32').includes(`core.hooksPath=${join(daemonDir, 'no-hooks')}`))
  t.true(gitOptions({ daemonDir }, 'linux').includes('core.hooksPath=/dev/null'))
})
