import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ExecutionContext } from 'ava'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { type Registration, readRegistration } from '../../src/lib/workspace/registration.js'

const entry = join(import.meta.dirname, '..', '..', 'bin', 'daemon.js')

/** A test, or a script with an equivalent teardown, at whose end resources are released. */
export type Scope = Pick<ExecutionContext, 'teardown'>

export interface DaemonProcess {
  child: ChildProcess
  /** Everything written to stderr so far. */
  stderr(): string
  /** Waits until it serves requests. */
  ready(): Promise<{ url: string; registration: Registration }>
  /** Resolves with its exit code (null when a signal ended it), when stderr is read to its end. */
  exited: Promise<number | null>
}

/** Starts the built daemon, or that of another package, as a process; it is killed with the test. */
export function spawnDaemon(
  t: Scope,
  workspace: string,
  environment: NodeJS.ProcessEnv = {},
  program = entry,
): DaemonProcess {
  const child = spawn(process.execPath, [program, '--foreground'], {
    env: {
      ...process.env,
      SERVICE_WORKSPACE: workspace,
      SERVICE_PORT: '0',
      SERVICE_EMBEDDING_DOWNLOAD: '0',
      SERVICE_EMBEDDING_PROVIDER: 'static',
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const text: string[] = []
  child.stderr?.on('data', (chunk: Buffer) => text.push(chunk.toString()))
  // Not `exit`: a process can be gone before its last words are read.
  const exited = once(child, 'close').then(([code]) => code as number | null)
  t.teardown(async () => {
    child.kill('SIGKILL')
    await exited
  })
  return { child, exited, stderr: () => text.join(''), ready: () => ready(child, workspace) }
}

/**
 * Polls until `probe` returns a value. The timeout only guards against waiting forever: workers retry every
 * minute, and the machine may be busy.
 * @throws Error after `timeoutMs`.
 */
export async function until<T>(
  probe: () => Promise<T | undefined> | T | undefined,
  timeoutMs = 300_000,
): Promise<T> {
  const end = Date.now() + timeoutMs
  while (Date.now() < end) {
    const value = await probe()
    if (value !== undefined && value !== false) return value
    await delay(20)
  }
  throw new Error(`no value within ${timeoutMs} ms`)
}

function ready(child: ChildProcess, workspace: string): Promise<{ url: string; registration: Registration }> {
  const { registration: file } = workspacePaths(workspace)
  return until(async () => {
    const ended = child.exitCode ?? child.signalCode
    if (ended !== null) throw new Error(`the daemon ended with ${ended}`)
    const registration = readRegistration(file)
    if (registration?.pid !== child.pid || !registration) return undefined
    const url = `http://127.0.0.1:${registration.port}`
    const answer = await fetch(`${url}/health/ready`).catch(() => undefined)
    return answer?.ok ? { url, registration } : undefined
  })
}
