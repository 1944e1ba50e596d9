import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import { messageOf } from '../../lib/text/message-of.js'
import { codeOf, StoreRefused } from '../faults.js'

// TLS as libpq has it, because addresses of servers are copied from its programs.

const modes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type Mode = (typeof modes)[number]
const parameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslpassword', 'uselibpqcompat'] as const
/** The certificates that Node knows, instead of those of a file. */
const systemRoots = 'system'

/**
 * Takes the parameters of TLS out of the URL of a server. Without any the connection is not encrypted.
 * @throws StoreRefused for an unknown mode, or a file that can't be read
 */
export function tlsOf(url: string): { connectionString: string; ssl: false | ConnectionOptions } {
  const to = new URL(url)
  const given = Object.fromEntries(parameters.map(name => [name, to.searchParams.get(name) || undefined]))
  for (const name of parameters) to.searchParams.delete(name)
  const plain = { connectionString: to.href, ssl: false as const }
  const hasFile = given.sslrootcert ?? given.sslcert ?? given.sslkey
  const mode = modeOf(given.sslmode ?? (hasFile === undefined ? 'disable' : 'verify-full'))
  // A socket of this machine has no TLS, as in libpq.
  if (mode === 'disable' || (to.searchParams.get('host') ?? '').startsWith('/')) return plain
  const file = (name: (typeof parameters)[number]): object => {
    const path = given[name]
    return path === undefined || path === systemRoots ? {} : { [keys[name] as string]: read(name, path) }
  }
  return {
    connectionString: to.href,
    ssl: {
      // The name to be checked; without it an address would be taken for `localhost`.
      host: to.hostname.replace(/^\[|\]$/gu, ''),
      ...file('sslrootcert'),
      ...file('sslcert'),
      ...file('sslkey'),
      ...(given.sslpassword !== undefined && { passphrase: given.sslpassword }),
      ...checksOf(mode, given.sslrootcert),
    },
  }
}

const keys: Readonly<Record<string, string>> = { sslrootcert: 'ca', sslcert: 'cert', sslkey: 'key' }

function modeOf(text: string): Mode {
  const mode = modes.find(one => one === text)
  if (!mode) throw new StoreRefused(`sslmode=${text} is not known: choose one of ${modes.join(', ')}`)
  return mode
}

/** With a root certificate `require` checks the server as `verify-ca` does. */
function checksOf(mode: Mode, root: string | undefined): ConnectionOptions {
  if (mode === 'verify-full') return {}
  if (mode === 'verify-ca' && root === undefined)
    throw new StoreRefused('sslmode=verify-ca needs sslrootcert, the file with the CA of the server')
  const isChecked = mode === 'verify-ca' || (mode === 'require' && root !== undefined)
  return isChecked ? { checkServerIdentity: () => undefined } : { rejectUnauthorized: false }
}

function read(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new StoreRefused(`${name}: ${messageOf(error)}; name a file that this user can read`, {
      cause: error,
    })
  }
}

/** Returns the URL without TLS, for a server that offers none; undefined when the URL asks for it. */
export function withoutTls(url: string): string | undefined {
  const to = new URL(url)
  if (to.searchParams.get('sslmode') !== 'prefer') return undefined
  to.searchParams.set('sslmode', 'disable')
  return to.href
}

const offersNone = /^The server does not support SSL/u

/** Returns whether the server offers no TLS. */
export function hasNoTls(error: unknown): boolean {
  return offersNone.test(messageOf(error))
}

const remedies: readonly (readonly [RegExp, string])[] = [
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/u, 'connect by a name of its certificate, or use sslmode=verify-ca'],
  [/^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/u, 'renew the certificate of the server, or set the clock right'],
  [
    /^(?:(?:SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|CERT_)\w*)$/u,
    'set sslrootcert to the file with the CA that signed the certificate of the server',
  ],
  [/^ERR_(?:SSL|OSSL)_/u, 'check that sslcert and sslkey belong together and the server accepts their CA'],
]

/** Returns the next step after an attempt that failed by TLS; undefined for other errors. */
export function tlsRemedy(error: unknown): string | undefined {
  if (hasNoTls(error)) return 'turn on ssl in its postgresql.conf, or use sslmode=disable'
  if (/client certificate/u.test(messageOf(error)))
    return 'set sslcert and sslkey to the certificate of the role'
  return remedies.find(([codes]) => codes.test(codeOf(error)))?.[1]
}
