import { randomBytes } from 'node:crypto'
import { AppError } from '../../../../contract/ground/errors.js'
import { ownPrefix } from '../../../../contract/secrets/names.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { exportDevice, importDevice, newDevice, type OwnDevice } from '../files/ring.js'

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
