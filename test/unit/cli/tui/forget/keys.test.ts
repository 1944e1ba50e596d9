import test from 'ava'
import { actionOf } from '../../../../../src/cli/tui/forget/keys.js'
import { keyPresses } from '../../../../../src/cli/tui/screen.js'

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
