import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { v7 as uuidv7 } from 'uuid'
import { settings } from '../../src/contract/settings.js'
import { createApiKey, findApiKey } from '../../src/daemon/platform/auth/api-key.js'
import { createRateLimiter } from '../../src/daemon/platform/auth/auth.js'
import { openToken, signToken } from '../../src/lib/workspace/signed-token.js'
import { openStore } from '../../src/store/sqlite/database.js'
import { benchCaller as caller } from '../caller.js'

/**
 * Measures whether a wrong credential takes longer the closer it is to a valid one, and the memory of rate
 * limits. Run: node --expose-gc --import=tsx bench/auth/run.ts
 */
const rounds = 4000
const folder = mkdtempSync(join(tmpdir(), 'memory-service-bench-'))
const store = openStore(join(folder, 'memories.db'), new Date())
await keyTiming()
await tokenTiming()
await limiterMemory()
await store.close()
rmSync(folder, { recursive: true })

async function keyTiming(): Promise<void> {
  const deps = { store, clock: () => new Date(), newId: () => uuidv7() }
  const { key } = await createApiKey(deps, caller, { name: 'bench' })
  for (let n = 0; n < 100; n++) await createApiKey(deps, caller, { name: `other ${n}` })
  const last = key.at(-1) === 'A' ? 'B' : 'A'
  await compare('API key', key2 => findApiKey(store.tables, key2, new Date()), {
    'nothing in common': `svc_sk_${'~'.repeat(43)}`,
    'first half right': `${key.slice(0, 28)}${'~'.repeat(22)}`,
    'all but the last character right': `${key.slice(0, -1)}${last}`,
    'one character short': key.slice(0, -1),
    'one character long': `${key}A`,
  })
}

async function tokenTiming(): Promise<void> {
  const secret = Buffer.alloc(32, 1)
  const [payload = '', signature = ''] = signToken(secret, { sub: 'x', role: 'admin', iat: 0, exp: 1 }).split(
    '.',
  )
  await compare('token', async token => openToken(secret, token), {
    'nothing in common': `${payload}.${'_'.repeat(43)}`,
    'first half right': `${payload}.${signature.slice(0, 21)}${'_'.repeat(22)}`,
    'all but the end right': `${payload}.${signature.slice(0, -2)}__`,
    'too short': `${payload}.${signature.slice(0, 20)}`,
  })
}

/** Medians of interleaved runs, as ratios to the first credential. */
async function compare(
  what: string,
  check: (credential: string) => Promise<unknown>,
  credentials: Record<string, string>,
): Promise<void> {
  const times = new Map(Object.keys(credentials).map(name => [name, [] as number[]]))
  for (let round = 0; round < rounds; round++)
    for (const [name, credential] of Object.entries(credentials)) {
      const start = performance.now()
      await check(credential)
      if (round > rounds / 10) times.get(name)?.push(performance.now() - start)
    }
  const medians = [...times].map(([name, list]) => [name, median(list)] as const)
  const first = medians[0]?.[1] ?? 1
  for (const [name, ms] of medians)
    console.log(`${what}: ${name}: ${(ms * 1000).toFixed(1)} us, ratio ${(ms / first).toFixed(3)}`)
}

async function limiterMemory(): Promise<void> {
  const { rateLimits } = settings.parse({}).auth
  for (const actors of [10_000, 100_000]) {
    const before = heap()
    const limiter = createRateLimiter(
      () => rateLimits,
      () => new Date(0),
    )
    for (let actor = 0; actor < actors; actor++)
      for (let n = 0; n < 60; n++) limiter.take('modify', `key ${actor}-0000-7000-8000-000000000000`)
    const after = heap()
    console.log(
      `rate limiter: ${actors} actors with full windows of 60: ${limiter.size()} windows kept, ${((after - before) / 2 ** 20).toFixed(1)} MiB`,
    )
  }
}

function heap(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
