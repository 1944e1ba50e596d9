// runs: in turn

import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { OutputLine } from '../../../src/contract/secrets/exec.js'
import { ended, nodeLine } from '../../helpers/commands.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'

const value = 'correct-horse-battery-staple'

async function begin(t: ExecutionContext, command: (started: string) => string, attached = true) {
  const daemon = await startDaemon(t)
  await daemon.daemon.secrets.set('API_KEY', value)
  const started = join(daemon.paths.root, 'started')
  const { body } = await daemon.call('POST /api/secrets/exec', {
    body: { command: command(started), secrets: { K: 'API_KEY' }, attached },
  })
  return { daemon, started, jobId: body.id }
}

/** Uses its own connection, which closes with its reader. */
async function follow({ url }: TestDaemon, jobId: string) {
  const request = get(`${url}/api/secrets/exec/${jobId}/output`, { agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return { response, lines: linesOf(response), leave: () => void request.destroy() }
}

async function* linesOf(response: IncomingMessage): AsyncGenerator<OutputLine> {
  let text = ''
  for await (const chunk of response) {
    text += chunk
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) yield JSON.parse(line) as OutputLine
  }
}

async function readAll(lines: AsyncIterable<OutputLine>) {
  const read = { stdout: '', stderr: '', states: [] as string[], last: {} as OutputLine }
  for await (const line of lines) {
    read.last = line
    if ('command' in line) read.states.push(line.command.status)
    else if ('data' in line) read[line.stream] += Buffer.from(line.data, 'base64').toString()
  }
  return read
}

test('the output of a running command can be read, redacted (secret-commands.md 4)', async t => {
  const { daemon, jobId } = await begin(t, () => 'echo $K; echo two >&2; exit 4')
  const { response, lines } = await follow(daemon, jobId)
  t.is(response.headers['content-type'], 'application/x-ndjson')
  const { last, ...read } = await readAll(lines)
  t.deepEqual(read, { stdout: '[REDACTED]\n', stderr: 'two\n', states: ['queued', 'completed'] })
  t.like(last, { command: { result: { code: 4, timedOut: false } } })
  t.false(JSON.stringify(last).includes('stdout":"'))
})

test('an attached command starts with its reader and loses no output (secret-commands.md 4)', async t => {
  const { daemon, jobId } = await begin(t, () => nodeLine("process.stdout.write('a'.repeat(5000000))"))
  const { stdout } = await readAll((await follow(daemon, jobId)).lines)
  t.is(stdout.length, 5_000_000)
})

test('an attached command ends when its reader disconnects (secret-commands.md 4)', async t => {
  const { daemon, started, jobId } = await begin(t, file => `: > '${file}'; sleep 600`)
  const { response, leave } = await follow(daemon, jobId)
  response.on('error', () => undefined)
  await until(() => existsSync(started))
  leave()
  t.like(await ended(daemon, jobId), { status: 'failed', error: 'the reader of its output disconnected' })
})

test('a late reader gets the earlier output (secret-commands.md 4)', async t => {
  const { daemon, jobId } = await begin(t, () => 'echo one', false)
  await ended(daemon, jobId)
  const { stdout, states } = await readAll((await follow(daemon, jobId)).lines)
  t.is(stdout, 'one\n')
  t.deepEqual(states, ['completed'])
})

test('stopping the daemon ends an output stream (secret-commands.md 4)', async t => {
  const { daemon, started, jobId } = await begin(t, file => `: > '${file}'; sleep 600`)
  const { lines } = await follow(daemon, jobId)
  await until(() => existsSync(started))
  const reading = readAll(lines)
  await daemon.stop()
  t.like((await reading).last, { command: { status: 'failed', error: 'the daemon was stopped' } })
})
