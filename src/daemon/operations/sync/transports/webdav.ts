import { randomUUID } from 'node:crypto'
import { decoded } from '../../../../lib/network/decoded.js'
import type { ExchangeReply } from '../../../ground/fetch/exchange.js'
import { connections, type HttpCall, httpPlace } from './http.js'
import {
  isWhole,
  type StoredFile,
  type Transport,
  TransportFault,
  type TransportOptions,
} from './transport.js'
import { type WebLogin, webLogin } from './web-login.js'
import { elementsOf, readXml, textOf, type XmlElement } from './xml.js'

/** The folder in the folder that a person named, so that other files beside it are left alone. */
const own = 'memory-sync/'
/** Store, kind or device, file. */
const depth = 3
/** A list has about 500 bytes for each file. */
const mostListBytes = 64 * 1024 * 1024
/** A file that is being put has another name until it is whole. */
const unfinished = /\.[0-9a-f-]{36}\.tmp$/u
/** After that long nobody still puts it. */
const abandonedMs = 24 * 60 * 60 * 1000

const question = Buffer.from(
  '<?xml version="1.0" encoding="utf-8"?><propfind xmlns="DAV:"><prop><resourcetype/><getcontentlength/><getlastmodified/></prop></propfind>',
)

interface Server {
  place: string
  /** The folder of this transport, with `/` at its end. */
  root: URL
  /** The folder that a person named. */
  folder: URL
  send(call: HttpCall): Promise<ExchangeReply>
}

/**
 * A folder of a WebDAV server: Nextcloud, ownCloud, Apache.
 * @param folder its URL, with `/` at its end
 */
export function webdavTransport(folder: URL, options: TransportOptions): Transport {
  const { place } = options
  const http = httpPlace({ ...options, explain: reasonOf })
  const server: Server = { place, root: new URL(own, folder), folder, send: withLogin(http.send, options) }
  const urlOf = (name: string): URL => new URL(name.split('/').map(encodeURIComponent).join('/'), server.root)
  return {
    place,
    atOnce: connections,
    list: () => listAll(server, urlOf),
    get: name => getFile(server, urlOf(name)),
    put: (name, bytes) => putFile(server, { name, bytes, urlOf }),
    remove: name => removeFile(server, urlOf(name)),
    close: http.close,
  }
}

/** Answers the server's question for a password, once for each request. */
function withLogin(send: Server['send'], { credentials, place, advice }: TransportOptions): Server['send'] {
  let login: WebLogin | undefined
  return async call => {
    login ??= webLogin((await credentials()) ?? '')
    const known = login
    const ask = (authorization: string | undefined): Promise<ExchangeReply> =>
      send({
        ...{ ...call, expected: [...(call.expected ?? []), 401] },
        headers: { ...call.headers, 'accept-encoding': 'identity', ...(authorization && { authorization }) },
      })
    const sent = known.header(call)
    let reply = await ask(sent)
    if (reply.status === 401 && known.learn(reply.headers['www-authenticate'], sent))
      reply = await ask(known.header(call))
    if (reply.status !== 401) return reply
    // Another one may be stored meanwhile.
    login = undefined
    throw new TransportFault(`${place} does not take the user name or password; ${advice}`, {
      kind: 'refused',
    })
  }
}

/** The message of Nextcloud and others of its family. */
async function reasonOf({ bytes }: ExchangeReply): Promise<string | undefined> {
  const error = await readXml(bytes)
  return error && textOf(error, 'message')
}

interface Entry {
  name: string
  isFolder: boolean
  bytes: number
  modified: number
}

async function listAll(server: Server, urlOf: (name: string) => URL): Promise<StoredFile[]> {
  const files: StoredFile[] = []
  const walk = async (path: string, level: number): Promise<void> => {
    const { entries, now } = await listFolder(server, path === '' ? server.root : urlOf(`${path}/`))
    for (const { name, isFolder, bytes, modified } of entries) {
      const full = path === '' ? name : `${path}/${name}`
      if (isFolder && level < depth) await walk(full, level + 1)
      else if (!isFolder && !unfinished.test(name)) files.push({ name: full, bytes })
      // A kill left it.
      else if (!isFolder && now - modified > abandonedMs) await removeFile(server, urlOf(full))
    }
  }
  await walk('', 1)
  return files
}

/** @throws TransportFault unless the folder that a person named is there */
async function requireFolder({ send, folder, place }: Server): Promise<void> {
  const headers = { depth: '0', 'content-type': 'application/xml' }
  const { status } = await send({ url: folder, method: 'PROPFIND', body: question, headers, expected: [404] })
  if (status === 404)
    throw new TransportFault(`the folder ${place} is not there; make it first`, { kind: 'absent' })
}

async function listFolder(server: Server, url: URL): Promise<{ entries: Entry[]; now: number }> {
  const reply = await server.send({
    ...{ url, method: 'PROPFIND', body: question, maxBytes: mostListBytes, expected: [404] },
    headers: { depth: '1', 'content-type': 'application/xml' },
  })
  if (reply.status === 404) {
    // Nothing was put yet, or another machine has removed it meanwhile.
    if (url.href === server.root.href) await requireFolder(server)
    return { entries: [], now: 0 }
  }
  const list = await readXml(reply.bytes)
  if (list?.name !== 'multistatus')
    throw new TransportFault(
      `${server.place} answered with something else than a list; is it a place of WebDAV?`,
      {
        kind: 'damaged',
      },
    )
  const now = Date.parse(String(reply.headers.date ?? ''))
  return { entries: entriesOf(server, url, elementsOf(list, 'response')), now: Number.isNaN(now) ? 0 : now }
}

/** A proxy may have other paths inside than outside, so a name is what follows the path of the folder. */
function entriesOf({ place }: Server, url: URL, responses: readonly XmlElement[]): Entry[] {
  const paths = responses.map(response => pathOf(textOf(response, 'href') ?? '', url))
  const asked = pathOf(url.href, url)
  const shortest = paths.reduce((least, path) => (path.length < least.length ? path : least), paths[0] ?? '')
  const self = paths.includes(asked) ? asked : shortest
  return responses.flatMap((response, at) => {
    const path = paths[at]!
    if (path === self) return []
    const rest = path.startsWith(`${self}/`) ? path.slice(self.length + 1) : '/'
    if (rest.includes('/'))
      throw new TransportFault(`${place} lists ${path}, which is not in the folder that was asked for`, {
        kind: 'damaged',
      })
    const property = elementsOf(response, 'propstat')
      .filter(one => / 200 /u.test(`${textOf(one, 'status') ?? ' 200'} `))
      .flatMap(one => elementsOf(one, 'prop'))
    const isFolder = property.some(one =>
      elementsOf(one, 'resourcetype').some(type => elementsOf(type, 'collection').length > 0),
    )
    const words = (name: string): string =>
      property.map(one => textOf(one, name)).find(text => text !== undefined) ?? ''
    const modified = Date.parse(words('getlastmodified'))
    return [
      { name: decoded(rest) ?? rest, isFolder, bytes: Number(words('getcontentlength')) || 0, modified },
    ]
  })
}

function pathOf(href: string, base: URL): string {
  const { pathname } = URL.canParse(href, base.href) ? new URL(href, base) : base
  return pathname.endsWith('/') ? pathname.slice(0, -1) : pathname
}

async function getFile({ send }: Server, url: URL): Promise<Buffer | undefined> {
  const reply = await send({ url, expected: [404] })
  return reply.status === 404 ? undefined : reply.bytes
}

async function removeFile({ send }: Server, url: URL): Promise<void> {
  await send({ url, method: 'DELETE', expected: [404] })
}

interface Putting {
  name: string
  bytes: Uint8Array
  urlOf(name: string): URL
}

/** Many servers write in place: the file gets its name once it is there as a whole. */
async function putFile(server: Server, putting: Putting): Promise<void> {
  const { name, bytes, urlOf } = putting
  const draft = urlOf(`${name}.${randomUUID()}.tmp`)
  await putDraft(server, draft, putting)
  if (await moved(server, draft, putting, 'F')) return
  // An earlier attempt has put it, or another server left a half of it.
  if (isWhole(await getFile(server, urlOf(name)), bytes)) return removeFile(server, draft)
  if (!(await moved(server, draft, putting, 'T')))
    throw new TransportFault(`${server.place} does not let a file be replaced`, { kind: 'refused' })
}

async function putDraft(server: Server, url: URL, putting: Putting): Promise<void> {
  const { bytes: body } = putting
  const headers = { 'content-type': 'application/octet-stream' }
  const put = (expected: number[]): Promise<ExchangeReply> =>
    server.send({ url, method: 'PUT', body, headers, expected })
  // The folder is not there yet; some servers say 404.
  const { status } = await put([404, 409])
  if (status === 404 || status === 409) {
    await makeFolders(server, putting)
    await put([])
  }
  const kept = await server.send({ url, method: 'HEAD' })
  const length = kept.headers['content-length']
  if (length === undefined || Number(length) === body.length) return
  await removeFile(server, url)
  throw new TransportFault(`${server.place} kept only a part of a file; it may be full`, { kind: 'full' })
}

/** @returns false when a file of this name is there */
async function moved(
  server: Server,
  url: URL,
  { name, urlOf }: Putting,
  overwrite: 'T' | 'F',
): Promise<boolean> {
  const target = urlOf(name)
  const move = (destination: string, expected: number[]): Promise<ExchangeReply> =>
    server.send({ url, method: 'MOVE', headers: { destination, overwrite }, expected: [412, ...expected] })
  const first = await move(target.href, [400, 502])
  // A server behind a proxy may know itself by another name.
  const { status } = first.status === 400 || first.status === 502 ? await move(target.pathname, []) : first
  return status !== 412
}

async function makeFolders(server: Server, { name, urlOf }: Putting): Promise<void> {
  const parts = name.split('/').slice(0, -1)
  const folders = parts.map((_, at) => urlOf(`${parts.slice(0, at + 1).join('/')}/`))
  for (const url of [server.root, ...folders]) {
    const make = (more: number[] = []): Promise<ExchangeReply> =>
      server.send({ url, method: 'MKCOL', expected: [404, 405, 409, ...more] })
    const first = await make([500])
    // 405: it is there. wsgidav answers 500 if another machine makes it at the same moment.
    const { status } = first.status === 500 ? await make() : first
    if (status === 404 || status === 409) await requireFolder(server)
  }
}
