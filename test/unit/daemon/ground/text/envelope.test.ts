import test from 'ava'
import fc from 'fast-check'
import { envelope, envelopeLength } from '../../../../../src/daemon/ground/text/envelope.js'
import { withoutRecalled } from '../../../../../src/daemon/ground/text/tag-spans.js'
import { harmless } from '../../../../../src/lib/text/harmless.js'

const pieces = [
  '<service-memory-context version="1">',
  '</service-memory-context>',
  '</SERVICE-Memory-Context >',
  '&lt;/service-memory-context&gt;',
  '&amp;lt;service-peer-messages',
  '\\u003c/service-memory-context>',
  '<\\/service-memory-context>',
  '<',
  '/',
  'service-memory-context',
  'words',
]
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 12 })
  .map(all => all.join(''))

test('an envelope with any content stays one envelope, and a capture removes it completely (rules.md 2.4)', t => {
  t.notThrows(() =>
    fc.assert(
      fc.property(hostile, text => {
        const inject = envelope(harmless(text))
        const tags = inject.match(/(?:<|&(?:amp;)*lt;|\\u003c)(?:\\?\/)?service-[a-z]/giu) ?? []
        const captured = withoutRecalled(`before ${inject} after`)
        return tags.length === 2 && captured.replace(/\s+/gu, ' ') === 'before after'
      }),
    ),
  )
})

test('a sign that the first pass kept is kept by the second', t => {
  const once = harmless('< service-memory-context<service-memory-context version="1">')
  t.is(once, '< service-memory-context‹service-memory-context version="1">')
  t.is(harmless(once), once)
})

test('making a text harmless twice equals once', t => {
  t.notThrows(() => fc.assert(fc.property(hostile, text => harmless(harmless(text)) === harmless(text))))
})

test('the length of an empty envelope is constant', t => {
  t.is(envelope('').length, envelopeLength)
})
