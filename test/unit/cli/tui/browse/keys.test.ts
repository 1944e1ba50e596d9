import test from 'ava'
import { browseAction } from '../../../../../src/cli/tui/browse/keys.js'
import { browseRow } from './rows.js'

const view = { pageRows: 10, maxScroll: 7 }
const at = (
  step: 'search' | 'list' | 'read' | 'tags' | 'reason' | 'confirm' | 'left',
  input: string,
  key = {},
) => browseAction({ step }, input, key, view)

test('letters are text in input lines and commands in the list', t => {
  for (const step of ['search', 'tags', 'reason'] as const)
    t.deepEqual(at(step, 'd'), { do: 'type', text: 'd' })
  t.deepEqual(at('list', 'd'), { do: 'forget' })
  t.deepEqual(at('read', 'q'), { do: 'leave' })
})

test('arrows move the list during typing', t => {
  t.deepEqual(at('search', '', { downArrow: true }), { do: 'move', by: 1 })
  t.deepEqual(at('search', 'j'), { do: 'type', text: 'j' })
  t.deepEqual(at('search', ' '), { do: 'type', text: ' ' })
})

test('an open memory scrolls by line and by page', t => {
  t.deepEqual(at('read', 'j'), { do: 'scroll', by: 1, maxScroll: 7 })
  t.deepEqual(at('read', ' '), { do: 'scroll', by: 10, maxScroll: 7 })
})

test('Enter does not confirm a change', t => {
  t.is(at('confirm', '', { return: true }), undefined)
  t.deepEqual(at('confirm', 'y'), { do: 'next' })
  t.deepEqual(at('confirm', 'n'), { do: 'back' })
})

test('Ctrl-U clears the input', t => {
  t.deepEqual(at('tags', 'u', { ctrl: true }), { do: 'clear' })
})

test('no other change can start while a replacement is chosen', t => {
  const intent = { do: 'supersede' as const, row: browseRow('a') }
  for (const letter of ['p', 't', 's', 'd'])
    t.is(browseAction({ step: 'list', intent }, letter, {}, view), undefined)
  t.deepEqual(browseAction({ step: 'list', intent }, '/', {}, view), { do: 'search' })
})

test('keys are ignored after leaving', t => {
  t.is(at('left', 'y', { return: true }), undefined)
})
