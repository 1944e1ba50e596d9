import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ExecutionContext } from 'ava'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { type KillableDaemon, startKillable } from './killable-daemon.js'
import { equalExports } from './storage-move.js'
import { dumpOf } from './sync.js'
import { Chance } from './sync-model-parts.js'
import type { TestPlace } from './sync-places.js'
import { temporaryFolder } from './temporary-folder.js'

const planted = ['quokka', 'wombat', 'numbat', 'bilby', 'dunnart']
const tags = ['deploy', 'queue', 'alarm']

interface SyncReply extends Record<string, unknown> {
  state: string
  run: { problem: string | null; collected: number; sentSegments: number; readRecords: number }
}

interface Machine {
  workspace: string
  daemon: KillableDaemon
  ids: string[]
}

/**
 * Three machines save, change and purge while they are killed and the place has faults; one gets an older
 * backup back. All must end equal, and no word of them may be in the place.
 */
export async function endEqual(t: ExecutionContext, place: TestPlace, kills: number): Promise<void> {
  const seed = Number(process.env.SYNC_SEED ?? 7)
  t.log(`SYNC_SEED=${seed}`)
  const chance = new Chance(seed)
  const machines: Machine[] = []
  for (let at = 0; at < 3; at++) {
    const workspace = temporaryFolder(t, `memory-sync-${at}`)
    machines.push({ workspace, daemon: await startKillable(t, workspace), ids: [] })
  }
  const sum = { kills: 0, cuts: 0, faults: 0, restores: 0, saves: 0, changes: 0 }
  for (const machine of machines) await change(machine, chance, sum)
  await syncAll(t, machines, place)
  const last = machines.at(-1)!
  const kept = temporaryFolder(t, 'memory-sync-kept')
  disturb(place, chance, sum)
  for (let round = 0; round < kills; round++) {
    for (const machine of machines) await change(machine, chance, sum)
    if (round === 1) await keep(t, last, kept)
    if (round === kills - 2) {
      await restore(t, last, kept)
      sum.restores++
    }
    const victim = chance.oneOf(machines)
    const running = victim.daemon.post('/api/sync/run').catch(() => undefined)
    await delay(chance.below(150))
    if (place.cut(chance)) sum.cuts++
    await victim.daemon.stop('SIGKILL')
    await running
    sum.kills++
    victim.daemon = await startKillable(t, victim.workspace)
    for (const { daemon } of machines) await daemon.post('/api/sync/run')
  }
  place.mend()
  await untilQuiet(t, machines)

  const [dump, ...rest] = await Promise.all(machines.map(({ daemon }) => dumpOf(daemon)))
  for (const other of rest) {
    equalExports(t, other, dump!)
    t.deepEqual(other, dump)
  }
  const files = place.files()
  t.log(JSON.stringify({ ...sum, lines: dump!.length, files: files.size }))
  t.true(files.size > 3)
  for (const [name, bytes] of files)
    for (const word of [...planted, ...tags])
      t.false(`${name} ${bytes.toString('latin1')}`.toLowerCase().includes(word), `${name} has ${word}`)
}

/**
 * Runs exchanges until all machines belong and a whole round has nothing to tell. Joining two memories writes
 * history of its own.
 */
async function untilQuiet(t: ExecutionContext, machines: readonly Machine[]): Promise<void> {
  for (let round = 0; round < 12; round++) {
    let told = 0
    for (const { daemon } of machines) {
      const { state, run } = (await daemon.post('/api/sync/run')) as SyncReply
      t.like({ state, ...run }, { state: 'on', problem: null })
      told += run.collected + run.sentSegments + run.readRecords
    }
    if (told === 0) return
  }
  t.fail('the machines never have nothing left to tell')
}

/** Begins a sync on the first machine, and lets the others in. */
async function syncAll(t: ExecutionContext, machines: readonly Machine[], place: TestPlace): Promise<void> {
  const { address, credentials } = place
  const named = { address, ...(credentials !== undefined && { credentials: 'SYNC_CREDENTIALS' }) }
  for (const { daemon } of machines)
    if (credentials !== undefined) await daemon.post('/api/secrets/SYNC_CREDENTIALS', { value: credentials })
  const [first, ...others] = machines as [Machine, ...Machine[]]
  await first.daemon.post('/api/sync/init', { ...named, name: 'm0' })
  for (const [at, { daemon }] of others.entries()) {
    const { code } = await daemon.post('/api/sync/join', { ...named, name: `m${at + 1}` })
    t.like(await first.daemon.post('/api/sync/approve', { code }), { name: `m${at + 1}` })
  }
}

/** Gives every twentieth request of a server a fault, and lists that leave files out for a while. */
function disturb({ server }: TestPlace, chance: Chance, sum: { faults: number }): void {
  if (!server) return
  const faults = ['cut', 'lost', 'dead', { status: 503 }] as const
  server.fault = () => {
    server.hidden.clear()
    if (server.files.size > 0 && chance.below(4) === 0)
      server.hidden.add(chance.oneOf([...server.files.keys()]))
    if (chance.below(20) > 0) return undefined
    sum.faults++
    return chance.oneOf([...faults])
  }
}

async function change(
  machine: Machine,
  chance: Chance,
  sum: { saves: number; changes: number },
): Promise<void> {
  const { daemon, ids } = machine
  for (let count = 0; count < 4; count++) {
    // Few texts, so that machines save the same ones.
    const content = `The ${chance.oneOf(planted)} team counts ${chance.below(12)} herons.`
    const body = { content, tags: [chance.oneOf(tags)], importance: chance.below(10) / 10 }
    const { id } = await daemon.post('/api/memory/remember', body)
    if (typeof id === 'string') ids.push(id)
    sum.saves++
  }
  const patch = {
    id: chance.oneOf(ids),
    reason: 'test',
    tags: [chance.oneOf(tags)],
    pinned: chance.below(4) === 0,
  }
  await daemon.post('/api/memory/modify', { patches: [patch] })
  const id = chance.oneOf(ids)
  await daemon.post('/api/memory/modify', {
    patches: [{ id, reason: 'test', importance: chance.below(10) / 10 }],
  })
  await fetch(`${daemon.url}/api/memory/${chance.oneOf(ids)}?reason=test`, { method: 'DELETE' })
  const secret = { content: `Maya keeps bilby ${chance.below(4)}.`, agentId: 'maya', visibility: 'private' }
  if (chance.below(3) > 0) await daemon.post('/api/memory/remember', secret)
  else await fetch(`${daemon.url}/api/agents/maya?purge=true`, { method: 'DELETE' })
  sum.changes += 3
}

/** Copies what a backup has: the database and the secrets. */
async function keep(t: ExecutionContext, machine: Machine, kept: string): Promise<void> {
  await machine.daemon.stop('SIGTERM')
  const { database, secretsDir } = workspacePaths(machine.workspace)
  cpSync(database, join(kept, 'memories.db'))
  cpSync(secretsDir, join(kept, 'secrets'), { recursive: true })
  machine.daemon = await startKillable(t, machine.workspace)
}

async function restore(t: ExecutionContext, machine: Machine, kept: string): Promise<void> {
  await machine.daemon.stop('SIGTERM')
  const { database, secretsDir } = workspacePaths(machine.workspace)
  for (const ending of ['', '-wal', '-shm']) rmSync(database + ending, { force: true })
  cpSync(join(kept, 'memories.db'), database)
  cpSync(join(kept, 'secrets'), secretsDir, { recursive: true })
  machine.daemon = await startKillable(t, machine.workspace)
}
