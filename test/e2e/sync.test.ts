import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { type KillableDaemon, startKillable } from '../helpers/killable-daemon.js'
import { killsOr } from '../helpers/kills.js'
import { dumpOf, filesIn, syncFolder } from '../helpers/sync.js'
import { Chance } from '../helpers/sync-model-parts.js'
import { startProxy } from '../helpers/tcp-proxy.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'

const planted = ['quokka', 'wombat', 'numbat', 'bilby', 'dunnart']
const tags = ['deploy', 'queue', 'alarm']

interface Machine {
  workspace: string
  daemon: KillableDaemon
  ids: string[]
}

/** A place of each kind, with the faults that it can have. */
interface FaultyPlace {
  address: string
  /** Cuts a file, or a transfer. */
  cut(chance: Chance): boolean
  mend(): void
  /** All that is stored there. */
  contents(): string[]
}

const places: Record<'folder' | 'git' | 'relay', (t: ExecutionContext) => Promise<FaultyPlace>> = {
  folder: async t => inFolder(syncFolder(t)),
  git: async t => {
    const folder = temporaryFolder(t, 'memory-sync-bare')
    const git = (args: string[]) =>
      execFileSync('git', ['--git-dir', folder, ...args], { encoding: 'latin1', maxBuffer: 2 ** 28 })
    git(['init', '--quiet', '--bare'])
    return {
      address: `git+file://${folder}`,
      // A kill of the repository's machine in the middle of a push.
      cut: chance => {
        const lock = join(folder, 'refs', 'heads', 'memory-sync.lock')
        if (chance.below(2) === 0 || existsSync(lock) || !existsSync(join(folder, 'refs', 'heads')))
          return false
        writeFileSync(lock, '')
        setTimeout(() => rmSync(lock, { force: true }), 500)
        return true
      },
      mend: () => rmSync(join(folder, 'refs', 'heads', 'memory-sync.lock'), { force: true }),
      contents: () =>
        git(['cat-file', '--batch-all-objects', '--batch-check=%(objectname)'])
          .split('\n')
          .filter(Boolean)
          .map(id => git(['cat-file', git(['cat-file', '-t', id]).trim(), id])),
    }
  },
  relay: async t => {
    const workspace = temporaryFolder(t, 'memory-sync-relay')
    writeFileSync(workspacePaths(workspace).settings, 'sync:\n  relay: true\n')
    const proxy = await startProxy(t, (await startKillable(t, workspace)).url)
    const stored = inFolder(workspacePaths(workspace).syncRelay)
    return {
      ...stored,
      address: `memory-relay:${new URL(proxy.url).origin}`,
      cut: chance => {
        proxy.drop()
        return stored.cut(chance)
      },
    }
  },
}

function inFolder(folder: string): FaultyPlace {
  return {
    address: folder,
    cut: chance => cutOne(folder, chance),
    mend: () => mend(folder),
    contents: () => filesIn(folder, '').map(file => readFileSync(file, 'latin1')),
  }
}

for (const kind of ['folder', 'git', 'relay'] as const)
  test(`${kind}: three machines end equal after kills, cut files, lost files and a restored backup`, async t => {
    const place = await places[kind](t)
    const { address } = place
    const chance = new Chance(Number(process.env.SYNC_SEED ?? 7))
    const machines: Machine[] = []
    for (let at = 0; at < 3; at++) {
      const workspace = temporaryFolder(t, `memory-sync-${at}`)
      machines.push({ workspace, daemon: await startKillable(t, workspace), ids: [] })
    }
    const sum = { kills: 0, cuts: 0, restores: 0, saves: 0, changes: 0 }
    const [first, ...others] = machines as [Machine, Machine, Machine]
    for (const machine of machines) await change(machine, chance, sum)
    await first.daemon.post('/api/sync/init', { address, name: 'm0' })
    for (const [at, { daemon }] of others.entries()) {
      const { code } = await daemon.post('/api/sync/join', { address, name: `m${at + 1}` })
      t.like(await first.daemon.post('/api/sync/approve', { code }), { name: `m${at + 1}` })
    }
    const last = others[1]
    const kept = temporaryFolder(t, 'memory-sync-kept')
    const kills = killsOr(6)
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
    for (let round = 0; round < 4; round++)
      for (const { daemon } of machines)
        t.like(await daemon.post('/api/sync/run'), { run: { problem: null } })

    const [dump, ...rest] = await Promise.all(machines.map(({ daemon }) => dumpOf(daemon)))
    for (const other of rest) t.deepEqual(other, dump)
    const files = place.contents()
    t.log(JSON.stringify({ ...sum, lines: dump!.length, files: files.length }))
    t.true(files.length > 3)
    for (const bytes of files)
      for (const word of [...planted, ...tags]) t.false(bytes.toLowerCase().includes(word), word)
  })

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
async function keep(t: Parameters<typeof startKillable>[0], machine: Machine, kept: string): Promise<void> {
  await machine.daemon.stop('SIGTERM')
  const { database, secretsDir } = workspacePaths(machine.workspace)
  cpSync(database, join(kept, 'memories.db'))
  cpSync(secretsDir, join(kept, 'secrets'), { recursive: true })
  machine.daemon = await startKillable(t, machine.workspace)
}

async function restore(
  t: Parameters<typeof startKillable>[0],
  machine: Machine,
  kept: string,
): Promise<void> {
  await machine.daemon.stop('SIGTERM')
  const { database, secretsDir } = workspacePaths(machine.workspace)
  for (const ending of ['', '-wal', '-shm']) rmSync(database + ending, { force: true })
  cpSync(join(kept, 'memories.db'), database)
  cpSync(join(kept, 'secrets'), secretsDir, { recursive: true })
  machine.daemon = await startKillable(t, machine.workspace)
}

/** Cuts a file, as a transfer that was interrupted; the whole one comes later. */
function cutOne(folder: string, chance: Chance): boolean {
  const segments = filesIn(folder, '.seg').filter(name => !existsSync(`${name}.cut`))
  if (segments.length === 0) return false
  const name = chance.oneOf(segments)
  const whole = readFileSync(name)
  writeFileSync(`${name}.cut`, whole)
  writeFileSync(name, whole.subarray(0, chance.below(whole.length)))
  return true
}

function mend(folder: string): void {
  for (const cut of filesIn(folder, '.cut')) {
    writeFileSync(cut.slice(0, -'.cut'.length), readFileSync(cut))
    rmSync(cut)
  }
}
