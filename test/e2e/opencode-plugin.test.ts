import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import { cliWorkspace } from '../helpers/cli.js'
import { spawnDaemon } from '../helpers/daemon-process.js'
import { harnessHome } from '../helpers/harness-home.js'

type Hook = (input: unknown, output: unknown) => Promise<void>

test('a session of OpenCode starts with what was saved, and is known to the daemon', async t => {
  const home = harnessHome(t, { '.config/opencode/opencode.json': '{}' })
  const workspace = cliWorkspace(t)
  const { url } = await spawnDaemon(t, workspace).ready()
  const env = { SERVICE_DAEMON_URL: url }
  t.is((await home.run(['remember', 'We deploy on Tuesdays only', '--pin'], { env })).code, 0)
  t.is((await home.run(['connect', 'opencode', '--yes'])).code, 0)

  const file = join(home.home, '.config/opencode/plugins/memory-service.js')
  const { MemoryService } = (await import(pathToFileURL(file).href)) as {
    MemoryService: (input: unknown) => Promise<Record<string, Hook>>
  }
  const client = { session: { messages: async () => ({ data: [] }) } }
  const hooks = await MemoryService({ client, directory: home.home, worktree: '/' })
  const system: string[] = []
  await hooks['experimental.chat.system.transform']!({ sessionID: 'ses_1' }, { system })
  t.regex(system.join('\n'), /<service-memory-context[\s\S]*We deploy on Tuesdays only/)

  const { sessions } = (await (await fetch(`${url}/api/sessions`)).json()) as { sessions: object[] }
  t.like(sessions, [{ key: 'ses_1', harness: 'opencode', runtimePath: 'plugin', project: home.home }])
})
