import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { killsOr } from '../helpers/kills.js'
import { storeFolder } from '../helpers/secret-stores.js'

const kills = killsOr(3)
const writer = join(import.meta.dirname, '../helpers/secret-writer.ts')

/** Runs the writer on a folder and kills it during its work. @returns the last round printed for each name */
async function writeUntilKilled(folder: string, afterMs: number): Promise<Map<string, number>> {
  const child = spawn(process.execPath, ['--import=tsx', writer, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said: string[] = []
  const first = new Promise<void>(resolve => {
    child.stdout.on('data', (chunk: Buffer) => {
      said.push(String(chunk))
      resolve()
    })
  })
  await first
  await sleep(afterMs)
  const closed = new Promise(resolve => child.once('close', resolve))
  child.kill('SIGKILL')
  await closed
  const lines = said.join('').split('\n').slice(0, -1)
  return new Map(
    lines.map(line => line.split(' ') as [string, string]).map(([name, round]) => [name, Number(round)]),
  )
}

test('after a kill at any moment the store opens with every acknowledged value', async t => {
  const place = storeFolder(t)
  for (let kill = 0; kill < kills; kill++) {
    const said = await writeUntilKilled(place.folder, Math.random() * 80)
    const store = place.open()
    store.clean()
    t.deepEqual(readdirSync(place.folder).sort(), ['machine.key', 'secrets.json'])
    t.true(said.size > 0)
    for (const [name, round] of said) {
      const value = await store.get(name)
      const stored = Number(value?.split(' ')[1])
      t.true(stored === round || stored === round + 7, `${name}: said ${round}, stored ${value}`)
    }
    for (const name of await store.names()) await store.remove(name)
  }
})
