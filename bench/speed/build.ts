import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { readRegistration } from '../../src/lib/workspace/registration.js'
import { type Answer, exchange } from '../daemon/daemon-process.js'
import { measuredEnvironment } from '../environment.js'

/** A build to compare: this one, or one in another folder. */
export interface Build {
  name: string
  /** Folder of the package. */
  root: string
}

/** A measured server, run as users run it without any probe. */
export interface Server {
  /** From spawn until requests are served, and the processor time until then. */
  readyMs: number
  readyCpuMs: number
  port: number
  /** @param agent one shared agent by default */
  ask(method: string, path: string, body?: unknown, agent?: Agent): Promise<Answer>
  usage(): Usage
  stop(): Promise<void>
}

export interface Usage {
  /** Processor time of all threads, to 10 ms. */
  cpuMs: number
  /** KiB written to the disk, as the system counts them. */
  writtenKb: number
  rssMb: number
}

/** Resources a process has used so far; NaN where the system does not report them. */
export function usageOf(pid: number): Usage {
  try {
    const read = (name: string): string => readFileSync(`/proc/${pid}/${name}`, 'utf8')
    const fields = read('stat')
      .replace(/^.*\) /su, '')
      .split(' ')
    return {
      cpuMs: (Number(fields[11]) + Number(fields[12])) * 10,
      writtenKb: Number(/^write_bytes: (\d+)/mu.exec(read('io'))?.[1]) / 1024,
      rssMb: Number(/^VmRSS:\s+(\d+)/mu.exec(read('status'))?.[1]) / 1024,
    }
  } catch {
    return { cpuMs: Number.NaN, writtenKb: Number.NaN, rssMb: Number.NaN }
  }
}

/** Starts the daemon of a build in a workspace, on a free port, with the client's own flags and variables. */
export async function startBuild({ root }: Build, workspace: string): Promise<Server> {
  const started = performance.now()
  // Older builds have the entry in dist.
  const entry = [join(root, 'bin', 'daemon.js'), join(root, 'dist', 'daemon.js')].find(existsSync) ?? root
  const child = spawn(process.execPath, [...ownWords(root, 'node-flags.json', []), entry, '--foreground'], {
    env: measuredEnvironment({
      ...ownWords(root, 'daemon-environment.json', {}),
      SERVICE_WORKSPACE: workspace,
      SERVICE_PORT: '0',
      SERVICE_EMBEDDING_DOWNLOAD: '0',
    }),
    stdio: 'ignore',
  })
  const pid = child.pid ?? 0
  const { registration } = workspacePaths(workspace)
  const registered = () => {
    const known = readRegistration(registration)
    return known?.pid === pid ? known.port : undefined
  }
  while (registered() === undefined) {
    if (child.exitCode !== null) throw new Error(`the daemon of ${root} ended with ${child.exitCode}`)
    await delay(2)
  }
  const port = registered() ?? 0
  const shared = new Agent({ keepAlive: true, maxSockets: 64 })
  const ask: Server['ask'] = (method, path, body, agent = shared) =>
    exchange({ agent, port, method, path, body })
  while ((await ask('GET', '/health/ready')).status !== 200) await delay(2)
  return {
    readyMs: performance.now() - started,
    readyCpuMs: usageOf(pid).cpuMs,
    port,
    ask,
    usage: () => usageOf(pid),
    stop: async () => {
      shared.destroy()
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}

/**
 * Reads the Node flags or variables that a build's client uses: older builds have flags, newer ones
 * variables.
 */
function ownWords<T>(root: string, name: string, none: T): T {
  const file = join(root, 'bin', name)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : none
}

/** Waits until every stored row is in the index and the server has finished its deferred start-up work. */
export async function settled({ ask, usage }: Server): Promise<void> {
  while ((await ask('GET', '/api/status')).body.index.state !== 'ready') await delay(50)
  for (let before = usage().cpuMs; ; ) {
    await delay(2000)
    const now = usage().cpuMs
    if (!(now - before > 200)) return
    before = now
  }
}
