// runs: in turn

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { noteToolUse } from '../../src/hook/tool-use.js'
import { capture } from '../helpers/captures.js'
import { startDaemon } from '../helpers/daemon.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'

const letters = (start: string, length: number) => `${start}${'Zq7Rk2'.repeat(20)}`.slice(0, length)
const privateKey = `-----BEGIN OPENSSH PRIVATE KEY-----\n${`${letters('b3Bl', 70)}\n`.repeat(120)}-----END OPENSSH PRIVATE KEY-----`

/** Texts with a secret, and a part of it that may be found nowhere. */
const planted: readonly (readonly [text: string, part: string])[] = [
  [`curl -H "x-api-key: ${letters('sk-ant-api03-', 60)}" https://api`, 'sk-ant-api03'],
  [`gh auth ${letters('ghp_', 40)}`, 'ghp_'],
  [`slack ${letters('xoxb-', 40)}`, 'xoxb-'],
  [`stripe ${letters('sk_test_', 32)}`, 'sk_test_'],
  ['aws configure set AKIAZQ7RK2ZQ7RK2ABCD', 'AKIAZQ7'],
  ['AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIbPxRfiCYEXAMPLEKEY make', 'wJalrXUtn'],
  [`curl -H "Authorization: Bearer ${letters('brr', 30)}"`, 'brrZq7'],
  ['curl -H "Authorization: Basic YXBwOnBsYW50ZWQ="', 'YXBwOnBs'],
  ['psql postgres://app:plantedinurl@db/shop', 'plantedinurl'],
  ['redis-cli -u redis://:plantedwithoutuser@db', 'plantedwithoutuser'],
  ['export TOKEN=plantedexport && npm test', 'plantedexport'],
  ["DB_PASSWORD='plantedvariable' npm test", 'plantedvariable'],
  ['vault login --password plantedargument', 'plantedargument'],
  ['{"password": "plantedinjson"}', 'plantedinjson'],
  [`echo '${privateKey}' > key`, 'b3BlZq7'],
]

/** Lists the files of a folder that have a part of a secret. */
function leaksIn(folder: string, parts: readonly string[]): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile())
    .flatMap(entry => {
      const file = join(entry.parentPath, entry.name)
      const bytes = readFileSync(file).toString('latin1')
      return parts.filter(part => bytes.includes(part)).map(part => `${part} in ${file}`)
    })
}

for (const toolUse of ['names', 'full'] as const)
  test(`no byte of the workspace has a secret of a command or an output (${toolUse})`, async t => {
    const project = temporaryFolder(t, 'shop')
    const daemon = await startDaemon(t, { settings: { capture: { toolUse } } })
    const parts = planted.map(([, part]) => part)
    const leaks = () => leaksIn(daemon.paths.root, parts)
    const hook = { harness: 'claude-code', sessionKey: 'c1', cwd: project }
    await daemon.call('POST /api/hooks/session-start', { body: hook })
    await daemon.call('POST /api/hooks/user-prompt-submit', { body: { ...hook, userMessage: 'ship it' } })
    const log: object[] = [{ type: 'user', message: { role: 'user', content: 'ship it' } }]
    let uses = 0
    const use = (tool_name: string, tool_input: { command?: unknown; file_path?: string }, text: string) => {
      const tool_use_id = `b${uses++}`
      const base = { session_id: 'c1', cwd: project, hook_event_name: 'PostToolUse', tool_use_id }
      noteToolUse({ ...base, tool_name, tool_input, tool_response: { stdout: text } }, daemon.paths.root)
      const called = { type: 'tool_use', id: tool_use_id, name: tool_name, input: tool_input }
      const ended = { type: 'tool_result', tool_use_id, content: text }
      log.push({ type: 'assistant', message: { role: 'assistant', content: [called] } })
      log.push({ type: 'user', message: { role: 'user', content: [ended] } })
    }
    for (const [text] of planted) {
      use('Bash', { command: text }, '')
      use('Bash', { command: `npm test # ${'x'.repeat(960)} ${text}` }, text)
      // Every cut of an output: behind its head, before its tail, of a long one, and of one without tests.
      use('Bash', { command: 'npm test' }, `${'x'.repeat(470)} ${text} ${'y'.repeat(1440)}`)
      use('Bash', { command: 'npm test' }, `${'x'.repeat(470)} ${text} ${'y'.repeat(90_000)} ${text}`)
      use('Bash', { command: 'npm test' }, `${'y'.repeat(90_000)} ${text} ${'x'.repeat(1470)}`)
      use(
        'Bash',
        { command: 'ls' },
        `${'x'.repeat(50)} ${text} ${'y'.repeat(3000)} ${text} ${'x'.repeat(50)}`,
      )
      use('Read', { file_path: `${project}/${text}` }, text)
    }
    use('shell', { command: ['vault', 'login', '--password', 'plantedargument'] }, '')
    const queue = readFileSync(join(daemon.paths.toolQueue, 'c1.jsonl'), 'utf8')
    t.is(queue.match(/"tool"/gu)?.length, uses)
    t.regex(queue, /gh auth \[secret\]/u)
    t.deepEqual(leaks(), [], 'while the session runs')
    const work = async () =>
      (await daemon.call('GET /api/sessions/:key/work', { params: { key: 'c1' } })).body
    const [turn] = (await work()).turns
    t.true(turn?.commands.some(({ command }) => command === 'gh auth [secret]'))
    t.deepEqual(leaks(), [], 'when the lines are merged')
    await daemon.call('POST /api/hooks/session-end', { body: { ...hook, reason: 'other' } })
    await work()
    t.deepEqual(leaks(), [], 'after the end')
    const folder = join(process.env.CLAUDE_CONFIG_DIR ?? temporaryFolder(t, 'claude'), 'projects', 'p')
    mkdirSync(folder, { recursive: true })
    const transcriptPath = join(folder, `${toolUse}.jsonl`)
    const lines = log.map(one => ({ ...one, sessionId: 'c1', cwd: project, timestamp: new Date() }))
    writeFileSync(transcriptPath, lines.map(one => `${JSON.stringify(one)}\n`).join(''))
    t.is((await capture(daemon, { ...hook, transcriptPath })).status, 'completed')
    t.true((await work()).turns[0]?.commands.some(({ command }) => command === 'gh auth [secret]'))
    t.deepEqual(leaks(), [], 'when the log is read')
  })
