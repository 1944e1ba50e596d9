import { writeSync } from 'node:fs'
import { SecretStore } from '../../src/store/secrets/secret-store.js'

/** Stores, rotates and moves keys until it is killed; prints each change after it is durable. */
const [, , folder = ''] = process.argv
const store = new SecretStore({ folder, clock: () => new Date(), log: { warn: () => undefined } })
const say = (line: string): void => void writeSync(1, `${line}\n`)

for (let round = 1; ; round++) {
  const name = `KEY_${round % 7}`
  await store.set(name, `value ${round}`)
  say(`${name} ${round}`)
  if (round % 3 === 0)
    await store.rotate((['outer', 'inner', 'both'] as const)[round % 9 === 0 ? 0 : round % 2 ? 1 : 2])
  if (round % 10 === 0) await store.protect({ source: 'keyfile' })
}
