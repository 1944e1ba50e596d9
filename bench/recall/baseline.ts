import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { exchange } from '../daemon/daemon-process.js'
import { dimensions } from '../daemon/workspace.js'
import { fts5Contender, oramaContender } from '../index/stock-contenders.js'
import { SyntheticMemories } from '../index/synthetic.js'

export type Baseline = 'sqlite fts5' | 'stock orama'

export interface RunningBaseline {
  /** Milliseconds of one recall over HTTP. */
  ask(query: string): Promise<number>
  query(): string
  close(): void
}

const script = fileURLToPath(import.meta.url)

/**
 * Starts a bare HTTP server around one engine in its own process: keyword search for FTS5, hybrid for Orama.
 */
export async function startBaseline(name: Baseline, rows: number): Promise<RunningBaseline> {
  const child = fork(script, [name, String(rows)], {
    execArgv: ['--import=tsx', '--max-old-space-size=6000'],
  })
  const [port] = (await once(child, 'message')) as [number]
  const agent = new Agent({ keepAlive: true })
  const memories = new SyntheticMemories(11, dimensions)
  return {
    ask: async query => (await exchange({ agent, port, method: 'POST', path: '/', body: { query } })).ms,
    query: () => memories.query(),
    close: () => {
      agent.destroy()
      child.kill()
    },
  }
}

async function serve(name: Baseline, rows: number): Promise<void> {
  const memories = new SyntheticMemories(11, dimensions)
  const engine = name === 'stock orama' ? oramaContender(dimensions) : fts5Contender()
  const vectors = Array.from({ length: 1000 }, () => memories.vector())
  for (let number = 0; number < rows; number++)
    engine.insert(memories.entry(number), vectors[number % vectors.length] as Float32Array)
  const search = engine.queries.hybrid ?? engine.queries.keyword
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { query } = JSON.parse(Buffer.concat(chunks).toString()) as { query: string }
    await search?.({ text: query, vector: vectors[0] as Float32Array, filter: {} })
    response.end('{}')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  process.send?.((server.address() as AddressInfo).port)
}

if (process.argv[1] === script) await serve(process.argv[2] as Baseline, Number(process.argv[3]))
