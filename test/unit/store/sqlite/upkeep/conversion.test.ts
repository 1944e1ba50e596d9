// runs: in turn

import { setImmediate as nextTurn } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { deferred } from '../../../../../src/lib/concurrency/deferred.js'
import { createWriteGate } from '../../../../../src/store/sqlite/commits/write-gate.js'
import { openStore } from '../../../../../src/store/sqlite/database.js'
import { type Conversion, convertFile } from '../../../../../src/store/sqlite/upkeep/conversion.js'
import { manyNotes, olderFile } from '../../../../helpers/older-file.js'

const newSignal = () => new AbortController().signal

/** Opens a file of an older release with some MiB of free pages. */
function openOlder(t: ExecutionContext) {
  const store = openStore(olderFile(t), new Date('2026-01-01T00:00:00Z'))
  t.teardown(() => store.close())
  return store
}

test('a file of an older release is rewritten with the same content and can shrink (operations.md 6.3)', async t => {
  const store = openOlder(t)
  t.false(store.file.pages().canShrink)
  const noted = await manyNotes(store, 200)
  t.is(await store.file.convert(newSignal()), 'converted')
  t.true(store.file.pages().canShrink)
  t.is(await store.tables.meta.conversion(), noted)
  await store.tables.meta.noteConversion('x'.repeat(4_000_000))
  await store.tables.meta.noteConversion('short')
  const { free, count } = store.file.pages()
  t.true(free > 900, 'what was long is free')
  await store.file.giveBack(500)
  t.true(store.file.pages().count <= count - 500)
  await store.check()
})

test('the first write ends a conversion and waits only for that (operations.md 6.3)', async t => {
  const store = openOlder(t)
  const converting = store.file.convert(newSignal())
  await nextTurn()
  await store.tables.meta.noteConversion('written meanwhile')
  const end = await converting
  t.is(end === 'converted', store.file.pages().canShrink)
  t.is(await store.tables.meta.conversion(), 'written meanwhile')
  await store.check()
})

/** A fake conversion whose end the test decides. */
function standIn() {
  const converted = deferred<void>()
  const gone = deferred<void>()
  converted.promise.catch(() => undefined)
  const state = { killed: false }
  const conversion: Conversion = {
    converted: converted.promise,
    gone: gone.promise,
    kill: () => {
      state.killed = true
      converted.reject(new Error('killed'))
    },
  }
  return { conversion, converted, gone, state }
}

test('writes wait for the end of the process, reads do not, and closing ends it (operations.md 6.3)', async t => {
  const gate = createWriteGate()
  const begin = (signal: AbortSignal) => {
    const { conversion, ...rest } = standIn()
    const between = async <T>(work: () => T): Promise<T> => work()
    return { ...rest, ended: convertFile({ file: 'f', gate, between, signal, start: () => conversion }) }
  }
  const first = begin(newSignal())
  await nextTurn()
  t.is(gate.entering('select 1'), undefined)
  let isPastWrite = false
  const writing = gate.entering('insert into a')?.then(() => {
    isPastWrite = true
  })
  await nextTurn()
  t.true(first.state.killed)
  t.false(isPastWrite)
  first.gone.resolve()
  await writing
  t.is(await first.ended, 'gave_way')
  t.is(gate.entering('begin'), undefined, 'it is open again')

  const life = new AbortController()
  const second = begin(life.signal)
  await nextTurn()
  life.abort()
  second.gone.resolve()
  t.is(await second.ended, 'gave_way')

  const third = begin(newSignal())
  await nextTurn()
  third.converted.reject(new Error('disk I/O error'))
  third.gone.resolve()
  await t.throwsAsync(third.ended, { message: 'disk I/O error' })

  const fourth = begin(newSignal())
  await nextTurn()
  fourth.converted.resolve()
  await nextTurn()
  t.is(gate.entering('update a'), undefined, 'the log is copied while writes go on')
  fourth.gone.resolve()
  t.is(await fourth.ended, 'converted')
})
