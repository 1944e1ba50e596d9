import test from 'ava'
import {
  type DuplicateMode,
  type Outcome,
  uploadQueue,
} from '../../../src/ui/sources/uploads/upload-queue.js'

test('files added during an upload keep their own choice for duplicates (web.md 3.4)', async t => {
  const sent: [file: string, mode: DuplicateMode][] = []
  const first: { done?: (outcome: Outcome) => void } = {}
  const { uploads, add, forget } = uploadQueue(({ file, mode }) => {
    sent.push([file.name, mode])
    if (sent.length > 1) return Promise.resolve({ state: 'imported' })
    return new Promise(resolve => Object.assign(first, { done: resolve }))
  })
  const all = add([new File([], 'a'), new File([], 'b')], 'skip')
  await add([new File([], 'c')], 'replace')
  first.done?.({ state: 'failed', reason: 'too large' })
  await all
  t.deepEqual(sent, [
    ['a', 'skip'],
    ['b', 'skip'],
    ['c', 'replace'],
  ])
  t.deepEqual(
    uploads.value.map(({ state }) => state),
    ['failed', 'imported', 'imported'],
  )
  forget()
  t.deepEqual(uploads.value, [])
})
