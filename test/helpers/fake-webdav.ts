import { createHash, randomBytes } from 'node:crypto'
import type { Scope } from './daemon-process.js'
import { type Answer, type AskedRequest, escaped, type FakeStore, startStore } from './fake-store.js'

export const webdavCredentials = 'maya:correct horse: battery'

/** Apache and wsgidav describe in HTML what they made. */
const created: Answer = {
  status: 201,
  headers: { 'content-type': 'text/html; charset=iso-8859-1' },
  body: '<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN"><title>201 Created</title>',
}

interface FakeWebdavOptions {
  login?: 'basic' | 'digest'
  /** Path of the folder that is there. */
  folder?: string
  /** The address that the server knows itself by, behind a proxy. */
  inside?: string
}

/** A WebDAV server in memory. Files are by path; a folder is a path with `/` at its end. */
export function startFakeWebdav(t: Scope, options: FakeWebdavOptions = {}): Promise<FakeStore> {
  const { login = 'basic', folder = '/dav/notes/', inside } = options
  const folders = new Set(['/', ...prefixesOf(folder)])
  const nonces = new Set<string>()
  return startStore(t, (store, asked) => {
    if (!isAllowed(asked, login, nonces)) return challenge(login, nonces)
    const path = decodeURIComponent(asked.path)
    const parent = path.slice(0, path.replace(/\/$/u, '').lastIndexOf('/') + 1)
    switch (asked.method) {
      case 'PROPFIND':
        return propfind(store, folders, path, asked.headers.depth)
      case 'GET':
      case 'HEAD':
        return store.files.has(path) ? { status: 200, body: store.files.get(path)! } : { status: 404 }
      case 'PUT':
        if (!folders.has(parent)) return { status: 409 }
        store.files.set(path, asked.body)
        return created
      case 'MKCOL':
        if (folders.has(path)) return { status: 405 }
        if (!folders.has(parent)) return { status: 409 }
        folders.add(path)
        return created
      case 'DELETE':
        return { status: store.files.delete(path) ? 204 : 404 }
      case 'MOVE':
        return move(store, asked, path, inside)
      default:
        return { status: 405 }
    }
  })
}

function prefixesOf(folder: string): string[] {
  const parts = folder.split('/').slice(1, -1)
  return parts.map((_, at) => `/${parts.slice(0, at + 1).join('/')}/`)
}

function move({ files, url }: FakeStore, { headers }: AskedRequest, path: string, inside = url): Answer {
  const destination = String(headers.destination)
  if (!destination.startsWith('/') && !destination.startsWith(`${inside}/`)) return { status: 502 }
  const target = decodeURIComponent(destination.startsWith('/') ? destination : new URL(destination).pathname)
  const bytes = files.get(path)
  if (!bytes) return { status: 404 }
  if (files.has(target) && headers.overwrite === 'F') return { status: 412 }
  files.delete(path)
  files.set(target, bytes)
  return created
}

function propfind({ files, hidden }: FakeStore, folders: Set<string>, path: string, depth: unknown): Answer {
  if (!folders.has(path)) return { status: 404 }
  const isInside = (name: string): boolean =>
    name.startsWith(path) && name !== path && !name.slice(path.length, -1).includes('/')
  const entries =
    depth === '1' ? [...folders, ...files.keys()].filter(name => isInside(name) && !hidden.has(name)) : []
  const responses = [path, ...entries].map(name => {
    const href = name.split('/').map(encodeURIComponent).join('/')
    const type = name.endsWith('/')
      ? '<D:resourcetype><D:collection/></D:resourcetype>'
      : `<D:resourcetype/><D:getcontentlength>${files.get(name)!.length}</D:getcontentlength>`
    const modified = '<D:getlastmodified>Mon, 02 Feb 2026 10:00:00 GMT</D:getlastmodified>'
    return `<D:response><D:href>${escaped(href)}</D:href><D:propstat><D:prop>${type}${modified}</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>`
  })
  return {
    status: 207,
    headers: { 'content-type': 'application/xml; charset=utf-8' },
    body: `<?xml version="1.0"?><D:multistatus xmlns:D="DAV:">${responses.join('')}</D:multistatus>`,
  }
}

const realm = 'notes "at home"'

function challenge(login: 'basic' | 'digest', nonces: Set<string>): Answer {
  const nonce = randomBytes(12).toString('base64')
  nonces.add(nonce)
  const quoted = realm.replaceAll('"', '\\"')
  const digest = `Digest realm="${quoted}", qop="auth", nonce="${nonce}", opaque="5ccc", algorithm=SHA-256`
  const header =
    login === 'basic' ? `Basic realm="${quoted}", charset="UTF-8"` : `${digest}, Basic realm="${quoted}"`
  return { status: 401, headers: { 'www-authenticate': header } }
}

function isAllowed(
  { method, path, headers }: AskedRequest,
  login: 'basic' | 'digest',
  nonces: Set<string>,
): boolean {
  const { authorization = '' } = headers
  if (login === 'basic') return authorization === `Basic ${Buffer.from(webdavCredentials).toString('base64')}`
  if (!authorization.startsWith('Digest ')) return false
  const fields = Object.fromEntries(
    [...authorization.matchAll(/(\w+)=(?:"((?:\\.|[^"\\])*)"|([^",\s]+))/gu)].map(
      ([, name, quoted, bare]) => [name, quoted ?? bare],
    ),
  )
  const [user = '', ...password] = webdavCredentials.split(':')
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex')
  const first = hash(`${user}:${realm}:${password.join(':')}`)
  const parts = [first, fields.nonce, fields.nc, fields.cnonce, 'auth', hash(`${method}:${path}`)]
  return nonces.has(fields.nonce ?? '') && fields.uri === path && fields.response === hash(parts.join(':'))
}
