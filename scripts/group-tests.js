import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

/**
 * Number of files that share a process, by folder, for concurrent and for sequential tests. Small processes
 * end early; large ones share the cost of loading and compiling among more files.
 */
const sizes = [
  { below: 'test/unit/', beside: 40, inTurn: 18 },
  { below: 'test/api/', beside: 16, inTurn: 4 },
  { below: 'test/e2e/', beside: 11, inTurn: 6 },
  { below: 'test/', beside: 12, inTurn: 12 },
]

/** More concurrent daemons in one process would only delay each other and fill the heap. */
const atOnceBeside = 8

/** The first line of a file that has a process of its own, or runs one test at a time. */
const firstLine = /^\/\/ runs: (alone|in turn)\b/u

/**
 * Groups test files into processes. Starting one and loading the tested code costs more than most files, so
 * files of a folder share one unless their first line says otherwise.
 * @param files test files, relative to the root.
 */
export async function testEntries(root, files) {
  const left = await Promise.all(
    [...files].sort().map(async file => ({ file, runs: runsOf(await readFile(join(root, file), 'utf8')) })),
  )
  const take = (below, runs) => {
    const taken = left.filter(one => one.file.startsWith(below) && one.runs === runs)
    for (const one of taken) left.splice(left.indexOf(one), 1)
    return taken.map(({ file }) => file)
  }
  const alone = take('test/', 'alone')
  const groups = sizes.flatMap(({ below, beside, inTurn }) => [
    ...groupsOf(take(below, 'beside others'), `${below}beside`, beside, atOnceBeside),
    ...groupsOf(take(below, 'in turn'), `${below}in-turn`, inTurn, 1),
  ])
  return { alone, groups }
}

function runsOf(text) {
  return firstLine.exec(text)?.[1] ?? 'beside others'
}

/** Splits files into as many groups as needed, of about equal length. */
function groupsOf(files, name, size, atOnce) {
  const count = Math.ceil(files.length / size)
  const start = index => Math.round((index * files.length) / count)
  return Array.from({ length: count }, (_, index) => ({
    out: `${name}-${index + 1}`,
    atOnce,
    files: files.slice(start(index), start(index + 1)),
  }))
}

/**
 * Creates group modules: `test-group:0` imports the files of the first group. Titles begin with the file's
 * name, as ava writes it for a file that runs alone.
 * @param groups lists of test files, relative to the root, with the number of concurrent tests.
 */
export function groupedTests(root, groups) {
  const atOnceIn = new Map(
    groups.flatMap(({ files, atOnce }) => files.map(file => [join(root, file), atOnce])),
  )
  return {
    name: 'grouped-tests',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^test-group:/ }, ({ path }) => ({ path, namespace: 'test-group' }))
      onLoad({ filter: /./, namespace: 'test-group' }, ({ path }) => {
        const { files } = groups[Number(path.split(':')[1])]
        return {
          contents: files.map(file => `import './${file}'`).join('\n'),
          resolveDir: root,
          loader: 'js',
        }
      })
      onResolve({ filter: /^ava$/, namespace: 'file' }, ({ importer }) =>
        atOnceIn.has(importer) ? { path: importer, namespace: 'titled-ava' } : undefined,
      )
      onLoad({ filter: /./, namespace: 'titled-ava' }, ({ path }) => ({
        contents: `import { testsOf } from './scripts/tests-in-turn.js'
export default testsOf(${JSON.stringify(basename(path).replace(/\.test\.tsx?$/u, ''))}, ${atOnceIn.get(path)})`,
        resolveDir: root,
        loader: 'js',
      }))
    },
  }
}
