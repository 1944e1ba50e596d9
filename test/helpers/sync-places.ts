import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { ExecutionContext } from 'ava'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { s3Credentials, startFakeS3 } from './fake-s3.js'
import type { FakeStore } from './fake-store.js'
import { startFakeWebdav, webdavCredentials } from './fake-webdav.js'
import { startKillable } from './killable-daemon.js'
import { filesIn, syncFolder } from './sync.js'
import type { Chance } from './sync-model-parts.js'
import { startProxy } from './tcp-proxy.js'
import { temporaryFolder } from './temporary-folder.js'

/** A place that machines of a test sync through, with the faults that it can have. */
export interface TestPlace {
  address: string
  /** The value of the secret that opens it. */
  credentials?: string
  /** Every file that is there, by its whole name. */
  files(): Map<string, Buffer>
  /** Cuts a file or a transfer, as one that was interrupted; the whole one comes later. */
  cut(chance: Chance): boolean
  /** Ends all faults. */
  mend(): void
  /** The server, to give it faults; absent where there is none. */
  server?: FakeStore
}

type PlaceKind = 'folder' | 'git' | 'relay' | 'S3' | 'WebDAV'

export const testPlaces: Record<PlaceKind, (t: ExecutionContext) => Promise<TestPlace>> = {
  folder: async t => inFolder(syncFolder(t)),
  git: async t => inRepository(temporaryFolder(t, 'memory-sync-bare')),
  relay: async t => {
    const workspace = temporaryFolder(t, 'memory-sync-relay')
    const paths = workspacePaths(workspace)
    writeFileSync(paths.settings, 'sync:\n  relay: true\n')
    const proxy = await startProxy(t, (await startKillable(t, workspace)).url)
    const stored = inFolder(paths.syncRelay)
    return {
      ...stored,
      address: `memory-relay:${new URL(proxy.url).origin}`,
      cut: chance => {
        proxy.drop()
        return stored.cut(chance)
      },
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

function inFolder(folder: string): TestPlace {
  const nameOf = (path: string): string => relative(folder, path).split(sep).join('/')
  const files = () => new Map(filesIn(folder, '').map(path => [nameOf(path), readFileSync(path)]))
  const write = (name: string, bytes: Buffer) => writeFileSync(join(folder, name), bytes)
  return { address: folder, files, ...withCuts(files, write) }
}

function inRepository(folder: string): TestPlace {
  const git = (args: string[]) => execFileSync('git', ['--git-dir', folder, ...args], { maxBuffer: 2 ** 28 })
  git(['init', '--quiet', '--bare'])
  const lock = join(folder, 'refs', 'heads', 'memory-sync.lock')
  const unlock = () => rmSync(lock, { force: true })
  return {
    address: `git+file://${folder}`,
    // A kill of the repository's machine in the middle of a push.
    cut: chance => {
      if (chance.below(2) === 0 || existsSync(lock) || !existsSync(join(lock, '..'))) return false
      writeFileSync(lock, '')
      setTimeout(unlock, 500)
      return true
    },
    mend: unlock,
    files: () => {
      const objects = String(git(['cat-file', '--batch-all-objects', '--batch-check'])).split('\n')
      const found = objects.filter(Boolean).map(line => line.split(' ') as [string, string])
      return new Map(found.map(([id, type]) => [id, git(['cat-file', type, id])]))
    },
  }
}

function served(server: FakeStore, credentials: string): Omit<TestPlace, 'address'> {
  const files = () => new Map(server.files)
  const { cut, mend } = withCuts(files, (name, bytes) => void server.files.set(name, bytes))
  return {
    ...{ server, credentials, files, cut },
    mend: () => {
      server.fault = undefined
      server.hidden.clear()
      mend()
    },
  }
}

function withCuts(
  files: () => Map<string, Buffer>,
  write: (name: string, bytes: Buffer) => void,
): Pick<TestPlace, 'cut' | 'mend'> {
  const whole = new Map<string, Buffer>()
  return {
    cut: chance => {
      const segments = [...files()].filter(([name]) => name.endsWith('.seg') && !whole.has(name))
      if (segments.length === 0) return false
      const [name, bytes] = chance.oneOf(segments)
      whole.set(name, bytes)
      write(name, bytes.subarray(0, chance.below(bytes.length)))
      return true
    },
    mend: () => {
      for (const [name, bytes] of whole) write(name, bytes)
    },
  }
}
