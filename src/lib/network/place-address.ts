import { isInTheClear } from './is-loopback.js'

/** A place that files are kept at, by the address that a person types. */
export type PlaceAddress =
  | { kind: 'folder'; path: string }
  /** `remote` as git takes it. */
  | { kind: 'git'; remote: string }
  | {
      kind: 's3'
      bucket: string
      /** Without `/` at its ends; may be empty. */
      prefix: string
      endpoint: URL | undefined
      region: string | undefined
    }
  /** A folder of a WebDAV server, with `/` at its end. */
  | { kind: 'webdav'; url: URL }
  /** A box of another daemon. */
  | { kind: 'relay'; url: URL; box: string }

export type PlaceKind = PlaceAddress['kind']

/** An address that can't be used; its message has no part that may be a password. */
export class AddressFault extends Error {
  override name = 'AddressFault'
}

interface AddressForm {
  kind: PlaceKind
  begins: RegExp
  /** For messages and help. */
  example: string
  /** The credentials that it takes, as a person enters them; undefined when another program has them. */
  credentials?: string
  /** @param rest what follows `begins` */
  read(address: string, rest: string): PlaceAddress
}

/** Every kind of place; the first form that fits counts. */
const forms: readonly AddressForm[] = [
  {
    kind: 'git',
    begins: /^git\+(?=(?:ssh|https?|file):\/\/)/iu,
    example: 'git+ssh://git@host/repository.git',
    read: (_, rest) => ({ kind: 'git', remote: gitRemote(rest) }),
  },
  {
    kind: 'git',
    // The form of scp has no scheme.
    begins: /^git\+(?=\w[\w.-]*@\w[\w.-]*:)/iu,
    example: 'git+git@host:repository.git',
    read: (_, rest) => ({ kind: 'git', remote: rest }),
  },
  {
    kind: 's3',
    begins: /^s3:\/\//iu,
    example: 's3://BUCKET/PREFIX?endpoint=https://host&region=NAME',
    credentials: 'ACCESS_KEY_ID:SECRET_ACCESS_KEY',
    read: (_, rest) => bucketOf(rest),
  },
  {
    kind: 'webdav',
    begins: /^webdav(?=s?:\/\/)/iu,
    example: 'webdavs://host/folder',
    credentials: 'USER:PASSWORD',
    read: (_, rest) => ({ kind: 'webdav', url: folderUrl(webUrl(`http${rest}`)) }),
  },
  {
    kind: 'relay',
    begins: /^memory-relay:(?=https?:\/\/)/iu,
    example: 'memory-relay:https://host:port/BOX',
    credentials: 'an API key of that daemon',
    read: (_, rest) => relayOf(webUrl(rest)),
  },
  {
    kind: 'folder',
    begins: /^(?:[/\\]|[a-z]:[/\\])/iu,
    example: '/path/of/a/folder',
    read: path => ({ kind: 'folder', path }),
  },
]

/** True for an address of another machine, as opposed to a path. Drives of Windows have one letter. */
export function isNetworkAddress(text: string): boolean {
  return /^(?:[a-z][a-z0-9.-]+:|[a-z0-9.-]+\+)/iu.test(text)
}

/** @throws AddressFault that names the forms, or what is wrong */
export function readPlaceAddress(address: string): PlaceAddress {
  const form = formOf(address)
  if (form) return form.read(address, address.replace(form.begins, ''))
  const examples = forms.map(({ example }) => example).join(', ')
  throw new AddressFault(`memory cannot sync through this address; use one of: ${examples}`)
}

/** The form of the credentials of this place; undefined when it needs none, or git has them. */
export function credentialsFor(address: string): string | undefined {
  return formOf(address)?.credentials
}

function formOf(address: string): AddressForm | undefined {
  return forms.find(({ begins }) => begins.test(address))
}

function gitRemote(remote: string): string {
  const { protocol } = parsed(remote)
  if (protocol === 'https:' || protocol === 'http:') webUrl(remote)
  const { username, password, hostname } = parsed(remote)
  if (password) throw withPassword()
  if (username.startsWith('-') || hostname.startsWith('-'))
    throw new AddressFault('neither the user nor the host of an address begins with a dash')
  return remote
}

/** @throws AddressFault for one with credentials, a query or a fragment, or one that others could read */
function webUrl(text: string): URL {
  const url = parsed(text)
  if (url.username || url.password) throw withPassword()
  if (url.search || url.hash) throw new AddressFault(`${url.host} must be named without ? and #`)
  if (isInTheClear(url))
    throw new AddressFault(`${url.host} would be asked without encryption, which only this machine may be`)
  return url
}

function bucketOf(rest: string): PlaceAddress {
  const [path = '', query = '', ...more] = rest.split('?')
  const [bucket = '', ...folders] = path.split('/')
  if (bucket.includes('@')) throw withPassword()
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/u.test(bucket) || more.length > 0)
    throw new AddressFault('the name of a bucket has 3 to 63 small letters, digits, dots and dashes')
  const options = new URLSearchParams(query)
  for (const name of options.keys())
    if (name !== 'endpoint' && name !== 'region')
      throw new AddressFault(
        'an address of s3:// takes ?endpoint= and &region= only; keys never belong there',
      )
  const region = options.get('region') ?? undefined
  if (region !== undefined && !/^[a-z0-9-]{1,40}$/u.test(region))
    throw new AddressFault('the region of s3:// has small letters, digits and dashes, such as eu-central-1')
  const endpoint = options.get('endpoint')
  const prefix = folders.filter(Boolean).join('/')
  return { kind: 's3', bucket, prefix, endpoint: endpoint ? webUrl(endpoint) : undefined, region }
}

function relayOf(url: URL): PlaceAddress {
  const box = url.pathname.replace(/^\/|\/$/gu, '') || 'main'
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/u.test(box))
    throw new AddressFault('a box of a relay has up to 40 small letters, digits and dashes')
  return { kind: 'relay', url: new URL(url.origin), box }
}

function folderUrl(url: URL): URL {
  return url.pathname.endsWith('/') ? url : new URL(`${url.origin}${url.pathname}/`)
}

function parsed(text: string): URL {
  if (URL.canParse(text)) return new URL(text)
  throw new AddressFault('this address is not a complete URL')
}

function withPassword(): AddressFault {
  return new AddressFault(
    'an address must not contain a user name or password: memory asks for them, or takes --credentials NAME of one that memory secrets set stored',
  )
}
