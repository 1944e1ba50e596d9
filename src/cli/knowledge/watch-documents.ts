import { basename, dirname, join, relative, sep } from 'node:path'
import { ignoreRules } from '../../lib/files/ignore-files.js'
import { isReadable, isSkipped } from './document-inputs.js'

/** A file counts as written once its size stays the same for so long. */
const settledMs = 300

export interface Watch {
  paths: readonly string[]
  /** Called for one file after the other. */
  onFile(path: string): Promise<void>
  /** Resolves when the watch is to end. */
  until: Promise<unknown>
}

/** Tells of files that are made or changed at some paths, until it is to end. What is there at the start is not told. */
export async function watchDocuments({ paths, onFile, until }: Watch): Promise<void> {
  const { watch } = await import('chokidar')
  const named = new Set(paths)
  const queue = { last: Promise.resolve() }
  const tell = (path: string): void => {
    if (!named.has(path) && !isReadable(path)) return
    queue.last = queue.last.then(async () => {
      if (named.has(path) || !(await isIgnored(path, paths))) await onFile(path)
    })
  }
  const watcher = watch([...paths], {
    ignoreInitial: true,
    followSymlinks: false,
    awaitWriteFinish: { stabilityThreshold: settledMs, pollInterval: 50 },
    ignored: path => !named.has(path) && isSkipped(basename(path)),
  })
  watcher.on('add', tell).on('change', tell)
  await until
  await watcher.close()
  await queue.last
}

/** Read anew each time: a `.gitignore` may change while its folder is watched. */
async function isIgnored(path: string, watched: readonly string[]): Promise<boolean> {
  const root = watched.find(one => path.startsWith(one + sep))
  if (root === undefined) return false
  let rules = await ignoreRules(root)
  let at = root
  for (const name of relative(root, dirname(path)).split(sep).filter(Boolean)) {
    at = join(at, name)
    if (rules.ignores(at, 'folder')) return true
    rules = await rules.inFolder(at)
  }
  return rules.ignores(path, 'file')
}
