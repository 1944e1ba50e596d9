import { dirname } from 'node:path'
import test from 'ava'
import { circlesOf, readSources, sourceTree } from '../helpers/source-tree.js'

const sources = readSources('src')
const itself = (path: string) => path

test('no file is part of an import cycle, types included', t => {
  t.deepEqual(circlesOf(sources, itself), [])
})

test('no folder is part of an import cycle, types included', t => {
  t.deepEqual(circlesOf(sources, dirname), [])
})

test('an import cycle of files is caught, through values, types or late imports', t => {
  const example = sourceTree({
    'src/a/one.ts': "import { two } from './two.js'",
    'src/a/two.ts': "import type { Three } from './three.js'",
    'src/a/three.ts': "const one = await import('./one.js')",
    'src/a/four.ts': "import { one } from './one.js'",
  })
  t.deepEqual(circlesOf(example, itself), [['src/a/one.ts', 'src/a/three.ts', 'src/a/two.ts']])
})

test('an import cycle of folders without a cycle of files is caught', t => {
  const example = sourceTree({
    'src/a/one.ts': "import { two } from '../b/two.js'",
    'src/b/two.ts': '',
    'src/b/three.ts': "import type { Four } from '../a/four.js'",
    'src/a/four.ts': '',
  })
  t.deepEqual(circlesOf(example, itself), [])
  t.deepEqual(circlesOf(example, dirname), [['src/a', 'src/b']])
})
