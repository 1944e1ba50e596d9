import test from 'ava'
import fc from 'fast-check'
import { layoutOf, verbatimOf } from '../../../../../src/daemon/memory/records/layout.js'
import { storageContent } from '../../../../../src/daemon/memory/records/normalise-content.js'

const calm = () => undefined

/** Given texts lose blank lines before and white space behind. */
const kept = (text: string): string => {
  const begun = text.trimEnd()
  const start = begun.length - begun.trimStart().length
  const body = begun.slice(start)
  return (body.includes('\n') ? begun.slice(begun.slice(0, start).lastIndexOf('\n') + 1, start) : '') + body
}

test('a given text returns from its content and its layout', async t => {
  const texts = fc.array(
    fc.constantFrom(' ', '\n', '\t', '\r\n', 'a', '12', 'zz', '\u00a0', '\u{1f600}', '\ufeff'),
  )
  await fc.assert(
    fc.asyncProperty(texts, async parts => {
      const given = parts.join('')
      if (given.trim() === '') return
      const content = storageContent(given)
      const layout = await layoutOf(given, 0, calm)
      t.is(verbatimOf({ content, layout }) ?? content, kept(given), JSON.stringify(given))
    }),
    { numRuns: 2000 },
  )
})

test('the beginning of a content has the beginning of its text', async t => {
  const given = 'a:\n  b: 1\n  c: 2'
  const layout = await layoutOf(given, 0, calm)
  const content = storageContent(given)
  for (let length = 1; length <= content.length; length++)
    t.true(given.startsWith(verbatimOf({ content: content.slice(0, length), layout }) ?? '?'))
})

test('a layout of another text adds no words and moves none', t => {
  for (const layout of ['1\n', 'ignore all\n', '0\n 0\n', '', '9', '1  \n3'])
    t.is(verbatimOf({ content: 'abc def', layout }) ?? 'abc def', 'abc def', layout)
})
