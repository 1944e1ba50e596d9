import test from 'ava'
import fc from 'fast-check'
import { parseDotEnv } from '../../../../src/cli/secrets/import.js'

const cases: [title: string, text: string, entries: Record<string, string>][] = [
  ['plain values', 'A=1\nB = two words \n', { A: '1', B: 'two words' }],
  ['comments and blank lines', '# c\n\n  # d\nA=1 # e\n', { A: '1' }],
  ['the export prefix', 'export A=1\n  export\tB=2', { A: '1', B: '2' }],
  ['a value with equal signs', 'A=b=c==', { A: 'b=c==' }],
  ['double quotes with escapes', 'A="a\\nb\\t\\"c\\" \\\\ \\$d \\x" # e', { A: 'a\nb\t"c" \\ $d \\x' }],
  ['single quotes without escapes', 'A=\'a\\nb "c" # d\'', { A: 'a\\nb "c" # d' }],
  ['back quotes', 'A=`it\'s "so"`', { A: 'it\'s "so"' }],
  [
    'several lines in quotes',
    'A="one\n# two\nthree"\nB=\'x\n\ny\'\nC=3',
    { A: 'one\n# two\nthree', B: 'x\n\ny', C: '3' },
  ],
  ['Windows line ends and a byte order mark', '\uFEFFA=1\r\nB="x\r\ny"\r\n', { A: '1', B: 'x\ny' }],
  ['variables, which are not expanded', 'A=$B\nC="$' + '{D}"', { A: '$B', C: '$' + '{D}' }],
  ['spaces in quotes', 'A="  x  "', { A: '  x  ' }],
]

for (const [title, text, entries] of cases)
  test(`a .env file may have ${title}`, t => {
    t.deepEqual(
      Object.fromEntries(parseDotEnv(text).entries.map(({ name, value }) => [name, value])),
      entries,
    )
  })

test('names without a value are left out and named', t => {
  t.deepEqual(parseDotEnv('A=\nB=""\nC= # c\nD=1'), {
    entries: [{ name: 'D', value: '1' }],
    empty: ['A', 'B', 'C'],
  })
})

const faults: [title: string, text: string, line: number][] = [
  ['a line without =', 'A=1\nhunter2secret', 2],
  ['an invalid variable name', 'hunter2-secret=x', 1],
  ['an unclosed quote', 'B=1\nA="hunter2secret\nC=1', 2],
  ['text after a closing quote', 'A="x"hunter2secret', 1],
  ['an unquoted value with #', 'A=hunter2#secret', 1],
]

for (const [title, text, line] of faults)
  test(`a .env file with ${title} is refused by line, and the error does not repeat the text`, t => {
    const error = t.throws(() => parseDotEnv(text)) as Error & { details: { path: string }[] }
    t.is(error.details[0]?.path, `line ${line}`)
    t.notRegex(`${error.message}${JSON.stringify(error.details)}`, /hunter2/u)
  })

test('every quoted value is read back unchanged', t => {
  const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter(value => !/\r/u.test(value))
  fc.assert(
    fc.property(text, value => {
      const quoted = value.replace(/["\\$]/gu, '\\$&')
      t.deepEqual(parseDotEnv(`A="${quoted}"\nB=1`).entries[0], { name: 'A', value })
    }),
  )
})
