import test from 'ava'
import fc from 'fast-check'
import { appendTo, removeAt, setIn } from '../../../../../../src/cli/sessions/connect/entries/json-edit.js'
import { readJson } from '../../../../../../src/cli/sessions/connect/entries/json-text.js'
import { MergeFault } from '../../../../../../src/cli/sessions/connect/entries/merge-fault.js'

const lines = (...parts: string[]) => parts.join('\n')

test('a value is added after the last one, in the indentation of the file', t => {
  t.is(
    setIn('{\n\t"a": 1\n}\n', ['b'], { c: [2] }),
    '{\n\t"a": 1,\n\t"b": {\n\t\t"c": [\n\t\t\t2\n\t\t]\n\t}\n}\n',
  )
})

test('line ends are kept', t => {
  t.is(
    setIn('{\r\n    "a": 1\r\n}', ['b', 'c'], 2),
    '{\r\n    "a": 1,\r\n    "b": {\r\n        "c": 2\r\n    }\r\n}',
  )
})

test('a comment after the last value stays with it', t => {
  const text = lines('{', '  "a": 1 // of a', '  // the end', '}')
  t.is(setIn(text, ['b'], 2), lines('{', '  "a": 1, // of a', '  "b": 2', '  // the end', '}'))
})

test('a trailing comma is kept', t => {
  t.is(appendTo('{"l": [\n  1,\n]}', ['l'], 2), '{"l": [\n  1,\n  2,\n]}')
  t.is(appendTo('{"l": [1,]}', ['l'], 2), '{"l": [1, 2,]}')
  t.is(removeAt(lines('{', '  "a": 1,', '  "b": 2,', '}'), ['b']), lines('{', '  "a": 1,', '}'))
  t.is(removeAt(lines('{', '  "b": 2,', '}'), ['b']), '{}')
})

test('a minified file stays minified', t => {
  t.is(setIn('{"a":1,"hooks":{}}', ['hooks', 'Stop'], [{ x: 1 }]), '{"a":1,"hooks":{"Stop":[{"x":1}]}}')
  t.is(setIn('{"a": 1}', ['b'], [1, 2]), '{"a": 1, "b": [1, 2]}')
})

test('an empty object is opened, and an empty text becomes a file', t => {
  t.is(setIn('{}', ['a'], 1), '{\n  "a": 1\n}')
  t.is(setIn('{\n  // nothing yet\n}\n', ['a'], 1), '{\n  // nothing yet\n  "a": 1\n}\n')
  t.is(setIn('', ['a'], 1), '{\n  "a": 1\n}\n')
  t.is(setIn(' \n', ['a'], 1), '{\n  "a": 1\n}\n')
})

test('a scalar is replaced in place', t => {
  t.is(setIn('{ "a": { "b": 1 /* one */ } }', ['a', 'b'], 'x'), '{ "a": { "b": "x" /* one */ } }')
})

test('a removed value takes its line and comma, but no other comments', t => {
  const text = lines('{', '  "a": 1,', '  // of b', '  "b": 2, // mine', '  "c": 3', '}')
  t.is(removeAt(text, ['b']), lines('{', '  "a": 1,', '  // of b', '  // mine', '  "c": 3', '}'))
  t.is(removeAt(text, ['c']), lines('{', '  "a": 1,', '  // of b', '  "b": 2 // mine', '}'))
  t.is(removeAt('{"l":[1, 2, 3]}', ['l', 0]), '{"l":[2, 3]}')
  t.is(removeAt('{"l":[1, 2, 3]}', ['l', 1]), '{"l":[1, 3]}')
  t.is(removeAt('{"l":[1, 2, 3]}', ['l', 2]), '{"l":[1, 2]}')
  t.is(removeAt('{"l":[1]}', ['m']), '{"l":[1]}')
})

test('invalid JSON is refused with its line', t => {
  const refused = (text: string) => t.throws(() => setIn(text, ['a'], 1), { instanceOf: MergeFault })
  t.is(refused('{\n  "b": 1\n  "c": 2\n}')?.line, 3)
  t.regex(refused('{\n  "b": 1\n  "c": 2\n}')!.message, /is not JSON: comma expected/)
  t.is(refused('[]')?.message, 'does not contain a JSON object')
  t.is(refused('// only a comment')?.message.startsWith('is not JSON'), true)
})

test('a duplicate key, and a value where an object is needed, are refused', t => {
  t.like(
    t.throws(() => setIn('{"a":{},\n"a":{}}', ['a', 'b'], 1), { instanceOf: MergeFault }),
    {
      line: 2,
      message: 'has the key "a" twice',
    },
  )
  t.throws(() => setIn('{"a":1}', ['a', 'b'], 1), {
    message: /"a.b" must be an object, but is of type number/,
  })
  t.throws(() => appendTo('{"a":{}}', ['a'], 1), { message: /must be a list/ })
})

const values = fc.jsonValue({ maxDepth: 3 })
const objects = fc.dictionary(
  fc.string({ maxLength: 6 }).filter(key => key !== '__proto__' && key !== 'own'),
  values,
  { maxKeys: 5 },
)
const layouts = fc.record({
  indent: fc.constantFrom(0, 2, 4, '\t'),
  newline: fc.constantFrom('\n', '\r\n'),
  ending: fc.constantFrom('', '\n'),
})

/** Returns a file in one of the layouts that programs write. */
function laidOut(
  value: unknown,
  { indent, newline, ending }: { indent: number | string; newline: string; ending: string },
) {
  return JSON.stringify(value, null, indent).replaceAll('\n', newline) + ending.replace('\n', newline)
}

test('a value that was set is valid and can be removed byte for byte', t => {
  fc.assert(
    fc.property(objects, layouts, values, (object, layout, value) => {
      const text = laidOut(object, layout)
      const changed = setIn(text, ['own', 'inner'], value)
      t.deepEqual(readJson(changed), JSON.parse(JSON.stringify({ ...object, own: { inner: value } })))
      t.is(removeAt(changed, ['own']), text)
    }),
    { numRuns: 300 },
  )
})

test('an appended element can be removed byte for byte', t => {
  fc.assert(
    fc.property(fc.array(values, { maxLength: 4 }), layouts, values, (list, layout, value) => {
      const text = laidOut({ list }, layout)
      const changed = appendTo(text, ['list'], value)
      t.deepEqual(readJson(changed), JSON.parse(JSON.stringify({ list: [...list, value] })))
      t.is(removeAt(changed, ['list', list.length]), text)
    }),
    { numRuns: 300 },
  )
})
