import test from 'ava'
import fc from 'fast-check'
import { fitContext } from '../../../../../src/daemon/sessions/harness/fit-context.js'

const characters = (maxSize: number) => ({ sizeOf: (text: string) => text.length, maxSize })

const envelope = [
  '<service-memory-context version="1">',
  '## Memories',
  ...Array.from({ length: 20 }, (_, n) => `- memory ${n}: the harbour crane lifts load ${n}`),
  '## Recent work',
  ...Array.from({ length: 20 }, (_, n) => `- session ${n}: something was done`),
  '<peer-messages untrusted="true">',
  '- ann: hello',
  '</peer-messages>',
  '</service-memory-context>',
  '',
].join('\n')

test('a text that fits is unchanged', t => {
  t.is(fitContext(envelope, characters(envelope.length)), envelope)
})

test('a longer text ends before a record, with its envelope closed', t => {
  const text = fitContext(envelope, characters(envelope.length - 1))
  t.true(text.length < envelope.length)
  t.regex(
    text,
    /- session \d+: something was done\n\n\(Shortened; search memory for more.*\n<\/service-memory-context>\n$/su,
  )
  t.false(text.includes('peer-messages'))
})

test('a section without room for a record is left out', t => {
  const text = fitContext(envelope, characters(envelope.indexOf('- session 0') + 75))
  t.regex(text, /lifts load 19\n/)
  t.false(text.includes('- session 0'))
})

test('records of several lines stay whole, unless the first alone is too long', t => {
  const record = `- one\n${'  more\n'.repeat(50)}`
  const two = `<a>\n## Memories\n${record}${record}</a>\n`
  t.is(fitContext(two, characters(two.length - 1)).match(/^- /gmu)?.length, 1)
  t.regex(fitContext(two, characters(200)), /## Memories\n\n\(Shortened/)
})

test('an open tag inside the envelope is closed too', t => {
  const nested = `<service-memory-context version="1">\n<peer-messages>\n${'- ann: hello\n'.repeat(100)}</peer-messages>\n</service-memory-context>\n`
  const text = fitContext(nested, characters(300))
  t.true(text.endsWith('</peer-messages>\n</service-memory-context>\n'))
})

test('nothing is returned if not even one line fits', t => {
  t.is(fitContext(envelope, characters(60)), '')
})

test('for any size the result fits and has balanced tags', t => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: envelope.length + 10 }), maxSize => {
      const text = fitContext(envelope, characters(maxSize))
      const opened = text.match(/^<[a-z]/gmu)?.length ?? 0
      const closed = text.match(/^<\/[a-z]/gmu)?.length ?? 0
      t.is(opened, closed)
      t.true(text.length <= maxSize)
    }),
  )
})
