import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DaemonProcess, type Scope, spawnDaemon, until } from '../helpers/daemon-process.js'
import { CanarySearch, type Finding } from './search.js'
import { type Canary, makeCanaries } from './values.js'

export interface CanaryOptions {
  /** An empty folder. */
  workspace: string
  secrets: number
  jobs: number
}

export interface CanaryResult {
  findings: Finding[]
  canaries: Canary[]
  /** Number of commands by how they ended. */
  ended: Record<string, number>
  /** Replies and outputs as received. */
  texts: string[]
  replies: number
  /** Number of searched texts, and their bytes. */
  places: number
  bytes: number
  /**
   * Command processes that were running when the daemon was killed, and those that the next start did not
   * stop.
   */
  orphans: { before: number; after: number }
}

const printer = join(import.meta.dirname, 'print.js')
const print = (way: string): string => `'${process.execPath}' '${printer}' ${way}`

/** Command lines that use the secret in V; their own shell expands `$V`. */
const lines: readonly string[] = [
  ...['plain', 'base64', 'base64url', 'wrapped', 'hex', 'url', 'json', 'dribble', 'error', 'flood'].map(
    print,
  ),
  `printf '%s' "$V"; printf '%s' "$V" >&2; exit 7`,
  // The shell prints the names that it could not find.
  `"$V"; cd "$V"; cat "$V"; . "$V"`,
  `set -x; : "$V"; env; export`,
  `(printf '%s\\n' "$V"; sleep 600) & printf '%s' "$V"`,
  `printf '%s' "$V" | base64; printf '%s' "$V" | od -An -tx1; kill -9 $$`,
]
/** One in this many commands runs into its time limit. */
const everyHang = 12
const atOnce = 8

/**
 * Stores many random values in a real daemon and runs commands that print them in many encodings. It kills
 * and restarts the daemon during the run, and searches for the values wherever the daemon could have left
 * them (secrets.md 4). Uses the built `dist`.
 */
export async function runCanaries(scope: Scope, options: CanaryOptions): Promise<CanaryResult> {
  const { workspace, secrets } = options
  writeFileSync(join(workspace, 'agent.yaml'), 'embedding: { provider: none }\n')
  const canaries = makeCanaries(secrets)
  const run = new Run(scope, workspace, canaries)
  await run.start()
  await run.store()
  await run.runAll(options.jobs)
  const mark = await run.leaveRunning()
  const before = processesWith(mark).length
  run.lookAtProcesses()
  await run.kill()
  await run.start()
  const after = await until(() => processesWith(mark).length === 0 || undefined, 20_000).then(
    () => 0,
    () => processesWith(mark).length,
  )
  await run.ask('GET', '/api/secrets')
  await run.ask('GET', '/api/plugins/audit?limit=500')
  await run.runAll(Math.min(atOnce, options.jobs))
  run.lookAtProcesses()
  run.search.lookBelow(workspace)
  await run.stop()
  run.search.lookBelow(workspace)
  run.lookAtTexts()
  const { search, ended, replies } = run
  const texts = run.texts.map(({ text }) => text)
  const { findings, places, bytes } = search
  return { findings, canaries, ended, replies, texts, places, bytes, orphans: { before, after } }
}

class Run {
  readonly search: CanarySearch
  readonly ended: Record<string, number> = {}
  readonly texts: { place: string; text: string }[] = []
  replies = 0
  #daemon: DaemonProcess | undefined
  #url = ''

  constructor(
    readonly scope: Scope,
    readonly workspace: string,
    readonly canaries: readonly Canary[],
  ) {
    this.search = new CanarySearch(canaries)
  }

  async start(): Promise<void> {
    this.#daemon = spawnDaemon(this.scope, this.workspace, { SERVICE_LOG_LEVEL: 'trace' })
    this.#url = (await this.#daemon.ready()).url
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const daemon = this.#daemon as DaemonProcess
    daemon.child.kill(signal)
    await daemon.exited
    this.#keep('the log of the daemon', daemon.stderr())
  }

  stop(): Promise<void> {
    return this.kill('SIGTERM')
  }

  async ask(method: string, path: string, body?: unknown) {
    const response = await fetch(this.#url + path, {
      method,
      headers: {
        // The daemon may close a kept-alive connection just when it is reused.
        connection: 'close',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    this.replies++
    this.#keep(`${method} ${path}`, JSON.stringify([...response.headers]))
    this.#keep(`${method} ${path}`, text)
    return { status: response.status, text }
  }

  /** Stores the values, half of them twice, and passes some of them in the wrong place. */
  async store(): Promise<void> {
    for (const [at, { name, value }] of this.canaries.entries()) {
      const times = at % 2 === 0 ? [value] : ['another value before', value]
      for (const given of times) {
        const { status, text } = await this.ask('POST', `/api/secrets/${name}`, { value: given })
        if (status >= 300) throw new Error(`${name} was not stored: ${status} ${text}`)
      }
      if (at % 10 !== 0) continue
      // The suffix makes the name invalid: a hexadecimal value alone would be a valid name, and names are not
      // secret.
      const wrong = `${value}!`
      await this.ask('POST', `/api/secrets/${encodeURIComponent(wrong)}`, { value })
      await this.ask('POST', '/api/secrets/exec', { command: 'true', secrets: { V: wrong } })
      await this.ask('POST', '/api/secrets/exec', { command: 'true', secrets: { [wrong]: name } })
      await this.ask('POST', '/api/secrets/constructor', { value: [value] })
    }
    await this.ask('POST', '/api/secrets/store/rotate', { keys: 'both' })
  }

  /** Limits concurrency, so that the daemon's queue never refuses a command. */
  async runAll(jobs: number): Promise<void> {
    let nextJob = 0
    const work = async (): Promise<void> => {
      for (let job = nextJob++; job < jobs; job = nextJob++) await this.#runOne(job)
    }
    await Promise.all(Array.from({ length: atOnce }, work))
  }

  async #runOne(job: number): Promise<void> {
    const { name } = this.canaries[job % this.canaries.length] as Canary
    const hangs = job % everyHang === everyHang - 1
    const command = hangs ? print('hang') : (lines[job % lines.length] as string)
    const attached = job % 3 === 1
    const id = await this.#admit({
      command,
      secrets: { V: name },
      attached,
      ...(hangs && { timeoutMs: 1000 }),
    })
    if (job % 3 !== 2) await this.ask('GET', `/api/secrets/exec/${id}/output`)
    if (job % 25 === 0) this.lookAtProcesses()
    const text = await this.#endOf(id, command)
    const { status, result } = JSON.parse(text)
    const end = result?.timedOut ? 'timed out' : result?.code === 0 ? status : `${status}, with a code`
    this.ended[end] = (this.ended[end] ?? 0) + 1
  }

  async #admit(body: object): Promise<string> {
    const { status, text } = await this.ask('POST', '/api/secrets/exec', body)
    if (status !== 202) throw new Error(`a command was answered with ${status} ${text}`)
    return JSON.parse(text).id
  }

  /** @throws Error with the last state when a command has not ended within the time limit. */
  async #endOf(id: string, command: string): Promise<string> {
    const last = { text: '' }
    const ended = until(async () => {
      last.text = (await this.ask('GET', `/api/secrets/exec/${id}`)).text
      return /"status":"(?:completed|failed)"/u.test(last.text) || undefined
    })
    await ended.catch(() => {
      throw new Error(`${command} has not ended: ${last.text.slice(0, 500)}`)
    })
    return last.text
  }

  /**
   * Starts commands that keep running, each with a child process. @returns a text in the environment of all
   * of them
   */
  async leaveRunning(): Promise<string> {
    const mark = `left-running-${Math.random()}`
    await this.ask('POST', '/api/secrets/MARK', { value: mark })
    for (let at = 0; at < atOnce; at++) {
      const { name } = this.canaries[at % this.canaries.length] as Canary
      const command = `sleep 600 & ${print('hang')}`
      await this.#admit({ command, secrets: { V: name, MARK: 'MARK' } })
    }
    // The shell, the sleep and the printer of each command.
    await until(() => processesWith(mark).length >= atOnce * 3 || undefined)
    return mark
  }

  /** Searches the environment of the daemon, and the arguments of every process on this machine. */
  lookAtProcesses(): void {
    const own = this.#daemon?.child.pid
    this.search.look('/proc/DAEMON/environ', fileOf(`/proc/${own}/environ`))
    for (const pid of processes()) this.search.look(`/proc/${pid}/cmdline`, fileOf(`/proc/${pid}/cmdline`))
  }

  /** Texts are searched at the end: the daemon would treat a busy client as a slow reader. */
  #keep(place: string, text: string): void {
    this.texts.push({ place, text })
  }

  lookAtTexts(): void {
    for (const { place, text } of this.texts) this.search.lookAtReply(place, text)
  }
}

const processes = (): string[] => readdirSync('/proc').filter(name => /^\d+$/u.test(name))

/** Processes with a text in their environment. */
function processesWith(mark: string): string[] {
  return processes().filter(pid => fileOf(`/proc/${pid}/environ`).includes(mark))
}

/** Empty for a process that has ended or belongs to another user. */
function fileOf(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch {
    return Buffer.alloc(0)
  }
}
