import { basename } from 'node:path'
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
    if (named.has(path) || isReadable(path)) queue.last = queue.last.then(() => onFile(path))
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
