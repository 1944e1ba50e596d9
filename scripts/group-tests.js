import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

/**
 * How many files share a process, by the folder they are in, and how many where one test runs at a time. A process
 * that is small ends early; one that is large starts, loads what it tests and compiles it for many.
 */
const sizes = [
  { below: 'test/unit/', beside: 40, inTurn: 18 },
  { below: 'test/api/', beside: 16, inTurn: 4 },
  { below: 'test/e2e/', beside: 11, inTurn: 6 },
  { below: 'test/', beside: 12, inTurn: 12 },
]

/** More daemons at once in one process would only keep each other waiting, and their heaps full. */
const atOnceBeside = 8

/** The first line of a file that does not share its process, or shares it with one test at a time. */
const firstLine = /^\/\/ runs: (alone|in turn)\b/u

/**
 * Puts test files into processes. Starting one, loading what is tested and running it for the first time costs more
 * than most files, so that files of a folder share one unless their first line says otherwise.
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

/** As many groups as are needed, of about the same length. */
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
 * Makes modules of groups: `test-group:0` imports the files of the first, in which titles begin with the name of the
 * file that they stand in, as ava writes before those of a file that runs by itself.
 * @param groups lists of test files, relative to the root, with how many of their tests run at once.
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
