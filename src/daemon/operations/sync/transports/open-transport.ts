import { AppError } from '../../../../contract/ground/errors.js'
import {
  AddressFault,
  credentialsFor,
  type PlaceAddress,
  type PlaceKind,
  readPlaceAddress,
} from '../../../../lib/network/place-address.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { Transport, TransportOptions } from './transport.js'

/** A place with the secret that opens it. */
export interface SyncPlace {
  address: string
  /** A reference to a secret; null for a place that needs none. */
  credentials: string | null
}

type Opening<K extends PlaceKind> = (
  address: Extract<PlaceAddress, { kind: K }>,
  options: TransportOptions,
) => Promise<Transport>

/** Every kind of place; each is loaded when it is used. */
const openings: { [K in PlaceKind]: Opening<K> } = {
  folder: async ({ path }) => (await import('./folder.js')).folderTransport(path),
  git: async (address, options) => (await import('./git.js')).gitTransport(address, options),
  s3: async (address, options) => (await import('./s3.js')).s3Transport(address, options),
  webdav: async ({ url }, options) => (await import('./webdav.js')).webdavTransport(url, options),
  relay: async (address, options) => (await import('./relay.js')).relayTransport(address, options),
}

/**
 * Opens the place of an address; nothing is asked before the first use.
 * @throws AppError `validation_failed` for an address that can't be used, without repeating it
 */
export async function openTransport(
  deps: Pick<Daemon, 'paths' | 'log' | 'environment' | 'secrets'>,
  { address, credentials }: SyncPlace,
  signal: AbortSignal,
): Promise<Transport> {
  const parsed = placeOf(address)
  const options: TransportOptions = {
    place: address,
    credentials: async () => (credentials === null ? undefined : deps.secrets.resolve(credentials)),
    advice: adviceOn(address, credentials),
    signal,
    deps,
  }
  const open = openings[parsed.kind] as Opening<PlaceKind>
  return open(parsed as never, options)
}

/** @throws AppError `validation_failed` */
export function placeOf(address: string): PlaceAddress {
  try {
    return readPlaceAddress(address)
  } catch (error) {
    if (error instanceof AddressFault) throw new AppError('validation_failed', error.message)
    throw error
  }
}

function adviceOn(address: string, credentials: string | null): string {
  const form = credentialsFor(address)
  if (credentials !== null)
    return `store new ones (${form ?? 'USER:TOKEN'}) with memory secrets set ${credentials}`
  return form === undefined
    ? 'see that git can read and write it from this machine without a question'
    : `store ${form} with memory secrets set NAME, then memory sync leave and begin again with --credentials NAME`
}
