import test from 'ava'
import {
  type BrowseAction,
  type BrowseState,
  reduceBrowse,
  startBrowse,
} from '../../../../../src/cli/tui/browse/state.js'
import { browseRow } from './rows.js'

const rows = [browseRow('a'), browseRow('b', { pinned: 1, tags: 'x,y' }), browseRow('c')]
const after = (state: BrowseState, ...actions: BrowseAction[]) => actions.reduce(reduceBrowse, state)
const list = after(startBrowse(), { do: 'found', rows }, { do: 'next' })
const onB = after(list, { do: 'move', by: 1 })

test('typing changes the query and selects the first row', t => {
  const state = after(startBrowse(), { do: 'found', rows }, { do: 'move', by: 2 }, { do: 'type', text: 'de' })
  t.like(state, { query: 'de', cursor: 0, step: 'search' })
  t.is(after(state, { do: 'erase' }).query, 'd')
})

test('Esc clears the query, then leaves', t => {
  const typed = after(startBrowse('de'), { do: 'back' })
  t.like(typed, { query: '', step: 'search' })
  t.is(after(typed, { do: 'back' }).step, 'left')
})

test('a new filter starts at the first row', t => {
  t.like(after(onB, { do: 'filterType' }), { cursor: 0, filter: { type: 'fact' } })
  t.true(after(onB, { do: 'filterPinned' }).filter.pinned)
  const all = Array.from({ length: 9 }, () => ({ do: 'filterType' }) as const)
  t.is(after(onB, ...all).filter.type, undefined)
  const tagged = after(onB, { do: 'filterTag' }, { do: 'type', text: ' ci ' }, { do: 'next' })
  t.like(tagged, { step: 'list', filter: { tag: 'ci' } })
  t.is(after(tagged, { do: 'filterTag' }, { do: 'clear' }, { do: 'next' }).filter.tag, undefined)
})

test('pin turns into unpin on a pinned memory', t => {
  t.like(after(list, { do: 'pin' }).task, { do: 'pin', pinned: true })
  t.like(after(onB, { do: 'pin' }).task, { do: 'pin', pinned: false })
})

test('editing starts with the current tags, and applies to the same memory if the list changes', t => {
  const editing = after(onB, { do: 'tags' })
  t.is(editing.input, 'x,y')
  const saved = after(
    editing,
    { do: 'found', rows: [browseRow('z')] },
    { do: 'type', text: ',z' },
    { do: 'next' },
  )
  t.like(saved.task, { do: 'tags', tags: 'x,y,z', row: { id: 'b' } })
})

test('forget asks for a reason, then for confirmation', t => {
  const asked = after(list, { do: 'forget' }, { do: 'next' })
  t.is(asked.step, 'reason')
  t.regex(asked.notice.text, /Enter a reason/)
  const confirm = after(asked, { do: 'type', text: 'old' }, { do: 'next' })
  t.is(confirm.step, 'confirm')
  t.is(confirm.task, undefined)
  t.like(after(confirm, { do: 'back' }), { step: 'reason', input: 'old' })
  t.like(after(confirm, { do: 'next' }), {
    step: 'list',
    task: { do: 'forget', reason: 'old', row: { id: 'a' } },
  })
})

test('supersede asks for another memory, a reason and confirmation', t => {
  const choosing = after(list, { do: 'supersede' })
  t.regex(after(choosing, { do: 'next' }).notice.text, /cannot replace itself/)
  const confirm = after(
    choosing,
    { do: 'move', by: 2 },
    { do: 'next' },
    { do: 'type', text: 'newer' },
    { do: 'next' },
  )
  t.is(confirm.step, 'confirm')
  t.like(after(confirm, { do: 'next' }).task, {
    do: 'supersede',
    row: { id: 'a' },
    by: { id: 'c' },
    reason: 'newer',
  })
  t.is(after(choosing, { do: 'back' }).intent, undefined)
})

test('only leaving is possible while a change runs', t => {
  const busy = after(list, { do: 'pin' })
  t.is(after(busy, { do: 'forget' }), busy)
  t.is(after(busy, { do: 'leave' }).step, 'left')
})

test('a successful change reloads the list, a refused one shows why', t => {
  const busy = after(list, { do: 'pin' })
  t.like(after(busy, { do: 'succeeded', text: 'Pinned.' }), { revision: 1, task: undefined })
  t.like(after(busy, { do: 'failed', text: 'no' }), { revision: 0, task: undefined, notice: { fault: true } })
})

test('the cursor stays on its memory when rows are added or removed', t => {
  t.is(after(onB, { do: 'found', rows: [browseRow('new'), ...rows] }).cursor, 2)
  t.is(after(onB, { do: 'found', rows: [] }).cursor, 0)
  const reading = after(onB, { do: 'next' })
  t.is(reading.step, 'read')
  t.is(after(reading, { do: 'found', rows: [browseRow('c')] }).step, 'list')
})
