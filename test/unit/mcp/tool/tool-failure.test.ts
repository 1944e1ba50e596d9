import test from 'ava'
import { failureText } from '../../../../src/mcp/tool/tool-failure.js'

const gone = { message: 'there is no task 12', code: 'not_found' }

test('a tool says itself what to do about its errors', t => {
  t.is(
    failureText(gone, { not_found: 'List the tasks.' }),
    'there is no task 12 (not_found)\nList the tasks.',
  )
})

test('what another tool would advise is not said', t => {
  t.false(failureText(gone).includes('memory_search'))
  t.true(failureText(gone).includes('memory doctor'))
})

test('what holds for every tool needs no words of its own', t => {
  t.true(failureText({ message: 'too much', code: 'payload_too_large' }).endsWith('Send less text.'))
})

test('how long to wait is what the refusal says, be it seconds or until an inbox has room', t => {
  const full = failureText({ message: 'the oldest expire after a week', code: 'rate_limited' })
  t.notRegex(full, /minute/)
  t.regex(full, /go on without it/)
})
