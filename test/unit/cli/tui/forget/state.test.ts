import test from 'ava'
import {
  actionOf,
  type ForgetAction,
  type ForgetState,
  reduceForget,
  startForget,
} from '../../../../../src/cli/tui/forget/state.js'
import { keyPresses } from '../../../../../src/cli/tui/screen.js'
import { candidate } from './candidates.js'

const candidates = [candidate('a'), candidate('b', { pinned: 1 }), candidate('c')]
const after = (state: ForgetState, ...actions: ForgetAction[]) => actions.reduce(reduceForget, state)
const start = (fields: Partial<Parameters<typeof startForget>[0]> = {}) =>
  startForget({ candidates, force: false, preselect: false, ...fields })

test('on request everything except pinned memories is preselected', t => {
  t.deepEqual([...start().selected], [])
  t.deepEqual([...start({ preselect: true }).selected], ['a', 'c'])
  t.deepEqual([...start({ preselect: true, force: true }).selected], ['a', 'b', 'c'])
})

test('the cursor stays inside the list', t => {
  t.is(after(start(), { do: 'move', by: -1 }).cursor, 0)
  t.is(after(start(), { do: 'move', by: 10 }).cursor, 2)
  t.is(after(start(), { do: 'move', by: Number.NEGATIVE_INFINITY }).cursor, 0)
})

test('toggle selects and deselects the row under the cursor', t => {
  const once = after(start(), { do: 'toggle' })
  t.deepEqual([...once.selected], ['a'])
  t.deepEqual([...after(once, { do: 'toggle' }).selected], [])
})

test('a pinned row needs --force, and the notice says so', t => {
  const refused = after(start(), { do: 'move', by: 1 }, { do: 'toggle' })
  t.is(refused.selected.size, 0)
  t.regex(refused.notice, /--force/)
  t.is(after(start({ force: true }), { do: 'move', by: 1 }, { do: 'toggle' }).selected.size, 1)
})

test('a selects every allowed row, then deselects them', t => {
  const all = after(start(), { do: 'toggleAll' })
  t.deepEqual([...all.selected], ['a', 'c'])
  t.is(after(all, { do: 'toggleAll' }).selected.size, 0)
})

test('an empty selection cannot be confirmed', t => {
  const state = after(start(), { do: 'next' })
  t.is(state.step, 'select')
  t.regex(state.notice, /Nothing is selected/)
})

test('a missing reason is requested and may not be empty', t => {
  const asked = after(start({ preselect: true }), { do: 'next' })
  t.is(asked.step, 'reason')
  t.is(after(asked, { do: 'next' }).step, 'reason')
  const typed = after(asked, { do: 'type', text: 'old👍' }, { do: 'erase' }, { do: 'next' })
  t.is(typed.step, 'confirm')
  t.is(typed.reason, 'old')
})

test('a given reason is not requested again', t => {
  t.is(after(start({ preselect: true, reason: 'old' }), { do: 'next' }).step, 'confirm')
})

test('nothing is forgotten before the confirmation', t => {
  const confirm = after(start({ preselect: true, reason: 'old' }), { do: 'next' })
  t.is(after(confirm, { do: 'back' }).step, 'select')
  t.is(after(confirm, { do: 'next' }).step, 'done')
  t.is(after(confirm, { do: 'cancel' }).step, 'cancelled')
})

test('back returns step by step', t => {
  const confirm = after(start({ preselect: true }), { do: 'next' }, { do: 'type', text: 'x' }, { do: 'next' })
  const reason = after(confirm, { do: 'back' })
  t.is(reason.step, 'reason')
  t.is(after(reason, { do: 'back' }).step, 'select')
  t.is(after(reason, { do: 'back' }, { do: 'back' }).step, 'cancelled')
})

test('page keys move by one screen', t => {
  t.deepEqual(actionOf('select', '', { pageDown: true }, 14), { do: 'move', by: 14 })
  t.deepEqual(actionOf('select', '', { pageUp: true }, 14), { do: 'move', by: -14 })
})

test('Esc goes back at every step', t => {
  for (const step of ['select', 'reason', 'confirm'] as const) {
    t.deepEqual(actionOf(step, '', { escape: true }, 14), { do: 'back' })
  }
})

test('a reason contains no control characters', t => {
  t.deepEqual(actionOf('reason', '\n', {}, 14), { do: 'type', text: ' ' })
})

test('keys that arrive together are handled one by one', t => {
  t.deepEqual(keyPresses('j \r', {}), [
    { input: 'j', key: {} },
    { input: ' ', key: {} },
    { input: '', key: { return: true } },
  ])
  t.deepEqual(keyPresses('', { downArrow: true }), [{ input: '', key: { downArrow: true } }])
  t.deepEqual(keyPresses('👍', {}), [{ input: '👍', key: {} }])
})

test('keys without a meaning do nothing', t => {
  t.is(actionOf('select', 'x', {}, 14), undefined)
  t.is(actionOf('confirm', ' ', {}, 14), undefined)
  t.is(actionOf('reason', 'c', { ctrl: true }, 14), undefined)
})

test('no key changes a finished decision', t => {
  t.is(actionOf('done', 'q', {}, 14), undefined)
  t.is(actionOf('cancelled', '', { return: true }, 14), undefined)
})
