import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import { cliWorkspace } from '../helpers/cli.js'
import { spawnDaemon, until } from '../helpers/daemon-process.js'
import { harnessHome } from '../helpers/harness-home.js'

type Hook = (input: unknown, output?: unknown) => Promise<void>

const said = (id: string, role: string, text: string, more: object = {}) => ({
  info: { id, sessionID: 'ses_1', role, time: { created: Date.UTC(2026, 0, 2) }, ...more },
  parts: [{ type: 'text', text }],
})
const conversation = [
  said('m1', 'user', 'When may I deploy the shop?'),
  said('m2', 'assistant', 'On Tuesdays, as always.'),
  said('m3', 'assistant', 'The shop is deployed on Tuesdays; SQLite was chosen.', { summary: true }),
]

test('a session of OpenCode, from its start to its end, with a real daemon', async t => {
  const home = harnessHome(t, { '.config/opencode/opencode.json': '{}' })
  const { url } = await spawnDaemon(t, cliWorkspace(t)).ready()
  const ask = async <T>(path: string) => (await (await fetch(`${url}${path}`)).json()) as T
  const env = { SERVICE_DAEMON_URL: url }
  t.is((await home.run(['remember', 'We deploy on Tuesdays only', '--pin'], { env })).code, 0)
  t.is((await home.run(['connect', 'opencode', '--yes'])).code, 0)

  const file = join(home.home, '.config/opencode/plugins/memory-service.js')
  const { MemoryService } = (await import(pathToFileURL(file).href)) as {
    MemoryService: (input: unknown) => Promise<Record<string, Hook>>
  }
  const client = { session: { messages: async () => ({ data: conversation }) } }
  const hooks = await MemoryService({ client, directory: home.home, worktree: '/' })
  const happened = (type: string, properties: object) => hooks.event!({ event: { type, properties } })

  const system: string[] = []
  await hooks['experimental.chat.system.transform']!({ sessionID: 'ses_1' }, { system })
  t.regex(system.join('\n'), /<service-memory-context[\s\S]*We deploy on Tuesdays only/)
  const { sessions } = await ask<{ sessions: object[] }>('/api/sessions')
  t.like(sessions, [{ key: 'ses_1', harness: 'opencode', runtimePath: 'plugin', project: home.home }])

  const [question] = structuredClone(conversation)
  await hooks['chat.message']!({ sessionID: 'ses_1' }, { message: question!.info, parts: question!.parts })
  await hooks['experimental.chat.messages.transform']!({}, { messages: [question] })
  t.regex(question!.parts[1]!.text, /\d{4}/u)

  const output = { context: [] as string[] }
  await hooks['experimental.session.compacting']!({ sessionID: 'ses_1' }, output)
  t.is(output.context.length, 1)
  await happened('session.compacted', { sessionID: 'ses_1' })
  await until(async () => {
    const { memories } = await ask<{ memories: { content: string }[] }>('/api/memories')
    return memories.some(({ content }) => content.includes('SQLite was chosen'))
  })

  await happened('session.deleted', { info: { id: 'ses_1' } })
  const transcript = await until(async () => {
    const { content } = await ask<{ content?: string }>('/api/sessions/ses_1/transcript')
    return content
  })
  t.regex(transcript, /When may I deploy the shop\?[\s\S]*On Tuesdays, as always\./)
  t.false(transcript.includes('SQLite was chosen'))
})
