import { EventEmitter } from 'node:events'
import test, { type ExecutionContext } from 'ava'
import {
  WatchedFolders,
  type WatchFolder,
} from '../../../../../src/daemon/knowledge/files/watched-folders.js'

/** A watch of a system; `fail` reports an error from the watched folder. */
async function watchOn(t: ExecutionContext, platform: NodeJS.Platform, folders: readonly string[]) {
  // The watch waits without keeping the process alive.
  const alive = setInterval(() => undefined, 1000)
  t.teardown(() => clearInterval(alive))
  const emitters: EventEmitter[] = []
  const watchFolder: WatchFolder = () => {
    const emitter = Object.assign(new EventEmitter(), { close: () => undefined })
    emitters.push(emitter)
    return emitter as unknown as ReturnType<WatchFolder>
  }
  const watched = new WatchedFolders('/root', watchFolder, platform)
  await watched.cover(folders)
  return {
    fail: (code: string) => emitters[0]?.emit('error', Object.assign(new Error(code), { code })),
    change: (name: string) => emitters.at(-1)?.emit('change', 'change', name),
    next: () => watched.next(new AbortController().signal, new Promise<never>(() => undefined)),
  }
}

for (const code of ['EPERM', 'EACCES']) {
  test(`a root that Windows reports as gone with ${code} is looked through regularly from then on`, async t => {
    const { fail, next } = await watchOn(t, 'win32', [''])
    fail(code)
    t.like(await next(), { isUnclear: true, isDeaf: true })
  })
}

test('on Linux an unreadable folder is passed over, and the others are still watched', async t => {
  const { fail, change, next } = await watchOn(t, 'linux', ['a', 'b'])
  fail('EACCES')
  change('note.md')
  const heard = await next()
  t.like(heard, { isUnclear: false, isDeaf: false })
  t.deepEqual([...heard.paths], ['b/note.md'])
})
