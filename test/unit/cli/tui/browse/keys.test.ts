import test from 'ava'
import { browseAction } from '../../../../../src/cli/tui/browse/keys.js'
import { browseRow } from './rows.js'

const view = { pageRows: 10, maxScroll: 7 }
const at = (
  step: 'search' | 'list' | 'read' | 'tags' | 'reason' | 'confirm' | 'left',
  input: string,
  key = {},
) => browseAction({ step }, input, key, view)

test('letters are text where text is typed, and commands in the list', t => {
  for (const step of ['search', 'tags', 'reason'] as const)
    t.deepEqual(at(step, 'd'), { do: 'type', text: 'd' })
  t.deepEqual(at('list', 'd'), { do: 'forget' })
  t.deepEqual(at('read', 'q'), { do: 'leave' })
})

test('arrows move the list while one is still typing', t => {
  t.deepEqual(at('search', '', { downArrow: true }), { do: 'move', by: 1 })
  t.deepEqual(at('search', 'j'), { do: 'type', text: 'j' })
  t.deepEqual(at('search', ' '), { do: 'type', text: ' ' })
})

test('a memory that is read scrolls by line and by page', t => {
  t.deepEqual(at('read', 'j'), { do: 'scroll', by: 1, maxScroll: 7 })
  t.deepEqual(at('read', ' '), { do: 'scroll', by: 10, maxScroll: 7 })
})

test('enter confirms nothing', t => {
  t.is(at('confirm', '', { return: true }), undefined)
  t.deepEqual(at('confirm', 'y'), { do: 'next' })
  t.deepEqual(at('confirm', 'n'), { do: 'back' })
})

test('ctrl-u clears what is typed', t => {
  t.deepEqual(at('tags', 'u', { ctrl: true }), { do: 'clear' })
})

test('while a successor is chosen no other change begins', t => {
  const intent = { do: 'supersede' as const, row: browseRow('a') }
  for (const letter of ['p', 't', 's', 'd'])
    t.is(browseAction({ step: 'list', intent }, letter, {}, view), undefined)
  t.deepEqual(browseAction({ step: 'list', intent }, '/', {}, view), { do: 'search' })
})

test('nothing counts once it is left', t => {
  t.is(at('left', 'y', { return: true }), undefined)
})
