import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { readRegistration } from '../../src/lib/workspace/registration.js'
import { measuredEnvironment } from '../environment.js'

const entry = join(import.meta.dirname, '..', '..', 'bin', 'daemon.js')
const probe = new URL('./load-probe.js', import.meta.url).href

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: a benchmark looks into replies of any route
  body: any
  ms: number
}

/** A daemon's total processor time, and its event loop delay since the previous message. */
export interface Load {
  /** Processor time of all threads. */
  cpuMs: number
  loopP99Ms: number
  loopMaxMs: number
  /** Processor time of the longest turn of the event loop; 0 where the system does not report it. */
  turnMaxMs: number
}

export interface MeasuredDaemon {
  url: string
  /** From spawn until requests are served. */
  readyMs: number
  ask(method: string, path: string, body?: unknown): Promise<Answer>
  /** Resident memory in MB; undefined where the system does not report it. */
  rssMb(): number | undefined
  load(): Promise<Load>
  stop(): Promise<void>
}

/**
 * Starts the built daemon as users run it, in the given workspace and on a free port.
 * @param environment variables of a probe
 */
export async function startMeasuredDaemon(
  workspace: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<MeasuredDaemon> {
  const started = performance.now()
  const child = spawn(process.execPath, ['--import', probe, entry, '--foreground'], {
    env: measuredEnvironment({
      SERVICE_WORKSPACE: workspace,
      SERVICE_PORT: '0',
      SERVICE_EMBEDDING_DOWNLOAD: '0',
      ...environment,
    }),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const port = await listening(child, workspace)
  const ask: MeasuredDaemon['ask'] = (method, path, body) => exchange({ agent, port, method, path, body })
  while ((await ask('GET', '/health/ready')).status !== 200) await delay(2)
  return {
    url: `http://127.0.0.1:${port}`,
    readyMs: performance.now() - started,
    ask,
    rssMb: () => rssMb(child.pid ?? 0),
    load: async () => {
      const answer = once(child, 'message')
      child.send('load')
      return (await answer)[0]
    },
    stop: async () => {
      agent.destroy()
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

async function listening(child: ChildProcess, workspace: string): Promise<number> {
  const { registration } = workspacePaths(workspace)
  for (let waitedMs = 0; waitedMs < 60_000; waitedMs += 2) {
    if (child.exitCode !== null)
      throw new Error(`The daemon exited with ${child.exitCode}. Run npm run build first.`)
    const known = readRegistration(registration)
    if (known?.pid === child.pid) return known?.port ?? 0
    await delay(2)
  }
  throw new Error('The daemon did not start within a minute')
}

interface Exchange {
  agent: Agent
  port: number
  method: string
  path: string
  body: unknown
}

export function exchange({ agent, port, method, path, body }: Exchange): Promise<Answer> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const headers = text
    ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
    : {}
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, method, path, agent, headers }, response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const ms = performance.now() - started
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()), ms })
      })
    })
    request.on('error', reject)
    request.end(text)
  })
}

function rssMb(pid: number): number | undefined {
  try {
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]).toString()) / 1024
  } catch {
    return undefined
  }
}
