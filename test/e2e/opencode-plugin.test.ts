// runs: in turn

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import { cliWorkspace } from '../helpers/cli.js'
import { spawnDaemon, until } from '../helpers/daemon-process.js'
import { harnessHome } from '../helpers/harness-home.js'

type Hook = (input: unknown, output?: unknown) => Promise<void>

interface Message {
  info: { id: string; role: string }
  parts: { type: string; text?: string }[]
}

/** A conversation with a compaction, in the format of OpenCode 1.18.33 but with our texts. */
const conversation: Message[] = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', 'fixtures', 'transcripts', 'opencode-messages.json'), 'utf8'),
)

test('a session of OpenCode, from its start to its end, with a real daemon', async t => {
  const { home, ask, openCode } = await connected(t)
  const { hooks, happened } = await openCode(() => conversation)
  const system: string[] = []
  await hooks['experimental.chat.system.transform']!({ sessionID: 'ses_1' }, { system })
  t.regex(system.join('\n'), /<service-memory-context[\s\S]*We deploy on Tuesdays only/)
  const { sessions } = await ask<{ sessions: object[] }>('/api/sessions')
  t.like(sessions, [{ key: 'ses_1', harness: 'opencode', runtimePath: 'plugin', project: home }])

  const [question] = structuredClone(conversation)
  await hooks['chat.message']!({ sessionID: 'ses_1' }, { message: question!.info, parts: question!.parts })
  await hooks['experimental.chat.messages.transform']!({}, { messages: [question] })
  t.regex(question!.parts[1]!.text ?? '', /\d{4}/u)

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

test('a short session is captured once when OpenCode ends, and its memory returns when it continues', async t => {
  const { workspace, ask, openCode } = await connected(t)
  const transcript = async (messages: number) =>
    until(async () => {
      const found = await ask<{ content?: string; messages?: number }>('/api/sessions/ses_1/transcript')
      return found.messages === messages ? found.content : undefined
    })
  for (const [known, messages] of [
    [2, 2],
    [4, 4],
  ] as const) {
    const { hooks, happened } = await openCode(() => conversation.slice(0, known))
    const system: string[] = []
    await hooks['experimental.chat.system.transform']!({ sessionID: 'ses_1' }, { system })
    t.regex(system.join('\n'), /We deploy on Tuesdays only/)
    const { sessions } = await ask<{ sessions: object[] }>('/api/sessions')
    t.like(sessions, [{ key: 'ses_1', runtimePath: 'plugin' }])
    await happened('session.idle', { sessionID: 'ses_1' })
    await hooks.dispose!(undefined)
    t.regex(await transcript(messages), /^user: When may I deploy the shop\?\n\nassistant: On Tuesdays/)
    t.deepEqual((await ask<{ sessions: object[] }>('/api/sessions')).sessions, [])
  }
  const record = join(workspace, 'memory', 'opencode', 'transcripts', 'transcript.jsonl')
  const positions = readFileSync(record, 'utf8').trim().split('\n')
  t.deepEqual(
    positions.map(line => JSON.parse(line).position),
    [0, 1, 2, 3],
  )
})

test('a session that ended without a daemon is captured by the next one', async t => {
  const { workspace, daemon, openCode } = await connected(t, { keepsUrl: false })
  daemon.child.kill('SIGTERM')
  await daemon.exited
  const { hooks, happened } = await openCode(() => conversation)
  await happened('session.idle', { sessionID: 'ses_1' })
  await hooks.dispose!(undefined)
  const { url } = await spawnDaemon(t, workspace).ready()
  await until(async () => (await fetch(`${url}/api/sessions/ses_1/transcript`)).status === 200)
  t.pass()
})

/**
 * Starts a daemon with a memory about deployments, connects a home folder to it, and loads the installed
 * plugin.
 */
async function connected(t: ExecutionContext, { keepsUrl = true } = {}) {
  const home = harnessHome(t, { '.config/opencode/opencode.json': '{}' })
  const workspace = cliWorkspace(t)
  const daemon = spawnDaemon(t, workspace)
  const { url } = await daemon.ready()
  const ask = async <T>(path: string) => (await (await fetch(`${url}${path}`)).json()) as T
  const env = { SERVICE_DAEMON_URL: url }
  t.is((await home.run(['remember', 'We deploy on Tuesdays only', '--pin', '--no-project'], { env })).code, 0)
  t.is((await home.run(['connect', 'opencode', '--yes'])).code, 0)
  const file = join(home.home, '.config/opencode/plugins/memory-service.js')
  // Without a start command the plugin cannot start a daemon by itself.
  if (!keepsUrl)
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"command":\[[^\]]*\]/u, '"command":["-"]'))
  const { MemoryService } = (await import(pathToFileURL(file).href)) as {
    MemoryService: (input: unknown) => Promise<Record<string, Hook>>
  }
  const openCode = async (messages: () => Message[]) => {
    const client = { session: { messages: async () => ({ data: messages() }) } }
    const hooks = await MemoryService({ client, directory: home.home, worktree: '/' })
    return {
      hooks,
      happened: (type: string, properties: object) => hooks.event!({ event: { type, properties } }),
    }
  }
  return { home: home.home, workspace, daemon, ask, openCode }
}
