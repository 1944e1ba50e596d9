import { createHmac, randomInt, type ScryptOptions, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { AppError, notFound } from '../../../../contract/ground/errors.js'
import {
  codeDigits,
  newRecoveryCode,
  seedOfRecoveryCode,
  typedDigits,
} from '../../../../lib/keys/recovery-code.js'
import { isSameText } from '../../../../lib/workspace/instance-proof.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import {
  checkFirstRing,
  hkdf,
  type Member,
  nextRing,
  recoveryMember,
  recoveryPublic,
  ringHash,
  storeIdOf,
} from '../files/ring.js'
import { answerName, requestName, sortFiles, storesIn } from '../files/store-files.js'
import { type Transport, TransportFault } from '../transports/transport.js'
import { type ExchangeReport, readConfig, type SyncConfig, writeConfig } from './config.js'
import { listStore } from './exchange.js'
import { freshDevice, Membership, readOwn, readRing, writeOwn } from './membership.js'
import { addRing, openExchange, putRing, saveRings } from './open-exchange.js'
import { transportOf } from './place.js'

/** A place with the name that this machine gets there. */
interface NamedPlace {
  address: string
  credentials?: string | null
  name: string
}

const codeLength = 10
/** A guess takes some 100 ms, and there are 2^50 codes. */
const costs: ScryptOptions = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }
const slowHash = promisify<string, string, number, ScryptOptions, Buffer>(scrypt)

/** A device that asks to belong, proved by the code that it shows. */
interface JoinRequest {
  member: Member
  proof: string
}

/** The answer of a machine that typed the code: the ring that the device may trust. */
interface JoinAnswer {
  ring: string
  proof: string
}

/** Begins a store. @returns the recovery code, which is stored nowhere */
export async function initStore(
  daemon: Daemon,
  { address, credentials = null, name }: NamedPlace,
): Promise<{ store: string; device: string; recoveryCode: string }> {
  await requireOff(daemon)
  const transport = await transportOf(daemon, { address, credentials })
  const present = storesIn(await transport.list())
  if (present.length > 0)
    throw new AppError(
      'conflict',
      `${address} is synced already; join it with memory sync join, or choose another place`,
    )
  const own = freshDevice(name)
  const recoveryCode = newRecoveryCode()
  const seed = seedOf(recoveryCode)
  const store = storeIdOf(seed, own)
  const ring = nextRing(own, {
    ...{ store, keys: new Map(), heads: [], recovery: recoveryPublic(seed) },
    add: [own, recoveryMember(seed)],
  })
  await writeOwn(daemon, own)
  await putRing(transport, store, ring)
  await begin(daemon, { store, address, credentials, tag: own.tag, phase: 'on', rings: [ring] })
  return { store, device: own.tag, recoveryCode }
}

/** Asks to belong to the store of a place. @returns the code that another machine must be given */
export async function askToJoin(
  daemon: Daemon,
  { address, credentials = null, name }: NamedPlace,
): Promise<{ store: string; device: string; code: string }> {
  await requireOff(daemon)
  const transport = await transportOf(daemon, { address, credentials })
  const store = await onlyStore(transport)
  const own = freshDevice(name)
  const { tag, signKey, agreeKey } = own
  const member = { tag, name, signKey, agreeKey }
  const code = Array.from({ length: codeLength }, () => codeDigits.charAt(randomInt(codeDigits.length))).join(
    '',
  )
  const key = await joinKey(code, store, tag)
  const request: JoinRequest = { member, proof: proofOf(key, 'asks', JSON.stringify(member)) }
  await writeOwn(daemon, own, key)
  await transport.put(requestName(store, tag), Buffer.from(JSON.stringify(request)))
  await begin(daemon, { store, address, credentials, tag, phase: 'joining', rings: [] })
  return { store, device: tag, code: `${code.slice(0, 5)}-${code.slice(5)}` }
}

/** Lets in the device that shows a code. @throws AppError `not_found` when none in the store does */
export async function approveJoin(
  daemon: Daemon,
  config: SyncConfig,
  report: ExchangeReport,
  typed: string,
): Promise<{ device: string; name: string }> {
  const code = typedDigits(typed)
  const exchange = await openExchange(daemon, config, report)
  const transport = await transportOf(daemon, config, report)
  const files = await listStore(exchange, transport)
  for (const [tag, name] of files.requests) {
    const request = await readJson<JoinRequest>(transport, name)
    if (!request || request.member.tag !== tag) continue
    const key = await joinKey(code, config.store, tag)
    const proof = proofOf(key, 'asks', JSON.stringify(request.member))
    if (!isSameText(proof, String(request.proof))) continue
    const ring = await addRing(exchange, transport, { add: [request.member] })
    await daemon.store.transaction(tables => saveRings(tables, exchange))
    const hash = ringHash(ring)
    const answer: JoinAnswer = { ring: hash, proof: proofOf(key, 'belongs', hash) }
    await transport.put(answerName(config.store, tag), Buffer.from(JSON.stringify(answer)))
    return { device: tag, name: request.member.name }
  }
  throw new AppError(
    'not_found',
    files.requests.size === 0
      ? 'no machine asks to join; its request may not have arrived there yet'
      : 'no machine that asks to join shows this code; check it for typing errors',
  )
}

/**
 * Looks for the answer to a request. The answer and the key that proves it stay: a backup may bring back the
 * time before, and only they say which rings this machine may trust.
 * @returns true once this machine belongs
 */
export async function finishJoin(
  daemon: Daemon,
  config: SyncConfig,
  report: ExchangeReport,
): Promise<boolean> {
  const transport = await transportOf(daemon, config, report)
  const { own, joinKey: key } = await readOwn(daemon)
  if (!key)
    throw new AppError(
      'conflict',
      'the code that this machine asked to join with is gone; leave the sync and join again: memory sync leave',
    )
  const files = sortFiles(await transport.list(), config.store)
  const name = files.answers.get(own.tag)
  const answer = name === undefined ? undefined : await readJson<JoinAnswer>(transport, name)
  if (!answer) return false
  if (!isSameText(proofOf(key, 'belongs', answer.ring), String(answer.proof)))
    throw new TransportFault('the answer to this machine is not from one that was given its code')
  const file = files.rings.get(answer.ring)
  const ring = file === undefined ? undefined : await readRing(transport, file, answer.ring)
  if (!ring) return false
  config.rings = [ring]
  config.phase = 'on'
  const membership = new Membership(config.store, config.rings)
  report.faults.push(...(await membership.learn(transport, files)))
  config.rings = [...membership.rings.values()]
  await daemon.store.transaction(tables => writeConfig(tables, config))
  return true
}

/** Lets this machine in with the recovery code, when no other machine is left to approve it. */
export async function recoverStore(
  daemon: Daemon,
  { address, credentials = null, name, code }: NamedPlace & { code: string },
): Promise<{ store: string; device: string }> {
  await requireOff(daemon)
  const seed = seedOf(code)
  const transport = await transportOf(daemon, { address, credentials })
  const store = await onlyStore(transport)
  const files = sortFiles(await transport.list(), store)
  const membership = new Membership(store, [])
  for (const [hash, file] of files.rings) {
    const ring = await readRing(transport, file, hash)
    if (ring && isFirst(ring, seed)) membership.rings.set(hash, ring)
  }
  if (membership.rings.size === 0)
    throw new AppError('validation_failed', `this recovery code is not the one of the sync in ${address}`)
  await membership.learn(transport, files)
  const own = freshDevice(name)
  const by = recoveryMember(seed)
  const { rings, heads } = membership
  const ring = nextRing(by, { store, keys: membership.keysOf(by), heads, add: [own] })
  await writeOwn(daemon, own)
  await putRing(transport, store, ring)
  await begin(daemon, {
    store,
    address,
    credentials,
    tag: own.tag,
    phase: 'on',
    rings: [...rings.values(), ring],
  })
  return { store, device: own.tag }
}

function isFirst(ring: Parameters<typeof checkFirstRing>[0], seed: Uint8Array): boolean {
  try {
    checkFirstRing(ring, seed)
    return true
  } catch {
    return false
  }
}

async function begin(daemon: Daemon, config: Omit<SyncConfig, 'earlier' | 'paused'>): Promise<void> {
  await daemon.store.transaction(async tables => {
    await tables.sync.clear()
    await writeConfig(tables, { ...config, earlier: [], paused: false })
  })
}

async function requireOff({ store }: Pick<Daemon, 'store'>): Promise<void> {
  const config = await readConfig(store.tables)
  if (config)
    throw new AppError('conflict', `this workspace syncs with ${config.address} already: memory sync leave`)
}

async function onlyStore(transport: Transport): Promise<string> {
  const [store, ...others] = storesIn(await transport.list())
  if (store === undefined)
    throw notFound(
      `${transport.place} is not synced by any machine, or not copied here yet`,
      'begin with memory sync init',
    )
  if (others.length > 0)
    throw new AppError('conflict', `${transport.place} has ${others.length + 1} stores; keep one in a place`)
  return store
}

/** 32 bytes of a recovery code. @throws AppError `validation_failed` for one with typing errors */
function seedOf(code: string): Buffer {
  const seed = seedOfRecoveryCode(code)
  if (seed) return hkdf(seed, 'recovery code')
  throw new AppError(
    'validation_failed',
    'this is not a complete recovery code: it has seven groups of four letters and digits; check it for typing errors',
  )
}

function joinKey(code: string, store: string, tag: string): Promise<Buffer> {
  return slowHash(code, `${store}|${tag}`, 32, costs)
}

function proofOf(key: Uint8Array, what: string, text: string): string {
  return createHmac('sha256', key).update(`${what}|${text}`).digest('base64')
}

async function readJson<T>(transport: Transport, name: string): Promise<T | undefined> {
  try {
    const file = await transport.get(name)
    return file && (JSON.parse(file.toString('utf8')) as T)
  } catch {
    return undefined
  }
}
