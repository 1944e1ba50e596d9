import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { startDaemon, type TestDaemon, temporaryWorkspace } from '../helpers/daemon.js'
import { bareRepository, gitIn, gitOnly, put, startInRepository, textAt } from '../helpers/git.js'

/** Maximum file size on the full disk, in blocks of 512 bytes. */
const fullAt = 100
const large = 'all work and no play makes a dull crane\n'.repeat(10_000)

/** The two ways in which a full disk ends git: a write error, or a signal. */
const endings = { 'an error': "trap '' XFSZ", 'a signal': '' }

/**
 * Starts a daemon whose git meets a full disk while a switch is on: files that git writes are cut at the
 * limit.
 */
async function startWithSwitch(t: ExecutionContext, remote: string, ending: string) {
  const bin = temporaryWorkspace(t)
  const full = join(bin, 'full')
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  const script = `#!/bin/sh\nif [ -e '${full}' ]; then ulimit -f ${fullAt}; ${ending || ':'}; fi\nexec '${real}' "$@"\n`
  writeFileSync(join(bin, 'git'), script)
  chmodSync(join(bin, 'git'), 0o755)
  const environment = { ...gitOnly(bin), PATH: `${bin}${delimiter}${process.env.PATH}` }
  const daemon = await startDaemon(t, { environment })
  const { body } = await daemon.call('POST /api/git/init', { body: { remoteUrl: remote } })
  t.true(body.success, body.error ?? '')
  t.true((await daemon.call('POST /api/git/sync')).body.success)
  return {
    daemon,
    fill: () => writeFileSync(full, ''),
    empty: () => rmSync(full),
  }
}

const sync = async ({ call }: TestDaemon) => (await call('POST /api/git/sync')).body

async function refused(t: ExecutionContext, daemon: TestDaemon): Promise<void> {
  const { success, error } = await sync(daemon)
  t.false(success)
  t.regex(error ?? '', /free space/)
}

async function synced(t: ExecutionContext, daemon: TestDaemon): Promise<string> {
  const { success, output, error } = await sync(daemon)
  t.true(success, error ?? '')
  return output
}

for (const [what, ending] of Object.entries(process.platform === 'win32' ? {} : endings))
  test(`a full disk during git operations loses nothing, and the next attempt continues: ${what} (operations.md 1.6)`, async t => {
    const remote = bareRepository(t)
    const other = await startInRepository(t, remote)
    put(other, 'notes/grows.md', 'short\n')
    put(other, 'notes/a.md', 'a\n')
    await sync(other)
    const { daemon, fill, empty } = await startWithSwitch(t, remote, ending)
    t.is(textAt(daemon, 'notes/grows.md'), 'short\n')
    put(other, 'notes/a.md', 'b\n')
    put(other, 'notes/grows.md', large)
    put(other, 'notes/new.md', large)
    t.true((await sync(other)).success)
    // During a pull: no file stays truncated or missing.
    fill()
    await refused(t, daemon)
    await refused(t, daemon)
    empty()
    await synced(t, daemon)
    t.is(textAt(daemon, 'notes/grows.md'), large)
    t.is(textAt(daemon, 'notes/new.md'), large)
    t.is(textAt(daemon, 'notes/a.md'), 'b\n')
    t.true((await sync(other)).success)
    t.is(textAt(other, 'notes/grows.md'), large)
    // During a commit; its random content does not shrink when packed.
    put(daemon, 'skills/x/noise.png', randomBytes(200_000))
    fill()
    await refused(t, daemon)
    empty()
    t.regex(await synced(t, daemon), /committed skills\/x\/noise\.png/)
    t.false(existsSync(join(daemon.paths.root, '.git', 'index.lock')))
    gitIn(daemon.paths.root, 'fsck', '--strict')
    gitIn(remote, 'fsck', '--strict')
  })
