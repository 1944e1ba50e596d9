import { dirname } from 'node:path'
import test from 'ava'
import { circlesOf, readSources, sourceTree } from '../helpers/source-tree.js'

const sources = readSources('src')
const itself = (path: string) => path

test('no file imports itself by way of others, types included', t => {
  t.deepEqual(circlesOf(sources, itself), [])
})

test('no folder imports itself by way of others, types included', t => {
  t.deepEqual(circlesOf(sources, dirname), [])
})

test('a circle of files is caught, by values, by types and by late imports', t => {
  const example = sourceTree({
    'src/a/one.ts': "import { two } from './two.js'",
    'src/a/two.ts': "import type { Three } from './three.js'",
    'src/a/three.ts': "const one = await import('./one.js')",
    'src/a/four.ts': "import { one } from './one.js'",
  })
  t.deepEqual(circlesOf(example, itself), [['src/a/one.ts', 'src/a/three.ts', 'src/a/two.ts']])
})

test('a circle of folders is caught where no file is in one', t => {
  const example = sourceTree({
    'src/a/one.ts': "import { two } from '../b/two.js'",
    'src/b/two.ts': '',
    'src/b/three.ts': "import type { Four } from '../a/four.js'",
    'src/a/four.ts': '',
  })
  t.deepEqual(circlesOf(example, itself), [])
  t.deepEqual(circlesOf(example, dirname), [['src/a', 'src/b']])
})
