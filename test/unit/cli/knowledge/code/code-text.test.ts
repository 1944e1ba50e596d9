import test from 'ava'
import pico from 'picocolors'
import { blastTree } from '../../../../../src/cli/knowledge/code/code-text.js'

const symbol = (name: string) => ({
  name,
  qualified: name,
  kind: 'function',
  path: `src/${name}.ts`,
  line: 1,
  endLine: 2,
  language: 'typescript',
  signature: null,
  doc: null,
})

const node = (id: number, parent: number | null, name: string, rest: object = {}) => ({
  id,
  parent,
  root: 0,
  direction: 'backward' as const,
  depth: 1,
  symbol: symbol(name),
  relation: 'call' as const,
  certainty: 'certain' as const,
  way: 'certain' as const,
  at: { path: `src/${name}.ts`, line: 3 },
  ...rest,
})

test('an impact is drawn as a tree that marks uncertain callers (code-index.md 13)', t => {
  const blast = {
    project: '/shop',
    symbol: 'open',
    direction: 'backward' as const,
    depth: 3,
    roots: [symbol('open')],
    nodes: [
      node(0, null, 'lift'),
      node(1, 0, 'main', { way: 'likely' as const }),
      node(2, 1, 'lift', { again: true as const }),
      node(3, null, 'guess', { way: 'ambiguous' as const }),
    ],
    files: ['src/guess.ts', 'src/lift.ts', 'src/main.ts'],
    counts: { certain: 1, likely: 1, ambiguous: 1 },
    truncated: false,
  }
  t.deepEqual(blastTree(blast, pico.createColors(false)).split('\n'), [
    'open  function, src/open.ts:1',
    '├─ lift  call at src/lift.ts:3',
    '│  └─ likely main  call at src/main.ts:3',
    '│     └─ lift  call at src/lift.ts:3 (shown above)',
    '└─ ambiguous guess  call at src/guess.ts:3',
    '',
    '1 certain, 1 likely, 1 ambiguous, in 3 files',
  ])
})
