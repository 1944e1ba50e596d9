import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import { expressionsIn, maxMs, slowShape } from '../helpers/regex-pump.js'
import { readSources, sourceTree } from '../helpers/source-tree.js'

/** Slow expressions that never get a long text, by the file and a part of them. */
const bounded: readonly { file: string; part: string; why: string }[] = [
  {
    file: 'src/daemon/knowledge/files/glob-matcher.ts',
    part: '[)}]\\+|',
    why: 'a pattern has at most 500 characters',
  },
  {
    file: 'src/daemon/operations/updates/installation.ts',
    part: '\\/pnpm\\/',
    why: 'the path where this program is installed',
  },
  {
    file: 'src/cli/sessions/connect/entries/json-edit.ts',
    part: '\\/\\*[\\s\\S]*?',
    why: 'between two entries of the settings of the user, in a command',
  },
  {
    file: 'src/daemon/safety/rules/needs.ts',
    part: '',
    why: 'reads our own rules, when this package is built',
  },
  {
    file: 'src/daemon/operations/repair/duplicates/is-same-statement.ts',
    part: '"[^"]*"',
    why: 'the two texts have at most 2,000 characters',
  },
  {
    file: 'src/store/postgres/schema.ts',
    part: 'CREATE TRIGGER',
    why: 'reads our own migrations',
  },
  { file: 'src/daemon/safety/text/pattern.ts', part: '', why: 'reads our own rules' },
  {
    file: 'src/mcp/tool/read-arguments.ts',
    part: '[0-9a-f]{8}',
    why: 'an id of at most 200 characters',
  },
  {
    file: 'src/mcp/tool/read-arguments.ts',
    part: '(?:id|key)',
    why: 'a key of at most 200 characters',
  },
]

const sources = readSources('src')
const all = expressionsIn(sources)
/** One test each, because all together take minutes. */
const parts = [...new Set(sources.map(({ path }) => partOf(path)))].sort()

for (const part of parts)
  test.serial(
    `no regular expression of ${part} takes longer than ${maxMs} ms for 100 KB of hostile text`,
    async t => {
      // Lets the results so far out, so that the run is not taken for a hanging one.
      await pause(10)
      const slow = all
        .filter(({ path }) => partOf(path) === part)
        .filter(({ name }) => !bounded.some(one => name.startsWith(one.file) && name.includes(one.part)))
        .flatMap(expression => {
          const shape = slowShape(expression)
          return shape === undefined ? [] : [`${expression.name} with ${shape}`]
        })
      t.deepEqual(slow, [])
    },
  )

/** `src/store`, or `src/daemon/memory`. */
function partOf(path: string): string {
  return path
    .split('/')
    .slice(0, path.startsWith('src/daemon/') ? 3 : 2)
    .join('/')
}

test('each exception is an expression of the sources', t => {
  const names = all.map(({ name }) => name)
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
  t.deepEqual(slowIn(code), [true, true, true, true, true, false])
})

test('expressions made of constants, and those that begin with a short sign, are caught', t => {
  const code = String.raw`
    const words = ['from', 'since']
    const date = \`(?:next )?(?:\${words.join('|')})\`
    const a = new RegExp(\`(?:^|[ ,]+)(\${date})\`, 'iu')
    const b = new RegExp('\\n*<' + element + ' [^]*?</e>', 'u')
    const c = new RegExp(String.raw\`^([ \t{,-]*["']?[^\s:"'#]*(?:\${words.join('|')})[ \t]*:)\`, 'gimu')
    const d = /\[[^\]]*\s+alpha\]|beta|gamma|delta|epsilon/u
    const fast = new RegExp(\`^(?:\${words.join('|')})$\`, 'u')`
  t.deepEqual(slowIn(code.replaceAll('\\`', '`').replaceAll('\\$', '$')), [true, true, true, true, false])
})

function slowIn(code: string): boolean[] {
  return expressionsIn(sourceTree({ 'src/a.ts': code })).map(
    expression => slowShape(expression) !== undefined,
  )
}
