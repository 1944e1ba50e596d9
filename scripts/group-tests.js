import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

/** Which files share processes, those of a folder with each other, and how many share one. */
const shared = [
  { below: 'test/unit/', apart: waits, size: 12 },
  { below: 'test/unit/', apart: hasDeadlines, size: 10 },
  { below: 'test/unit/', apart: countsTurns, size: 6 },
  { below: 'test/api/', apart: changesItsProcess, size: 8 },
  { below: 'test/e2e/', apart: meetsMoments, size: 6 },
]

/** A file that waits would keep those waiting that only compute. */
function waits(text) {
  return changesItsProcess(text) || /\bawait\b|\basync\b|\bPromise\b/u.test(text)
}

/** What has a deadline or talks to a server of its own would be kept waiting by those that compute at length. */
function hasDeadlines(text) {
  return (
    countsTurns(text) ||
    /deadline|timeout|sleep|delay|fakes|until|fetch\(/iu.test(text) ||
    /[a-z\d]Ms\b|\bms\b|\bstart(?!sWith)\w*\(/u.test(text)
  )
}

/** What counts turns of the event loop would count those of others. */
function countsTurns(text) {
  return changesItsProcess(text) || /setImmediate|nextTurn/u.test(text)
}

/** What kills a process at a moment would come late beside others, and a browser has enough to do. */
function meetsMoments(text) {
  const unhurried = text.replaceAll(".kill('SIGINT')", '')
  return changesItsProcess(text) || /SIGKILL|\b[Kk]ill|\/browser\.js/u.test(unhurried)
}

/** What a process has once and a file changes, measures, or counts the turns of: the others would see it, or be in it. */
function changesItsProcess(text) {
  return ownProcess.test(text.replace(harmless, ''))
}

const harmless =
  /\bprocess\.(?:platform|pid|argv|execPath|versions?|getuid|exit|exitCode)\b|\bprocess\.env\.\w+(?!\s*=[^=])/gu
/** Files say why where nothing else tells. */
const ownProcess =
  /\/\/ In a process of its own:|(?<!-)\bprocess\.|\bglobalThis\.|\btest\.(?:before|after|serial)|\bspawn\(|\bperformance\.now|\/(?:cpu-time|query-plans)\.js|'ink-testing-library'/u

/**
 * Which tests share a process, since starting one, loading what is tested and running it for the first time costs more
 * than most files.
 * @param files test files, relative to the root.
 */
export async function testEntries(root, files) {
  const sorted = await Promise.all(
    [...files].sort().map(async file => ({ file, text: await readFile(join(root, file), 'utf8') })),
  )
  const groups = []
  const left = new Set(sorted)
  for (const { below, apart, size } of shared) {
    const chosen = [...left].filter(({ file, text }) => file.startsWith(below) && !apart(text))
    for (const one of chosen) left.delete(one)
    groups.push(...slicesOf(chosen, size).map(slice => ({ below, files: slice.map(({ file }) => file) })))
  }
  return { alone: [...left].map(({ file }) => file), groups }
}

/** As many slices as are needed, of about the same length. */
function slicesOf(items, size) {
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, index) =>
    items.slice(Math.round((index * items.length) / count), Math.round(((index + 1) * items.length) / count)),
  )
}

/**
 * Makes modules of groups: `test-group:0` imports the files of the first, in which titles begin with the name of the
 * file that they stand in, as ava writes before those of a file that runs by itself.
 * @param groups lists of test files, relative to the root.
 */
export function groupedTests(root, groups) {
  const grouped = new Set(groups.flatMap(({ files }) => files).map(file => join(root, file)))
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
        grouped.has(importer) ? { path: importer, namespace: 'titled-ava' } : undefined,
      )
      onLoad({ filter: /./, namespace: 'titled-ava' }, ({ path }) => ({
        contents: `import { testsOf } from './scripts/tests-in-turn.js'
export default testsOf(${JSON.stringify(basename(path).replace(/\.test\.tsx?$/u, ''))})`,
        resolveDir: root,
        loader: 'js',
      }))
    },
  }
}
