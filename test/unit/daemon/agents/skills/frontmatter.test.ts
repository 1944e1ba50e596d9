// runs: in turn

import test from 'ava'
import fc from 'fast-check'
import { readFrontmatter } from '../../../../../src/daemon/agents/skills/read-skills.js'
import { cpuMsOf } from '../../../../helpers/cpu-time.js'

const read = (yaml: string) => readFrontmatter(`---\n${yaml}\n---\ntext`)

test('fields of the standard, of metadata and of harnesses are read', t => {
  const yaml = `name: tidy
description: >
  Tidies
  up
license: MIT
user-invocable: "no"
argument-hint: '[file]'
metadata: { version: "2.0", author: ada }`
  t.deepEqual(read(yaml), {
    name: 'tidy',
    description: 'Tidies up',
    version: '2.0',
    author: 'ada',
    license: 'MIT',
    user_invocable: false,
    arg_hint: '[file]',
    problems: [],
  })
})

test('version, author and names with underscores are read at the top level', t => {
  t.like(read('description: a\nversion: 1.10\nauthor: bob\nuser_invocable: false\narg_hint: x'), {
    version: '1.10',
    author: 'bob',
    user_invocable: false,
    arg_hint: 'x',
    problems: [],
  })
})

test('a byte order mark and Windows line ends are accepted', t => {
  const { description, problems } = readFrontmatter('\uFEFF---\r\nname: a\r\ndescription: b\r\n---\r\ntext')
  t.deepEqual([description, problems], ['b', []])
})

test('a value of another shape counts as missing', t => {
  t.like(read('name: [a]\ndescription: { a: b }\nlicense:\n  - MIT\nmetadata: none'), {
    name: undefined,
    description: '',
    license: null,
    problems: ['its frontmatter has no description'],
  })
})

test('invalid YAML is read line by line', t => {
  const { description, license, problems } = read('description: "Use when": always: so\nlicense: MIT\n\tbad')
  t.is(license, 'MIT')
  t.is(description, '"Use when": always: so')
  t.is(problems.length, 1)
})

test('huge and exponential frontmatter is read quickly', t => {
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...'bcdefghi'
      .split('')
      .map((key, at) => `${key}: &${key} [${Array(9).fill(`*${'abcdefghi'[at]}`).join(',')}]`),
  ]
  const texts = [
    `${bomb.join('\n')}\ndescription: x`,
    'a: {'.repeat(500_000),
    `description: ${'x '.repeat(500_000)}`,
  ]
  const spent = cpuMsOf(() => texts.map(read))
  t.true(spent < 500, `${spent} ms`)
})

test('no text causes an exception', t => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), text => {
      for (const whole of [text, `---\n${text}`, `---\n${text}\n---\n`]) {
        const { problems, description } = readFrontmatter(whole)
        if (!Array.isArray(problems) || !description.isWellFormed()) throw new Error('half a character')
      }
    }),
  )
  t.pass()
})
