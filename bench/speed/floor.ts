import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from '../../src/store/sqlite/connection/driver.js'
import { exchange } from '../daemon/daemon-process.js'
import { dimensions } from '../daemon/workspace.js'
import { SyntheticMemories } from '../index/synthetic.js'
import { type Server, usageOf } from './build.js'

const script = fileURLToPath(import.meta.url)

/**
 * Starts the cheapest possible server for comparison: one that only answers (`echo`), or one that also writes
 * a row into SQLite FTS5 with a durable commit (`sqlite`).
 * @param rows inserted before the measurement
 */
export async function startFloor(kind: 'echo' | 'sqlite', rows: number): Promise<Server> {
  const child = fork(script, [kind, String(rows)], { execArgv: ['--import=tsx'] })
  const [port] = (await once(child, 'message')) as [number]
  const shared = new Agent({ keepAlive: true, maxSockets: 64 })
  return {
    readyMs: Number.NaN,
    readyCpuMs: Number.NaN,
    port,
    ask: (method, path, body, agent = shared) => exchange({ agent, port, method, path, body }),
    usage: () => usageOf(child.pid ?? 0),
    stop: async () => {
      shared.destroy()
      child.kill()
      await once(child, 'exit')
    },
  }
}

type Serve = (path: string, body: { content: string; query: string }) => unknown

function sqliteServer(rows: number): Serve {
  const folder = mkdtempSync(join(tmpdir(), 'memory-bench-floor-'))
  process.on('SIGTERM', () => {
    rmSync(folder, { recursive: true, force: true })
    process.exit(0)
  })
  const database = new Database(join(folder, 'floor.db'))
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.exec(`CREATE VIRTUAL TABLE texts USING fts5 (content, tokenize = 'porter unicode61')`)
  const insert = database.prepare('INSERT INTO texts (content) VALUES (?)')
  const find = database.prepare(
    'SELECT rowid AS id, content FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT 10',
  )
  const memories = new SyntheticMemories(11, dimensions)
  database.transaction(() => {
    for (let row = 0; row < rows; row++) insert.run(memories.entry(row).content)
  })()
  return (path, { content, query }) =>
    path.endsWith('remember')
      ? { id: String(insert.run(content).lastInsertRowid) }
      : { results: find.all(query.match(/\w+/gu)?.join(' OR ') ?? '') }
}

async function serve(kind: string, rows: number): Promise<void> {
  const answer: Serve = kind === 'echo' ? (_path, body) => body : sqliteServer(rows)
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answer(request.url ?? '', JSON.parse(Buffer.concat(chunks).toString()))))
  })
  // A search of a million rows blocks the loop longer than the keep-alive timeout, although the next request
  // is waiting.
  server.keepAliveTimeout = 0
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  process.send?.((server.address() as AddressInfo).port)
}

if (process.argv[1] === script) await serve(process.argv[2] ?? '', Number(process.argv[3]))
