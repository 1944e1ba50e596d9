import { readFileSync, writeFileSync } from 'node:fs'
import { relative, sep } from 'node:path'
import type { ExecutionContext } from 'ava'
import { s3Credentials, startFakeS3 } from './fake-s3.js'
import type { FakeStore } from './fake-store.js'
import { startFakeWebdav, webdavCredentials } from './fake-webdav.js'
import { filesIn, syncFolder } from './sync.js'

/** A place that machines of a test sync through, and its owner's view of it. */
export interface TestPlace {
  address: string
  /** The value of the secret that opens it. */
  credentials?: string
  /** Every file that is there, by its whole name. */
  files(): Map<string, Buffer>
  write(name: string, bytes: Buffer): void
  /** The server, to give it faults; a folder has none. */
  server?: FakeStore
}

export const testPlaces: Record<'folder' | 'S3' | 'WebDAV', (t: ExecutionContext) => Promise<TestPlace>> = {
  folder: async t => {
    const folder = syncFolder(t)
    const nameOf = (path: string): string => relative(folder, path).split(sep).join('/')
    return {
      address: folder,
      files: () => new Map(filesIn(folder, '').map(path => [nameOf(path), readFileSync(path)])),
      write: (name, bytes) => writeFileSync(`${folder}/${name}`, bytes),
    }
  },
  S3: async t => {
    const server = await startFakeS3(t, { pageSize: 20 })
    return { ...served(server, s3Credentials), address: `s3://shelf/notes?endpoint=${server.url}` }
  },
  WebDAV: async t => {
    const server = await startFakeWebdav(t, { login: 'digest' })
    return {
      ...served(server, webdavCredentials),
      address: `${server.url.replace('http', 'webdav')}/dav/notes`,
    }
  },
}

function served(server: FakeStore, credentials: string): Omit<TestPlace, 'address'> {
  return {
    server,
    credentials,
    files: () => new Map(server.files),
    write: (name, bytes) => void server.files.set(name, bytes),
  }
}
