import { execFile } from 'node:child_process'
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ConnectionError } from './errors.js'
import type { Place } from './http.js'

interface Registration {
  host: string
  port: number
  instance: string
  closing?: boolean
}

/** A busy machine needs seconds, a wrong program answers at once or never. */
const proofMs = 10_000

/**
 * Finds the daemon of a workspace by the file in which it registers, and starts it if none runs
 * (`memory daemon start`, unless SERVICE_NO_AUTOSTART is 1). SERVICE_DAEMON_URL names another one.
 * @param workspace folder; SERVICE_WORKSPACE or `~/.memory-service` if absent.
 * @throws ConnectionError `not_running` with the next step.
 */
export async function findDaemon(workspace?: string): Promise<Place> {
  const { SERVICE_DAEMON_URL: url, SERVICE_NO_AUTOSTART: noStart, SERVICE_API_KEY: key } = process.env
  const own: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {}
  if (url) return { url, headers: own }
  const root = workspace || process.env.SERVICE_WORKSPACE || join(homedir(), '.memory-service')
  const found =
    (await registered(root)) ??
    (noStart === '1' ? undefined : await started(root).then(() => registered(root)))
  if (found) return { url: found.url, headers: { ...own, 'x-service-instance': found.instance } }
  throw new ConnectionError(`no daemon runs for ${root}; start it with: memory daemon start`, {
    code: 'not_running',
  })
}

async function registered(root: string): Promise<{ url: string; instance: string } | undefined> {
  const text = await readFile(join(root, '.daemon', 'daemon.json'), 'utf8').catch(() => '')
  const registration = parse(text)
  if (!registration?.instance || registration.closing) return undefined
  const { host, port, instance } = registration
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host
  const url = `http://${reachable}:${port}`
  return (await isProven(url, registration)) ? { url, instance } : undefined
}

/** The port may belong to another program by now; only the daemon can answer this question. */
async function isProven(url: string, { instance, port }: Registration): Promise<boolean> {
  const challenge = randomBytes(16).toString('hex')
  const expected = createHmac('sha256', instance).update(`${challenge} ${port}`).digest()
  const headers = { 'x-service-challenge': challenge }
  const signal = AbortSignal.timeout(proofMs)
  const response = await fetch(`${url}/health`, { headers, signal }).catch(() => undefined)
  await response?.body?.cancel()
  const answer = Buffer.from(response?.headers.get('x-service-proof') ?? '', 'hex')
  return answer.length === expected.length && timingSafeEqual(answer, expected)
}

/** The command is a fixed text, so that Windows may run `memory.cmd` by its shell. */
async function started(root: string): Promise<void> {
  const env = { ...process.env, SERVICE_WORKSPACE: root }
  const shell = process.platform === 'win32'
  await promisify(execFile)('memory', ['daemon', 'start'], { env, shell, windowsHide: true }).catch(
    () => undefined,
  )
}

function parse(text: string): Registration | undefined {
  try {
    return JSON.parse(text) as Registration
  } catch {
    return undefined
  }
}
