import { type KeyObject, randomBytes } from 'node:crypto'
import { AppError } from '../../../../contract/ground/errors.js'
import { ownPrefix } from '../../../../contract/secrets/names.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import {
  checkRing,
  type EpochKeys,
  exportDevice,
  hkdf,
  importDevice,
  keysForMember,
  type Member,
  newDevice,
  type OwnDevice,
  publicOf,
  type Ring,
  RingFault,
  ringHash,
} from '../files/ring.js'
import { hashOf } from '../files/segment.js'
import type { StoreFiles } from '../files/store-files.js'
import type { Transport } from '../transports/transport.js'

/** The private half, in the store of secrets. */
interface OwnKeys {
  device: string
  /** The key that proves the answer of the machine that approved; absent unless this one asked to join. */
  joinKey?: string
}

const entryName = `${ownPrefix}sync_device`
const tagBytes = 10
const letters = 'abcdefghjkmnpqrstvwxyz0123456789'

type Deps = Pick<Daemon, 'secrets'>

/** The rings that this device trusts, and what follows from them. */
export class Membership {
  readonly rings: Map<string, Ring>

  constructor(
    readonly store: string,
    rings: readonly Ring[],
  ) {
    this.rings = new Map(rings.map(ring => [ringHash(ring), ring]))
  }

  /** The rings that none follows. */
  get heads(): Ring[] {
    const followed = new Set([...this.rings.values()].flatMap(({ previous }) => previous))
    return [...this.rings].filter(([hash]) => !followed.has(hash)).map(([, ring]) => ring)
  }

  get revoked(): Set<string> {
    return new Set(this.heads.flatMap(({ revoked }) => revoked))
  }

  /** Devices that belong now. */
  get members(): Member[] {
    const { revoked } = this
    const all = new Map(this.heads.flatMap(({ members }) => members).map(one => [one.tag, one]))
    return [...all.values()].filter(({ tag }) => !revoked.has(tag))
  }

  /** Number of the last segment of a device that counts. */
  lastOf(tag: string): number {
    if (!this.revoked.has(tag)) return Number.POSITIVE_INFINITY
    return Math.max(0, ...this.heads.map(({ until }) => until[tag] ?? 0))
  }

  /** The key by which the signature of a device is checked. */
  signKeyOf(tag: string): KeyObject | undefined {
    for (const { members } of this.rings.values()) {
      const member = members.find(one => one.tag === tag)
      if (member) return publicOf(member.signKey)
    }
    return undefined
  }

  /** The keys of all epochs that a member may read; the one of the first epoch first. */
  keysOf(own: OwnDevice): EpochKeys {
    const keys: EpochKeys = new Map()
    for (const ring of this.heads)
      if (ring.wraps[own.tag]) for (const [hash, key] of keysForMember(ring, own)) keys.set(hash, key)
    return keys
  }

  /** @throws AppError for a device that was removed */
  requireMember({ tag }: Pick<OwnDevice, 'tag'>): void {
    if (this.revoked.has(tag) || !this.heads.some(ring => ring.wraps[tag]))
      throw new AppError('conflict', 'this machine was removed from the sync; leave it: memory sync leave')
  }

  /** The epoch that a device writes in, and its key. @throws AppError as `requireMember` does */
  writing(own: OwnDevice): { epoch: number; epochKey: Buffer } {
    this.requireMember(own)
    const mine = this.heads.filter(ring => ring.wraps[own.tag]).sort((a, b) => b.epoch - a.epoch)[0]!
    return { epoch: mine.epoch, epochKey: keysForMember(mine, own).get(ringHash(mine))! }
  }

  /** Adds rings that follow a trusted one, and those that trusted ones name. @returns faults */
  async learn(transport: Transport, { rings }: Pick<StoreFiles, 'rings'>): Promise<string[]> {
    const faults = new Map<string, string>()
    const read = new Map<string, Ring>()
    for (const [hash, name] of [...rings].sort(([, a], [, b]) => (a < b ? -1 : 1))) {
      if (this.rings.has(hash)) continue
      const ring = await readRing(transport, name, hash)
      if (ring) read.set(hash, ring)
      else faults.set(name, `${name} is not whole`)
    }
    for (let learned = true; learned; ) {
      learned = false
      const named = new Set([...this.rings.values()].flatMap(({ previous }) => previous))
      for (const [hash, ring] of read) {
        const fault = named.has(hash) ? undefined : faultOf(ring, this.rings)
        const name = rings.get(hash)!
        if (fault !== undefined) faults.set(name, `${name} does not count: ${fault}`)
        else {
          this.rings.set(hash, ring)
          read.delete(hash)
          faults.delete(name)
          learned = true
        }
      }
    }
    return [...faults.values()]
  }
}

/** The key that texts are hashed with: the same for all devices of a store, in all epochs. */
export function textKeyOf(keys: EpochKeys): Buffer {
  const [first] = keys.values()
  if (!first) throw new AppError('conflict', 'this machine has no key of the sync')
  return hkdf(first, 'texts')
}

/** @returns undefined for a file that is missing, cut or not a ring */
export async function readRing(
  transport: Pick<Transport, 'get'>,
  name: string,
  hash: string,
): Promise<Ring | undefined> {
  const file = await transport.get(name)
  if (!file || hashOf(file) !== hash) return undefined
  try {
    const ring = JSON.parse(file.toString('utf8')) as Ring
    return ringHash(ring) === hash ? ring : undefined
  } catch {
    return undefined
  }
}

function faultOf(ring: Ring, trusted: ReadonlyMap<string, Ring>): string | undefined {
  try {
    checkRing(ring, trusted)
    return undefined
  } catch (error) {
    if (error instanceof RingFault) return error.message
    return 'it is not a ring'
  }
}

/** @throws AppError of the store of secrets, or `conflict` when the keys are gone */
export async function readOwn({ secrets }: Deps): Promise<{ own: OwnDevice; joinKey: Buffer | undefined }> {
  const text = await secrets.store.get(entryName)
  if (text === undefined || text === '')
    throw new AppError(
      'conflict',
      'the keys of this machine are not in the store of secrets; leave the sync and join again: memory sync leave',
    )
  const { device, joinKey } = JSON.parse(text) as OwnKeys
  return {
    own: importDevice(device),
    joinKey: joinKey === undefined ? undefined : Buffer.from(joinKey, 'base64'),
  }
}

export async function writeOwn({ secrets }: Deps, own: OwnDevice, joinKey?: Uint8Array): Promise<void> {
  const keys: OwnKeys = {
    device: exportDevice(own),
    ...(joinKey && { joinKey: Buffer.from(joinKey).toString('base64') }),
  }
  await secrets.store.set(entryName, JSON.stringify(keys))
}

export async function forgetOwn({ secrets }: Deps): Promise<void> {
  await secrets.store.remove(entryName)
}

/** A device with a tag of its own. */
export function freshDevice(name: string): OwnDevice {
  const tag = [...randomBytes(tagBytes)].map(byte => letters.charAt(byte % letters.length)).join('')
  return newDevice(tag, name)
}
