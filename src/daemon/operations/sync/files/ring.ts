import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto'
import { hashOf } from './segment.js'

/** A ring that nobody who belongs signed, or that was changed. */
export class RingFault extends Error {
  override name = 'RingFault'
}

/** A device as the others know it; keys in base64 (SPKI). */
export interface Member {
  tag: string
  name: string
  signKey: string
  agreeKey: string
}

/** A device as it knows itself. */
export interface OwnDevice extends Member {
  signing: KeyObject
  agreeing: KeyObject
}

/** A key for the owner of a key pair: `from` is the public half of a pair that was made for this alone. */
interface Wrap {
  from: string
  sealed: string
}

/** The devices that belong from an epoch on, and its key for each of them. */
export interface Ring {
  store: string
  epoch: number
  /** Hashes of the rings that it follows; two when it joins rings that were made at once. */
  previous: string[]
  members: Member[]
  /** Tags that never belong again. */
  revoked: string[]
  /** The last segment of each revoked device that counts. */
  until: Record<string, number>
  /** The epoch key for each member, sealed by a key that both sides can make. */
  wraps: Record<string, Wrap>
  /** The epoch key for the recovery code, whose public half each device has. */
  recovery: Wrap & { to: string }
  /** The keys of earlier epochs by the hash of their ring, sealed by the key of this one. */
  earlier: string
  signer: string
  signature: string
}

/** Keys of epochs by the hash of their ring. */
export type EpochKeys = Map<string, Buffer>

export function newDevice(tag: string, name: string): OwnDevice {
  const signing = generateKeyPairSync('ed25519')
  const agreeing = generateKeyPairSync('x25519')
  return {
    ...{ tag, name, signing: signing.privateKey, agreeing: agreeing.privateKey },
    signKey: publicText(signing.publicKey),
    agreeKey: publicText(agreeing.publicKey),
  }
}

export interface RingChange {
  store: string
  /** Keys of the present epochs; empty for the first ring. */
  keys: EpochKeys
  /** The present rings: one, or several that were made at once. */
  heads: readonly Ring[]
  add?: readonly Member[]
  /** Tags of devices that read nothing new from now on. */
  revoke?: readonly string[]
  /** How far each of them was read. */
  until?: Readonly<Record<string, number>>
  /** The public half of the recovery code; that of the present rings unless it is given. */
  recovery?: string
}

/**
 * Makes the next ring with a key of its own. Of rings made at once the members are united, and a device that
 * one of them revoked stays revoked.
 */
export function nextRing(by: OwnDevice, change: RingChange): Ring {
  const { heads, add = [], revoke = [], store } = change
  const revoked = [...new Set([...heads.flatMap(ring => ring.revoked), ...revoke])].sort()
  const known = new Map([...heads.flatMap(ring => ring.members), ...add].map(one => [one.tag, one]))
  const members = [...known.values()]
    .filter(({ tag }) => !revoked.includes(tag))
    .map(({ tag, name, signKey, agreeKey }) => ({ tag, name, signKey, agreeKey }))
    .sort((a, b) => (a.tag < b.tag ? -1 : 1))
  const epochKey = randomBytes(32)
  const to = change.recovery ?? heads[0]?.recovery.to
  if (to === undefined) throw new Error('the first ring needs a recovery code')
  const earlier = [...change.keys].map(([hash, key]) => [hash, key.toString('base64')])
  const ring: Omit<Ring, 'signature'> = {
    store,
    epoch: 1 + Math.max(0, ...heads.map(({ epoch }) => epoch)),
    previous: heads.map(ringHash).sort(),
    members,
    revoked,
    until: untilOf([...heads.map(ring => ring.until), change.until ?? {}]),
    wraps: Object.fromEntries(members.map(member => [member.tag, wrapFor(member, epochKey, store)])),
    recovery: { to, ...wrapFor({ tag: recoveryTag, agreeKey: to }, epochKey, store) },
    earlier: sealText(epochKey, Buffer.from(JSON.stringify(earlier)), `earlier|${store}`),
    signer: by.tag,
  }
  return { ...ring, signature: sign(null, bytesOf(ring), by.signing).toString('base64') }
}

function untilOf(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const last: Record<string, number> = {}
  for (const [tag, number] of all.flatMap(one => Object.entries(one)).sort(([a], [b]) => (a < b ? -1 : 1)))
    last[tag] = Math.max(last[tag] ?? 0, number)
  return last
}

/**
 * Checks that a ring continues the ones that this device trusts, and was made by somebody who belonged.
 * @param trusted rings by their hashes @throws RingFault
 */
export function checkRing(ring: Ring, trusted: ReadonlyMap<string, Ring>): void {
  const before = ring.previous.map(hash => trusted.get(hash))
  if (before.length === 0) throw new RingFault('it begins another store')
  if (before.some(one => one === undefined)) throw new RingFault('the ring before it is missing')
  const rings = before.filter(one => one !== undefined)
  if (rings.some(({ store }) => store !== ring.store)) throw new RingFault('it is of another store')
  if (ring.epoch <= Math.max(...rings.map(({ epoch }) => epoch))) throw new RingFault('its epoch goes back')
  const kept = new Set(ring.revoked)
  const gone = rings.flatMap(({ revoked }) => revoked)
  if (gone.some(tag => !kept.has(tag))) throw new RingFault('it takes a revocation back')
  if (ring.members.some(({ tag }) => kept.has(tag))) throw new RingFault('it has a revoked member')
  const signer = rings.flatMap(({ members }) => members).find(({ tag }) => tag === ring.signer)
  if (!signer || gone.includes(ring.signer))
    throw new RingFault(`${ring.signer}, who signed it, does not belong`)
  requireSigned(ring, signer)
}

/** Opens the keys of a ring and of all before it. @throws RingFault for a device that does not belong */
export function keysForMember(ring: Ring, own: OwnDevice): EpochKeys {
  const wrap = ring.wraps[own.tag]
  if (!wrap) throw new RingFault(`${own.tag} does not belong to epoch ${ring.epoch}`)
  return keysBehind(ring, unwrap(wrap, own, ring.store))
}

/**
 * Opens the keys of a ring with the recovery code.
 * @param seed 32 bytes that the code gives
 * @throws RingFault for a wrong code
 */
export function keysByRecovery(ring: Ring, seed: Uint8Array): EpochKeys {
  const signer = ring.members.find(({ tag }) => tag === ring.signer)
  if (!signer) throw new RingFault(`${ring.signer}, who signed it, does not belong`)
  requireSigned(ring, signer)
  const agreeing = recoveryPair(seed)
  const agreeKey = publicText(createPublicKey(agreeing))
  return keysBehind(ring, unwrap(ring.recovery, { tag: recoveryTag, agreeing, agreeKey }, ring.store))
}

/**
 * The recovery code as a member: whoever has the code belongs, and may let a new device in.
 * @param seed 32 bytes that the code gives
 */
export function recoveryMember(seed: Uint8Array): OwnDevice {
  const signing = privateKeyOf(ed25519Prefix, hkdf(seed, 'recovery signing'))
  const agreeing = recoveryPair(hkdf(seed, 'recovery agreeing'))
  return {
    ...{ tag: codeTag, name: 'recovery code', signing, agreeing },
    signKey: publicText(createPublicKey(signing)),
    agreeKey: publicText(createPublicKey(agreeing)),
  }
}

/**
 * Checks the first ring of a store. Its id is made from the recovery code and the key that signed the first
 * ring, so nobody without the code can begin another store of this id.
 * @throws RingFault
 */
export function checkFirstRing(ring: Ring, seed: Uint8Array): void {
  const signer = ring.members.find(({ tag }) => tag === ring.signer)
  if (ring.previous.length > 0 || !signer) throw new RingFault('it is not the first ring of a store')
  if (ring.store !== storeIdOf(seed, signer)) throw new RingFault('it was made with another recovery code')
  requireSigned(ring, signer)
}

/** The id of a store: 32 hex digits. */
export function storeIdOf(seed: Uint8Array, { signKey }: Pick<Member, 'signKey'>): string {
  return createHmac('sha256', seed).update(`store|${signKey}`).digest('hex').slice(0, 32)
}

/** Makes a key of 32 bytes for one use. */
export function hkdf(seed: Uint8Array, use: string): Buffer {
  return Buffer.from(hkdfSync('sha256', seed, 'memory-service sync', use, 32))
}

/** The public half of a recovery code. A device keeps only this, so that one that is revoked can't use it. */
export function recoveryPublic(seed: Uint8Array): string {
  return publicText(createPublicKey(recoveryPair(seed)))
}

/** @param seed 32 bytes that the code gives */
function recoveryPair(seed: Uint8Array): KeyObject {
  return privateKeyOf(x25519Prefix, seed)
}

const x25519Prefix = '302e020100300506032b656e04220420'
const ed25519Prefix = '302e020100300506032b657004220420'

function privateKeyOf(prefix: string, seed: Uint8Array): KeyObject {
  const der = Buffer.concat([Buffer.from(prefix, 'hex'), seed])
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
}

/** SHA-256 of a ring as it is stored. */
export function ringHash(ring: Ring): string {
  return hashOf(Buffer.from(JSON.stringify(ring)))
}

/** The private keys of a device, to be sealed by the key of the workspace. */
export function exportDevice({ signing, agreeing, ...member }: OwnDevice): string {
  const text = (key: KeyObject) => key.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  return JSON.stringify({ ...member, signing: text(signing), agreeing: text(agreeing) })
}

export function importDevice(text: string): OwnDevice {
  const { signing, agreeing, ...member } = JSON.parse(text) as Member & { signing: string; agreeing: string }
  const key = (base64: string) =>
    createPrivateKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'pkcs8' })
  return { ...member, signing: key(signing), agreeing: key(agreeing) }
}

function requireSigned({ signature, ...ring }: Ring, { signKey, tag }: Member): void {
  if (!verify(null, bytesOf(ring), publicOf(signKey), Buffer.from(signature, 'base64')))
    throw new RingFault(`it is not signed by ${tag}`)
}

function keysBehind(ring: Ring, epochKey: Buffer): EpochKeys {
  const text = openText(epochKey, ring.earlier, `earlier|${ring.store}`).toString('utf8')
  const earlier = (JSON.parse(text) as [string, string][]).map(
    ([hash, key]) => [hash, Buffer.from(key, 'base64')] as const,
  )
  return new Map([...earlier, [ringHash(ring), epochKey]])
}

function wrapFor(member: Pick<Member, 'tag' | 'agreeKey'>, epochKey: Buffer, store: string): Wrap {
  const once = generateKeyPairSync('x25519')
  const from = publicText(once.publicKey)
  const shared = diffieHellman({ privateKey: once.privateKey, publicKey: publicOf(member.agreeKey) })
  const key = wrapKey(shared, from, member.agreeKey)
  return { from, sealed: sealText(key, epochKey, `wrap|${store}|${member.tag}`) }
}

function unwrap(
  { from, sealed }: Wrap,
  { tag, agreeing, agreeKey }: Pick<OwnDevice, 'tag' | 'agreeing' | 'agreeKey'>,
  store: string,
): Buffer {
  const shared = diffieHellman({ privateKey: agreeing, publicKey: publicOf(from) })
  return openText(wrapKey(shared, from, agreeKey), sealed, `wrap|${store}|${tag}`)
}

function wrapKey(shared: Buffer, from: string, to: string): Buffer {
  return Buffer.from(hkdfSync('sha256', shared, '', `wrap|${from}|${to}`, 32))
}

function bytesOf(ring: Omit<Ring, 'signature'>): Buffer {
  return Buffer.from(`memory-service ring|${JSON.stringify(ring)}`)
}

const algorithm = 'chacha20-poly1305'
const options = { authTagLength: 16 }
const nonceBytes = 12
/** The recovery code as a member; no tag of a device is so short. */
export const codeTag = 'recovery'
/** The place of the key that is sealed for the recovery code alone. */
const recoveryTag = '*'

function sealText(key: Uint8Array, text: Buffer, place: string): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce, options)
  cipher.setAAD(Buffer.from(place), { plaintextLength: text.length })
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64')
}

function openText(key: Uint8Array, sealed: string, place: string): Buffer {
  const bytes = Buffer.from(sealed, 'base64')
  const [text, tag] = [
    bytes.subarray(nonceBytes, -options.authTagLength),
    bytes.subarray(-options.authTagLength),
  ]
  try {
    const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), options)
    decipher.setAAD(Buffer.from(place), { plaintextLength: text.length }).setAuthTag(tag)
    return Buffer.concat([decipher.update(text), decipher.final()])
  } catch {
    throw new RingFault('this key does not open it')
  }
}

function publicText(key: KeyObject): string {
  return key.export({ format: 'der', type: 'spki' }).toString('base64')
}

/** Reads a public key. */
export function publicOf(base64: string): KeyObject {
  return createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' })
}
