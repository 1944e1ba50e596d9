import { createHash, randomBytes } from 'node:crypto'

/** Answers a server's question for a name and password, by Digest where it offers that, else by Basic. */
export interface WebLogin {
  /**
   * Reads a `www-authenticate`, the answer to a request that was sent with this `authorization`.
   * @returns false when another attempt would give the same answer
   */
  learn(header: string | string[] | undefined, sent: string | undefined): boolean
  /** The `authorization` of a request; undefined before the server asked. */
  header(request: { method?: string | undefined; url: URL }): string | undefined
}

interface Digest {
  realm: string
  nonce: string
  algorithm: string
  qop: boolean
  opaque: string | undefined
  uses: number
}

const hashes: Readonly<Record<string, string>> = {
  md5: 'md5',
  'md5-sess': 'md5',
  'sha-256': 'sha256',
  'sha-256-sess': 'sha256',
}

/** @param credentials `USER:PASSWORD` */
export function webLogin(credentials: string): WebLogin {
  const [user = ''] = credentials.split(':', 1)
  const password = credentials.slice(user.length + 1)
  const basic = `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}`
  let chosen: 'basic' | Digest | undefined
  return {
    learn: (header, sent) => {
      const { digest, isBasic } = offered([header ?? []].flat().join(', '))
      // A nonce of Digest grows old, also without a word about it.
      if (sent === basic || (!digest && !isBasic)) return false
      chosen = digest ? { ...digest, uses: 0 } : 'basic'
      return true
    },
    header: ({ method = 'GET', url }) => {
      if (typeof chosen !== 'object') return chosen && basic
      chosen.uses++
      return digestHeader(chosen, { user, password, method, uri: url.pathname + url.search })
    },
  }
}

function offered(header: string): {
  digest: Omit<Digest, 'uses'> | undefined
  isBasic: boolean
} {
  const isBasic = /(?:^|,\s?)Basic(?:\s|$)/iu.test(header)
  const challenges = header.split(/(?:^|,\s?)(?=(?:Digest|Basic|Bearer|Negotiate|NTLM)(?:\s|,|$))/iu)
  const digests = challenges
    .filter(challenge => /^Digest\s/iu.test(challenge))
    .map(parametersOf)
    .filter(
      ({ nonce, algorithm = 'MD5', qop }) =>
        nonce !== undefined &&
        Object.hasOwn(hashes, algorithm.toLowerCase()) &&
        (qop === undefined || qop.split(',').some(one => one.trim() === 'auth')),
    )
  const best = digests.find(({ algorithm }) => /^sha-256/iu.test(algorithm ?? '')) ?? digests[0]
  if (!best) return { digest: undefined, isBasic }
  const { realm = '', nonce = '', algorithm = 'MD5', opaque, qop } = best
  return { digest: { realm, nonce, algorithm, opaque, qop: qop !== undefined }, isBasic }
}

function parametersOf(challenge: string): Record<string, string | undefined> {
  const found = challenge.matchAll(/(?<![a-z])([a-z]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))/giu)
  return Object.fromEntries(
    [...found].map(([, name = '', quoted, bare]) => [
      name.toLowerCase(),
      quoted?.replace(/\\(.)/gu, '$1') ?? bare,
    ]),
  )
}

function digestHeader(
  { realm, nonce, algorithm, qop, opaque, uses }: Digest,
  { user, password, method, uri }: { user: string; password: string; method: string; uri: string },
): string {
  const hash = (text: string): string =>
    createHash(hashes[algorithm.toLowerCase()]!).update(text, 'utf8').digest('hex')
  const count = uses.toString(16).padStart(8, '0')
  const own = randomBytes(16).toString('hex')
  const plain = hash(`${user}:${realm}:${password}`)
  const first = algorithm.toLowerCase().endsWith('-sess') ? hash(`${plain}:${nonce}:${own}`) : plain
  const second = hash(`${method}:${uri}`)
  const response = hash([first, nonce, ...(qop ? [count, own, 'auth'] : []), second].join(':'))
  const quoted = (text: string): string => `"${text.replace(/["\\]/gu, '\\$&')}"`
  return [
    `Digest username=${quoted(user)}`,
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `uri=${quoted(uri)}`,
    `algorithm=${algorithm}`,
    `response="${response}"`,
    ...(qop ? ['qop=auth', `nc=${count}`, `cnonce="${own}"`] : []),
    ...(opaque === undefined ? [] : [`opaque=${quoted(opaque)}`]),
  ].join(', ')
}
