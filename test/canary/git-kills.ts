import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type DaemonProcess, type Scope, spawnDaemon } from '../helpers/daemon-process.js'
import { filesAt, gitIn, gitOnly } from '../helpers/git.js'

export interface GitKills {
  /** Folder for all files; the caller removes it. */
  folder: string
  rounds: number
  /** Maximum milliseconds between the start of a sync and the kill. */
  withinMs: number
}

export interface GitKillsResult {
  rounds: number
  kills: number
  /** Results of syncs that were not killed. */
  synced: number
  refused: number
  files: number
  /** Lost, duplicated or leftover data, one line each. */
  faults: string[]
}

const transcript = 'memory/shared/transcripts/transcript.jsonl'
const markers = /^(?:<{7} |={7}$|>{7} )/mu
const names = ['one', 'two'] as const

/** A workspace with the files written in it. */
class Side {
  daemon: DaemonProcess | undefined
  /** Path -> content, of files that only this side writes. */
  readonly files = new Map<string, string>()
  readonly lines: string[] = []

  constructor(
    readonly scope: Scope,
    readonly root: string,
    readonly name: string,
  ) {
    mkdirSync(root, { recursive: true })
    writeFileSync(join(root, 'agent.yaml'), 'embedding: { provider: none }\n')
  }

  async start(): Promise<string> {
    const environment = { ...gitOnly(this.root), SERVICE_NO_AUTOSTART: '1' }
    this.daemon = spawnDaemon(this.scope, this.root, environment as NodeJS.ProcessEnv)
    return (await this.daemon.ready()).url
  }

  put(path: string, content: string): void {
    const file = join(this.root, path)
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, content)
    this.files.set(path, content)
  }

  /** Adds files, changes one, deletes one, and appends a line to a file that both sides write. */
  work(round: number): void {
    this.put(`notes/${this.name}-${round}.md`, `${this.name} ${round}\n`.repeat(1 + ((round * 7919) % 4000)))
    this.put(`${this.name}.md`, `${this.files.get(`${this.name}.md`) ?? ''}round ${round}\n`)
    const old = `notes/${this.name}-${round - 5}.md`
    if (round % 3 === 0 && this.files.delete(old)) rmSync(join(this.root, old))
    const line = JSON.stringify({ side: this.name, round })
    this.lines.push(line)
    mkdirSync(join(this.root, transcript, '..'), { recursive: true })
    appendFileSync(join(this.root, transcript), `${line}\n`)
    writeFileSync(join(this.root, 'MEMORY.md'), `what ${this.name} knows after ${round}\n`)
  }

  faults(side: Side): string[] {
    const text = (path: string): string => {
      try {
        return readFileSync(join(this.root, path), 'utf8')
      } catch {
        return ''
      }
    }
    const lines = text(transcript).split('\n')
    return [
      ...[...side.files].flatMap(([path, content]) =>
        text(path) === content ? [] : [`${this.name}: ${path} differs from the text of ${side.name}`],
      ),
      ...side.lines.flatMap(line => {
        const count = lines.filter(one => one === line).length
        return count === 1 ? [] : [`${this.name}: ${line} occurs ${count} times`]
      }),
      ...[...side.files.keys(), transcript, 'MEMORY.md'].flatMap(path =>
        markers.test(text(path)) ? [`${this.name}: ${path} has conflict markers`] : [],
      ),
    ]
  }
}

/**
 * Two workspaces write and sync through one repository, round by round, while their daemons are killed at
 * random moments. At the end both must have everything that either wrote (operations.md 1.6).
 */
export async function runGitKills(
  scope: Scope,
  { folder, rounds, withinMs }: GitKills,
): Promise<GitKillsResult> {
  const remote = join(folder, 'remote.git')
  mkdirSync(remote, { recursive: true })
  gitIn(remote, 'init', '--quiet', '--bare', '--initial-branch=main')
  const sides = names.map(name => new Side(scope, join(folder, name), name))
  const result = { rounds, kills: 0, synced: 0, refused: 0 }
  const urls = await Promise.all(sides.map(side => side.start()))
  for (const url of urls) await post(url, 'init', { remoteUrl: remote })
  for (const url of urls) await post(url, 'sync')
  for (let round = 1; round <= rounds; round++)
    await Promise.all(
      sides.map(async (side, at) => {
        side.work(round)
        const isKilled = (round + at) % 2 === 0
        const asked = post(urls[at] as string, 'sync').catch(() => undefined)
        if (isKilled) {
          await delay(Math.floor(Math.random() * withinMs))
          side.daemon?.child.kill('SIGKILL')
          await side.daemon?.exited
          result.kills++
          await asked
          urls[at] = await side.start()
        } else if ((await asked)?.success) result.synced++
        else result.refused++
      }),
    )
  const faults: string[] = []
  for (const at of [0, 1, 0, 1]) {
    const { success, error } = await post(urls[at] as string, 'sync')
    if (!success) faults.push(`${names[at]} does not sync at the end: ${error}`)
  }
  for (const mine of sides) for (const other of sides) faults.push(...mine.faults(other))
  return { ...result, files: filesAt(remote).length, faults }
}

async function post(
  url: string,
  action: string,
  body: object = {},
): Promise<{ success: boolean; error: string | null }> {
  const response = await fetch(`${url}/api/git/${action}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return (await response.json()) as { success: boolean; error: string | null }
}
