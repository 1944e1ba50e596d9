import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

/** More daemons at once in one process would only keep each other waiting, and their heaps full. */
const several = 8

/**
 * Which files share processes, those of a folder with each other, how many share one, and how many of their tests run at
 * once: one where a test may have nothing beside it in its process.
 */
const shared = [
  { below: 'test/unit/', apart: waits, size: 40, atOnce: several },
  { below: 'test/unit/', apart: hasDeadlines, size: 20, atOnce: several },
  { below: 'test/unit/', apart: countsTurns, size: 18, atOnce: several },
  { below: 'test/unit/', apart: needsItsProcess, size: 20, atOnce: 1 },
  { below: 'test/api/', apart: changesItsProcess, size: 16, atOnce: several },
  { below: 'test/api/', apart: needsItsProcess, size: 4, atOnce: 1 },
  { below: 'test/e2e/', apart: meetsMoments, size: 14, atOnce: several },
  { below: 'test/e2e/', apart: needsItsProcess, size: 5, atOnce: 1 },
  { below: 'test/', apart: needsItsProcess, size: 12, atOnce: several },
  { below: 'test/unit/', apart: allBut('/cpu-time.js'), size: 16, atOnce: 1 },
  { below: 'test/e2e/', apart: allBut('/browser.js'), size: 8, atOnce: 1 },
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

/** What another file in its process would change or be seen by, even when no two tests run at once. */
function needsItsProcess(text) {
  return onlyProcess.test(text)
}

/** What needs its process for one helper alone shares it with those that need theirs for the same one. */
function allBut(helper) {
  return text => !text.includes(helper) || needsItsProcess(text.replaceAll(helper, ''))
}

const onlyProcess =
  /\/\/ In a process of its own:|\bglobalThis\.|\btest\.(?:before|after|serial)|\bperformance\.now|\bprocess\.(?:cpuUsage|memoryUsage|hrtime|env\.\w+\s*=[^=])|\/(?:browser|cpu-time|query-plans)\.js/u

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
  for (const { below, apart, size, atOnce } of shared) {
    const chosen = [...left].filter(({ file, text }) => file.startsWith(below) && !apart(text))
    for (const one of chosen) left.delete(one)
    for (const slice of slicesOf(chosen, size)) {
      const out = `${below}${atOnce === 1 ? 'in-turn' : 'group'}-${groups.length}`
      groups.push({ out, atOnce, files: slice.map(({ file }) => file) })
    }
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
