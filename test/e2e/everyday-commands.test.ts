import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSocketServer, type Server } from 'node:net'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { execa } from 'execa'
import { version } from '../../src/lib/workspace/version.js'
import { cliWorkspace, environmentOf } from '../helpers/cli.js'
import { registrationOf, writeRegistration } from '../helpers/fake-daemon.js'

const root = join(import.meta.dirname, '..', '..')
/** A command as users run it, and the same arguments with the full CLI. */
const ways = [
  [join(root, 'bin', 'run.js')],
  [join(root, 'scripts', 'run-cached.js'), join(root, 'dist', 'cli.cjs')],
]

const row = {
  ...{ id: '0198f3c2-7c11-7000-8000-000000000001', type: 'fact', score: 0.51, tags: 'crane,harbour' },
  ...{ content: 'the harbour crane stops at noon — größer 漢字', created_at: '2026-01-01T00:00:00.000Z' },
}
const meta = { totalReturned: 1, hasSupplementary: false, noHits: false, timings: { total: 4 } }
const found = { results: [row], count: 1, query: 'harbour', method: 'hybrid', meta }
const nothing = { ...found, results: [], count: 0, meta: { ...meta, totalReturned: 0, noHits: true } }
const saved = {
  ...{ id: row.id, type: 'fact', importance: 0.8, pinned: false, tags: 'crane', content: row.content },
  ...{ deduped: false, embedded: true, hints_written: 0 },
  contentSafety: { contextEligible: true, status: 'clean', reasons: [] },
}
const fault = {
  error: 'limit is too large',
  code: 'validation_failed',
  details: [{ path: 'limit', message: 'at most 100' }],
}

interface Case {
  words: string[]
  stdin?: string
  env?: Record<string, string>
  /** The daemon's answer; a found or saved memory by default. */
  status?: number
  body?: object
}

const cases: Record<string, Case> = {
  'results for a pipe': { words: ['recall', 'harbour', 'crane'] },
  'results as JSON': { words: ['recall', 'harbour', '--json'] },
  'every kind of flag': {
    words: [
      ...[
        'recall',
        '-n',
        '3',
        '--type',
        'fact',
        '--type',
        'rule',
        '-t',
        'a,b',
        '--no-pinned',
        '--since',
        '2026-01-01',
      ],
      ...['harbour', '--min-score=0.2', '--agent', 'ann', '--explain', '--full'],
    ],
  },
  'words after two dashes': { words: ['recall', '--json', '--', '--limit', '-n'] },
  'nothing found': { words: ['recall', 'harbour', '--project', 'x'], body: nothing },
  'forced colours': { words: ['recall', 'harbour'], env: { FORCE_COLOR: '1' } },
  'disabled colours': { words: ['recall', 'harbour'], env: { NO_COLOR: '1' } },
  'a credential': { words: ['recall', 'harbour'], env: { SERVICE_API_KEY: 'key-1' } },
  'no query': { words: ['recall'] },
  'an unknown flag': { words: ['recall', 'harbour', '--limti', '3'] },
  'an unknown flag as JSON': { words: ['recall', 'harbour', '--limti', '3', '--json'] },
  'an invalid number': { words: ['recall', 'harbour', '-n', 'many'] },
  'a number out of range': { words: ['recall', 'harbour', '-n', '1000'] },
  'an invalid value': { words: ['recall', 'harbour', '--type', 'thing'] },
  'a flag that needs another': { words: ['recall', 'harbour', '--channel', 'keyword'] },
  'a flag without its value': { words: ['recall', 'harbour', '--limit'] },
  'an invalid time': { words: ['recall', 'harbour', '--since', 'noon'] },
  'an invalid request': { words: ['recall', 'harbour', '--json'], status: 400, body: fault },
  'a missing permission': { words: ['recall', 'x'], status: 403, body: { error: 'no', code: 'forbidden' } },
  'a reply that is not JSON': { words: ['recall', 'x'], status: 500, body: undefined },
  'a text to save': {
    words: ['remember', 'the crane', 'stops', '--tags', 'crane', '--pin', '--agent', 'ann'],
  },
  'a text from a pipe': { words: ['remember', '-', '--json'], stdin: 'größer\nzwei\n' },
  'an empty pipe': { words: ['remember', '-'], stdin: '  ' },
  'a missing file': { words: ['remember', '--file', 'no-such-file'] },
  'evidence that is not JSON': { words: ['remember', 'x', '--structured', '{'] },
  help: { words: ['recall', '--help'] },
  'the help command': { words: ['help', 'remember'] },
}

test('everyday commands do the same as the full CLI', async t => {
  const seen: object[] = []
  const answer: { case?: Case } = {}
  const server = createServer((request, response) =>
    reply(request, response, seen, answer.case ?? { words: [] }),
  )
  const port = await listen(t, server)
  register(t, port, version)
  for (const [name, given] of Object.entries(cases)) {
    answer.case = given
    const [short, whole] = await bothWays(t, given, seen)
    t.deepEqual(short, whole, name)
  }
})

test('everyday commands fail like the full CLI without a matching daemon', async t => {
  const env = { SERVICE_NO_AUTOSTART: '1' }
  const recall = { words: ['recall', 'harbour'], env }
  const same = async (what: string, given: Case = recall): Promise<void> => {
    const [short, whole] = await bothWays(t, given, [])
    t.deepEqual(short, whole, what)
  }
  await same('no registration')
  await same('no registration, as JSON', { words: ['recall', 'harbour', '--json'], env })
  await same('an invalid address', { ...recall, env: { SERVICE_DAEMON_URL: 'nowhere' } })
  const silent = await listen(
    t,
    createSocketServer(socket => socket.end('SSH-2.0-OpenSSH\r\n')),
  )
  register(t, silent, version)
  await same('another program')
  const dropping = await listen(
    t,
    createSocketServer(socket => socket.once('data', () => socket.resetAndDestroy())),
  )
  register(t, dropping, version)
  await same('a dropped connection', { words: ['remember', 'x'], env })
  const old = await listen(
    t,
    createServer((request, response) => reply(request, response, [], recall)),
  )
  register(t, old, '0.0.1')
  await same('a daemon of an older version')
  rmSync(join(cliWorkspace(t), '.daemon'), { recursive: true })
  writeFileSync(join(cliWorkspace(t), '.daemon'), '')
  await same('a damaged workspace')
})

/** Runs a command both ways and compares output, exit code, and requests. */
async function bothWays(t: ExecutionContext, { words, stdin, env }: Case, seen: object[]) {
  const results: object[] = []
  for (const way of ways) {
    seen.splice(0)
    const { exitCode, stdout, stderr } = await execa(process.execPath, [...way, ...words], {
      ...(stdin === undefined ? { stdin: 'ignore' } : { input: stdin }),
      env: { ...environmentOf(t), ...env },
      extendEnv: false,
      reject: false,
      timeout: 100_000,
    })
    results.push({ exitCode, stdout, stderr, seen: [...seen] })
  }
  return results as [object, object]
}

async function reply(
  request: IncomingMessage,
  response: ServerResponse,
  seen: object[],
  given: Case,
): Promise<void> {
  const { method, url, headers } = request
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
  const { port } = request.socket.address() as { port: number }
  const health = {
    status: 'healthy',
    version: '0.0.1',
    pid: process.pid,
    uptime: 1,
    port,
    workspace: '/elsewhere',
  }
  const usual = url === '/health' ? health : url === '/api/memory/remember' ? saved : found
  const isText = 'body' in given && given.body === undefined
  response.writeHead(given.status ?? 200, {
    'x-request-id': 'r-1',
    'content-type': isText ? 'text/plain' : 'application/json; charset=utf-8',
  })
  response.end(isText ? 'broken' : JSON.stringify(given.body ?? usual))
}

async function listen(t: ExecutionContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => void server.close())
  return (server.address() as { port: number }).port
}

function register(t: ExecutionContext, port: number, of: string): void {
  const registration = registrationOf({ port, version: of, workspace: cliWorkspace(t) })
  writeRegistration(cliWorkspace(t), JSON.stringify(registration))
}
