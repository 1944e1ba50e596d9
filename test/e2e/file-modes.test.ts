// runs: in turn

import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { cliWorkspace, environmentOf, runCli } from '../helpers/cli.js'
import { spawnDaemon } from '../helpers/daemon-process.js'

const isWindows = process.platform === 'win32'

/** Everything below a folder that others can read, or that its owner cannot write. */
function wrongModes(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap(entry => {
    const path = join(entry.parentPath, entry.name)
    const mode = statSync(path).mode & 0o777
    return mode === (entry.isDirectory() ? 0o700 : 0o600) ? [] : [`${path} ${mode.toString(8)}`]
  })
}

const namesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ name }) => name)

/**
 * Writes every kind of file: settings, database, transcripts, MEMORY.md, spooled hooks, a snapshot, the log,
 * an export.
 */
async function writeEverything(t: ExecutionContext, umask: string): Promise<string[]> {
  const workspace = cliWorkspace(t)
  const seen: string[][] = []
  const run = async (args: string[], stdin?: string) => {
    const { code, stderr } = await runCli(t, args, {
      umask,
      ...(stdin !== undefined && { stdin }),
      env: { SERVICE_ADMIN_PASSWORD: 'open sesame' },
    })
    t.is(code, 0, `${args.join(' ')}: ${stderr}`)
    t.deepEqual(wrongModes(workspace), [], `umask ${umask}, ${args.join(' ')}`)
    seen.push(namesIn(workspace))
  }
  await run(['init'])
  await run(['config', 'set', 'auth.mode', 'hybrid'])
  await run(['remember', 'the deploy needs the VPN', '--pinned'])
  await run(['api-key', 'create', '--name', 'ci'])
  await run(
    ['hook', 'session-end', '-H', 'claude-code', '--timeout', '20000'],
    JSON.stringify({ session_id: 's', cwd: '/tmp', hook_event_name: 'SessionEnd', reason: 'other' }),
  )
  await run(['synthesis', 'trigger'])
  await run(['export', '--out', join(workspace, 'export.jsonl')])
  await run(['daemon', 'stop'])
  return seen.flat()
}

for (const umask of ['000', '022', '277'])
  test(`every file is private under any umask: ${umask}`, async t => {
    if (isWindows) return t.pass()
    const names = new Set(await writeEverything(t, umask))
    for (const name of [
      'agent.yaml',
      'daemon.json',
      'daemon.log',
      'memories.db',
      'auth-secret',
      'index.snapshot',
    ])
      t.true(names.has(name), name)
  })

test('files of an earlier release that others can read become private at a start', async t => {
  if (isWindows) return t.pass()
  const workspace = cliWorkspace(t)
  const { ready, child, exited } = spawnDaemon(t, workspace, environmentOf(t))
  await ready()
  child.kill('SIGTERM')
  await exited
  const [memory, daemon] = [join(workspace, 'memory'), join(workspace, '.daemon')]
  for (const folder of [memory, daemon]) chmodSync(folder, 0o755)
  chmodSync(join(memory, 'memories.db'), 0o644)
  mkdirSync(join(workspace, 'scripts'), { mode: 0o755 })
  chmodSync(join(workspace, 'scripts'), 0o755)
  writeFileSync(join(workspace, 'AGENTS.md'), 'mine', { mode: 0o644 })
  await spawnDaemon(t, workspace, environmentOf(t)).ready()
  t.deepEqual([...wrongModes(memory), ...wrongModes(daemon)], [])
  // Other files keep their modes.
  t.is(statSync(join(workspace, 'scripts')).mode & 0o777, 0o755)
  t.is(readFileSync(join(workspace, 'AGENTS.md'), 'utf8'), 'mine')
})
