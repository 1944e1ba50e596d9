import test from 'ava'
import { expressionsIn, maxMs, slowShape } from '../helpers/regex-pump.js'
import { readSources, sourceTree } from '../helpers/source-tree.js'

/** Slow expressions that never get a long text, by the file and a part of them. */
const bounded: readonly { file: string; part: string; why: string }[] = []

test(`no regular expression takes longer than ${maxMs} ms for 100 KB of hostile text`, t => {
  t.timeout(1_200_000)
  const slow = expressionsIn(readSources('src'))
    .filter(({ name }) => !bounded.some(({ file, part }) => name.startsWith(file) && name.includes(part)))
    .flatMap(expression => {
      const shape = slowShape(expression)
      return shape === undefined ? [] : [`${expression.name} with ${shape}`]
    })
  t.deepEqual(slow, [])
})

test('each exception is an expression of the sources', t => {
  const names = expressionsIn(readSources('src')).map(({ name }) => name)
  t.deepEqual(
    bounded.filter(({ file, part }) => !names.some(name => name.startsWith(file) && name.includes(part))),
    [],
  )
})

test('expressions that grow with the square, the cube or exponentially are caught', t => {
  const code = String.raw`
    const a = /^\s*bare\s*=/mu
    const b = /\s*[\u2500-\u257f]*\s*$/u
    const c = /^(?:a+)+$/u
    const d = /\/+$/u
    const e = /\[x\][\s\S]*?end/gu
    const fast = /^[ \t]*bare[ \t]*=/mu`
  const expressions = expressionsIn(sourceTree({ 'src/a.ts': code }))
  t.deepEqual(
    expressions.map(expression => slowShape(expression) !== undefined),
    [true, true, true, true, true, false],
  )
})
