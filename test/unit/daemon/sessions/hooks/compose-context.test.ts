import test from 'ava'
import fc from 'fast-check'
import { composeContext } from '../../../../../src/daemon/sessions/hooks/compose-context.js'

const section = fc.oneof(
  fc.record({ name: fc.uuid(), heading: fc.string(), text: fc.string({ minLength: 1, maxLength: 400 }) }),
  fc.record({
    name: fc.uuid(),
    heading: fc.string(),
    records: fc.array(fc.string({ maxLength: 80 }), { minLength: 1, maxLength: 8 }),
    footing: fc.option(fc.string({ maxLength: 20 }), { nil: undefined }),
  }),
)

test('the composed context never exceeds its budget, and its counts match (rules.md 4.12)', t => {
  t.notThrows(() =>
    fc.assert(
      fc.property(
        fc.array(section, { maxLength: 6 }),
        fc.integer({ min: -10, max: 1500 }),
        (sections, budget) => {
          const composed = composeContext(sections as never, budget)
          if (composed.text.length > Math.max(0, budget)) return false
          return sections.every(one => {
            const records = 'records' in one ? one.records : undefined
            const count = composed.records.get(one.name)
            if (!records) return count === undefined
            const whole = [one.heading, ...records.slice(0, count)].join('\n')
            return count === 0 || composed.text.includes(whole)
          })
        },
      ),
    ),
  )
})

test('records are kept whole or left out, in order (rules.md 4.12)', t => {
  const records = ['- one', '- twenty-two', '- three']
  const composed = composeContext([{ name: 'r', heading: '## R', records, footing: 'end' }], 30)
  t.is(composed.text, '## R\n- one\n- twenty-two\nend')
  t.is(composed.records.get('r'), 2)
  t.deepEqual([composed.truncated, composed.omitted], [['r'], []])
})

test('a text is shortened, or left out if too little would remain (rules.md 4.12)', t => {
  const text = 'words '.repeat(100).trim()
  const shortened = composeContext([{ name: 't', heading: '## T', text }], 200)
  t.true(shortened.text.length <= 200 && shortened.text.endsWith('…'))
  t.deepEqual(shortened.truncated, ['t'])
  const omitted = composeContext([{ name: 't', heading: '## T', text }], 60)
  t.deepEqual([omitted.text, omitted.omitted], ['', ['t']])
  t.is(composeContext([{ name: 't', heading: '## T', text: 'short' }], 60).text, '## T\nshort')
})
