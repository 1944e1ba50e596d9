import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { SecretStore } from '../../src/store/secrets/secret-store.js'
import { type DaemonProcess, type Scope, spawnDaemon } from '../helpers/daemon-process.js'
import { type BitwardenVault, type FakeManager, fakeBitwarden } from '../helpers/password-managers.js'

export type Work = 'set' | 'rotate' | 'migrate'

export interface KillsOptions {
  /** An empty folder. */
  workspace: string
  /** The work in progress when the daemon is killed, round by round. */
  works: readonly Work[]
}

export interface KillsResult {
  rounds: number
  /** Acknowledged changes before the kills: stored values, rotations and migrations. */
  acknowledged: number
  /** Migrations that a kill interrupted with some secrets moved and others not. */
  halfMoved: number
  /** Descriptions of the faults; a lost value is named by its secret. */
  faults: string[]
}

const session = 'the-session'
const secretsOfRound = 8
/** Maximum milliseconds until the kill; a migration calls Bitwarden three times for each secret. */
const within: Record<Work, number> = { set: 250, rotate: 400, migrate: 2500 }

/**
 * Kills the built daemon at random moments while it stores, rotates or moves secrets to Bitwarden. Checks
 * that the store opens and that each acknowledged value is in one of the two places (secrets.md 7,
 * password-managers.md 2.3).
 */
export async function runKills(scope: Scope, { workspace, works }: KillsOptions): Promise<KillsResult> {
  const bitwarden = fakeBitwarden(scope, { session })
  const kills = new Kills(scope, workspace, bitwarden)
  for (const work of works) await kills.round(work)
  const { acknowledged, halfMoved, faults } = kills
  return { rounds: works.length, acknowledged, halfMoved, faults }
}

class Kills {
  acknowledged = 0
  halfMoved = 0
  readonly faults: string[] = []
  /** The last acknowledged value, and a later requested one. */
  readonly #known = new Map<string, { said?: string; asked?: string }>()
  #rounds = 0
  #url = ''

  constructor(
    readonly scope: Scope,
    readonly workspace: string,
    readonly bitwarden: FakeManager<BitwardenVault>,
  ) {}

  async round(work: Work): Promise<void> {
    this.#rounds++
    const daemon = await this.#start()
    if (this.#rounds === 1) await this.#ask('POST', '/api/secrets/vaulta/connect', { session })
    for (let n = 0; n < secretsOfRound; n++) await this.#set(n)
    const over = { yet: false }
    const working = this.#work(work, over).catch(() => undefined)
    await sleep(Math.random() * within[work])
    daemon.child.kill('SIGKILL')
    over.yet = true
    await Promise.all([daemon.exited, working])
    await this.#check(`round ${this.#rounds}, killed during ${work}`)
    await this.#goOn()
  }

  /** The killed daemon's work can be repeated, and then everything is in its place. */
  async #goOn(): Promise<void> {
    const daemon = await this.#start()
    const listed = await this.#ask('GET', '/api/secrets')
    if (listed.status !== 200) this.#fault(`the restarted daemon answered ${JSON.stringify(listed.body)}`)
    const { status, body } = await this.#migrate()
    if (status !== 200 || body.failed !== 0) this.#fault(`a further migration fails: ${JSON.stringify(body)}`)
    daemon.child.kill('SIGTERM')
    await daemon.exited
    await this.#check(`round ${this.#rounds}, migrated again`)
    const names = this.bitwarden.vault().items.map(({ name }) => name)
    if (new Set(names).size !== names.length) this.#fault('Bitwarden has two items of one name')
  }

  async #work(work: Work, over: { yet: boolean }): Promise<void> {
    if (work === 'migrate') {
      if ((await this.#migrate()).status === 200) this.acknowledged++
      return
    }
    const setting = [0, 1, 2].map(async worker => {
      for (let n = worker; !over.yet; n += 3) await this.#set(n % secretsOfRound)
    })
    const rotating = async (): Promise<void> => {
      while (!over.yet) {
        const { status } = await this.#ask('POST', '/api/secrets/store/rotate', {})
        if (status === 200) this.acknowledged++
      }
    }
    await Promise.all([...setting, ...(work === 'rotate' ? [rotating()] : [])])
  }

  #migrate() {
    const body = { dryRun: false, overwrite: true, deleteLocal: true }
    return this.#ask('POST', '/api/secrets/vaulta/migrate', body)
  }

  async #set(number: number): Promise<void> {
    const name = `KEY_${number}`
    const value = randomBytes(12).toString('base64')
    const known = this.#known.get(name) ?? {}
    this.#known.set(name, { ...known, asked: value })
    const { status, body } = await this.#ask('POST', `/api/secrets/${name}`, { value })
    if (status >= 300) throw new Error(`${name} was answered with ${status} ${JSON.stringify(body)}`)
    this.#known.set(name, { said: value })
    this.acknowledged++
  }

  /** Each value must be in the store, or in Bitwarden and not in the store. */
  async #check(when: string): Promise<void> {
    const local = await this.#local()
    const items = this.bitwarden.vault().items
    let moved = 0
    for (const [name, { said, asked }] of this.#known) {
      const here = local.get(name)
      const there = items.find(item => item.name === name)?.login?.password
      if (here === undefined) moved++
      const found = here ?? there ?? undefined
      if (said === undefined && found === undefined) continue
      if (found !== said && found !== asked) this.#fault(`${when}: the value of ${name} is lost`)
      // A requested but unacknowledged value is settled by now.
      else this.#known.set(name, { said: found })
    }
    if (moved > 0 && moved < this.#known.size) this.halfMoved++
  }

  /** Reads the store as a file while no daemon uses it. */
  async #local(): Promise<Map<string, string>> {
    const folder = workspacePaths(this.workspace).secretsDir
    const store = new SecretStore({ folder, clock: () => new Date(), log: { warn: () => undefined } })
    try {
      const values = new Map<string, string>()
      for (const name of await store.names()) values.set(name, (await store.get(name)) ?? '')
      return values
    } catch (error) {
      this.#fault(`the store does not open: ${error}`)
      return new Map()
    }
  }

  async #start(): Promise<DaemonProcess> {
    const daemon = spawnDaemon(this.scope, this.workspace, { PATH: this.bitwarden.path })
    this.#url = (await daemon.ready()).url
    return daemon
  }

  async #ask(method: string, path: string, body?: object) {
    const response = await fetch(this.#url + path, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    const reply = (await response.json()) as { failed?: number }
    return { status: response.status, body: reply }
  }

  #fault(words: string): void {
    this.faults.push(words)
  }
}
