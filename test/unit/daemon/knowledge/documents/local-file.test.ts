// runs: in turn

import { appendFileSync, closeSync, ftruncateSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { defaultSettings } from '../../../../../src/daemon/ground/settings/default-settings.js'
import { readLocalFile } from '../../../../../src/daemon/knowledge/documents/local-file.js'
import { workspacePaths } from '../../../../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'

/** Creates a file of 16 MiB, so that reading takes many turns of the event loop. */
function largeFile(t: ExecutionContext) {
  const folder = temporaryWorkspace(t)
  const path = join(folder, 'large.md')
  const whole = Buffer.alloc(16 * 1024 * 1024, 'a')
  writeFileSync(path, whole)
  const configuration = () => ({ settings: defaultSettings(), problems: [] })
  return { path, whole, read: () => readLocalFile({ paths: workspacePaths(folder), configuration }, path) }
}

/**
 * Runs an action in each turn of the event loop.
 * @returns a function that stops it
 */
function inEachTurn(act: () => void): () => void {
  let isOver = false
  const turn = (): void => {
    if (isOver) return
    act()
    setImmediate(turn)
  }
  turn()
  return () => {
    isOver = true
  }
}

const changes: Record<string, (path: string) => void> = {
  grows: path => appendFileSync(path, 'b'),
  'is cut': path => {
    const file = openSync(path, 'r+')
    ftruncateSync(file, 8 * 1024 * 1024 + Math.floor(Math.random() * 1024))
    closeSync(file)
  },
  'is overwritten': path => {
    const file = openSync(path, 'r+')
    writeSync(file, 'b', Math.floor(Math.random() * 1024))
    closeSync(file)
  },
}
for (const [what, change] of Object.entries(changes))
  test(`a file that ${what} during the read is refused and retried later`, async t => {
    const { path, read } = largeFile(t)
    const stop = inEachTurn(() => change(path))
    const error = await t.throwsAsync(read(), { message: `${path}: it is being written` })
    stop()
    t.like(error, { isPassing: true })
    t.true((await read()).length > 0)
  })

test('a file that was being saved is read completely afterwards', async t => {
  const { path, whole, read } = largeFile(t)
  let turns = 0
  const stop = inEachTurn(() => {
    if (turns++ < 2) appendFileSync(path, 'b')
  })
  t.is((await read()).length, whole.length + 2)
  stop()
})
