import test from 'ava'
import { failureText } from '../../../../src/mcp/tool/tool-failure.js'

const gone = { message: 'task 12 was not found', code: 'not_found' }

test('a tool can give its own advice on its errors', t => {
  t.is(
    failureText(gone, { not_found: 'List the tasks.' }),
    'task 12 was not found (not_found)\nList the tasks.',
  )
})

test('advice of another tool is not given', t => {
  t.false(failureText(gone).includes('memory_search'))
  t.true(failureText(gone).includes('memory health'))
})

test('errors common to all tools have shared advice', t => {
  t.true(failureText({ message: 'too much', code: 'payload_too_large' }).endsWith('Send less text.'))
})

test('the refusal says how long to wait, in seconds or until an inbox has space', t => {
  const full = failureText({ message: 'the oldest expire after a week', code: 'rate_limited' })
  t.notRegex(full, /minute/)
  t.regex(full, /continue without it/)
})
