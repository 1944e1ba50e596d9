// runs: in turn

import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { surplusOf } from '../../bin/trim-drivers.js'

const root = join(import.meta.dirname, '..', '..')
const mostBytes = 120e6

interface Lock {
  packages: Record<string, { dev?: boolean }>
}

const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] }
/** Paths that the package leaves out of its folders. */
const leftOut = new Set([
  ...files.filter(name => name.startsWith('!')).map(name => join(root, name.slice(1))),
  // An installation removes these.
  ...surplusOf(root),
])

/** Folders that the published package installs; nested folders are included. */
function installed(): string[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
  const folders = Object.keys(packages).filter(path => path !== '' && !packages[path]!.dev)
  return [...files.filter(name => !name.startsWith('!')), ...folders]
}

/** Adds up the disk usage of files; hard links count once. */
function bytesOf(paths: readonly string[]): number {
  const counted = new Map<number, number>()
  const count = (path: string): void => {
    const status = leftOut.has(path) ? undefined : lstatSync(path, { throwIfNoEntry: false })
    if (!status) return
    counted.set(status.ino, status.blocks * 512)
    if (status.isDirectory()) for (const name of readdirSync(path)) count(join(path, name))
  }
  for (const path of paths) count(join(root, path))
  return [...counted.values()].reduce((sum, bytes) => sum + bytes, 0)
}

// Native parts differ in size between platforms; the limit is for this one.
const onLinux = process.platform === 'linux' && process.arch === 'x64' ? test : test.skip

onLinux('an installation takes at most 120 MB, both drivers of the database included', t => {
  const bytes = bytesOf(installed())
  t.log(`${(bytes / 1e6).toFixed(1)} MB by Node ${process.versions.node}`)
  t.true(bytes > 40e6)
  t.true(bytes <= mostBytes, `${bytes} bytes`)
})
