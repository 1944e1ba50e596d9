import { createServer } from 'node:net'
import test from 'ava'
import { pino } from 'pino'
import { createGit, GitFault } from '../../../../../src/daemon/platform/processes/git-program.js'
import { workspacePaths } from '../../../../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'
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
