import test from 'ava'
import fc from 'fast-check'
import { addHooks, removeHooks } from '../../../../../src/cli/sessions/connect/entries/hook-entries.js'
import { appendTo, removeAt, setIn } from '../../../../../src/cli/sessions/connect/entries/json-edit.js'
import { readJson } from '../../../../../src/cli/sessions/connect/entries/json-text.js'

/** White space and comments that a person may write between any two tokens. */
const gap = fc.constantFrom(
  '',
  ' ',
  '\n',
  '\n\t',
  '\r\n  ',
  ' /* a, { */ ',
  ' // b } ]\n',
  '\n// c,\n  ',
  '/* d\n */',
)

/** Generates JSON with gaps and trailing commas anywhere. */
function jsonWithGaps(value: unknown, gaps: () => string, trails: () => boolean): string {
  const list = (open: string, parts: string[], close: string) => {
    const body = parts.map(part => `${gaps()}${part}${gaps()}`).join(',')
    return `${open}${body}${parts.length > 0 && trails() ? `,${gaps()}` : ''}${parts.length > 0 ? '' : gaps()}${close}`
  }
  if (Array.isArray(value))
    return list(
      '[',
      value.map(item => jsonWithGaps(item, gaps, trails)),
      ']',
    )
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const parts = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}${gaps()}:${gaps()}${jsonWithGaps(item, gaps, trails)}`,
  )
  return list('{', parts, '}')
}

const values = fc.letrec(tie => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.integer(),
    fc.constantFrom('x', '// no comment', ', }'),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('any'), { maxLength: 3 }),
  object: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'hooks,'), tie('any'), { maxKeys: 3 }),
}))

const files = fc
  .tuple(values.object, values.list, fc.infiniteStream(gap), fc.infiniteStream(fc.boolean()))
  .map(([object, list, gaps, trails]) => {
    const next =
      <T>(stream: fc.Stream<T>) =>
      () =>
        stream.next().value as T
    const value = { ...(object as object), list }
    return { value, text: `${jsonWithGaps(value, next(gaps), next(trails))}\n` }
  })

/** Returns true if a text results from another one by deleting characters. */
function isSubsequence(part: string, whole: string): boolean {
  let found = 0
  for (const character of whole) if (character === part[found]) found++
  return found >= part.length
}

test('with any comments and spaces, a change only adds text and has the intended meaning', t => {
  fc.assert(
    fc.property(files, ({ value, text }) => {
      const changed = appendTo(setIn(text, ['own', 'inner'], { x: [1] }), ['list'], 'new')
      t.deepEqual(readJson(changed), {
        ...value,
        list: [...(value.list as unknown[]), 'new'],
        own: { inner: { x: [1] } },
      })
      t.true(isSubsequence(text.replace(/\s/gu, ''), changed.replace(/\s/gu, '')))
    }),
    { numRuns: 500 },
  )
})

test('with any comments and spaces, a removal deletes only own entries and no other comments', t => {
  fc.assert(
    fc.property(files, ({ value, text }) => {
      const changed = appendTo(setIn(text, ['own'], { x: 1 }), ['list'], 'new')
      const removed = removeAt(removeAt(changed, ['own']), ['list', (value.list as unknown[]).length])
      t.deepEqual(readJson(removed), value as object)
      t.is(removed.replace(/[\s,]/gu, ''), text.replace(/[\s,]/gu, ''))
    }),
    { numRuns: 500 },
  )
})

test('with any comments and spaces, hooks can be added and removed', t => {
  const isOwn = (handler: unknown) => (handler as { command?: unknown } | null)?.command === 'ours'
  const wanted = ['Stop', 'a'].map(event => ({
    event,
    matcher: '*',
    handler: { type: 'command', command: 'ours' },
  }))
  const lists = fc.dictionary(fc.constantFrom('Stop', 'Start'), values.list, { maxKeys: 2 })
  fc.assert(
    fc.property(lists, fc.infiniteStream(gap), fc.infiniteStream(fc.boolean()), (hooks, gaps, trails) => {
      const text = jsonWithGaps(
        { hooks },
        () => gaps.next().value,
        () => trails.next().value,
      )
      const connected = addHooks(text, 'grouped', wanted, isOwn)
      t.is(addHooks(connected, 'grouped', wanted, isOwn), connected)
      const removed = removeHooks(connected, 'grouped', isOwn, text)
      t.deepEqual(readJson(removed), { hooks } as object)
      t.is(removed.replace(/[\s,]/gu, ''), text.replace(/[\s,]/gu, ''))
    }),
    { numRuns: 300 },
  )
})
