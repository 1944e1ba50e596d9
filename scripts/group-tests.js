import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

const groupSize = 12

/** Files that wait would be kept waiting by the others; and some change what a process has once. */
const ownProcess =
  /\bawait\b|\basync\b|\bPromise\b|\bprocess\.|\bglobalThis\.|\btest\.(?:before|after)|\bspawn/u

/**
 * Which unit tests share a process, since starting one costs more than most files: those that only compute.
 * @param files test files, relative to the root.
 */
export async function testEntries(root, files) {
  const texts = await Promise.all(files.map(file => readFile(join(root, file), 'utf8')))
  const isGrouped = (file, index) => file.startsWith('test/unit/') && !ownProcess.test(texts[index])
  const grouped = files.filter(isGrouped).sort()
  const groups = []
  for (let at = 0; at < grouped.length; at += groupSize) groups.push(grouped.slice(at, at + groupSize))
  return { alone: files.filter((file, index) => !isGrouped(file, index)), groups }
}

/**
 * Makes modules of groups: `test-group:0` imports the files of the first, in which titles begin with the name of the
 * file that they stand in, as ava writes before those of a file that runs by itself.
 * @param groups lists of test files, relative to the root.
 */
export function groupedTests(root, groups) {
  const grouped = new Set(groups.flat().map(file => join(root, file)))
  return {
    name: 'grouped-tests',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^test-group:/ }, ({ path }) => ({ path, namespace: 'test-group' }))
      onLoad({ filter: /./, namespace: 'test-group' }, ({ path }) => {
        const files = groups[Number(path.split(':')[1])]
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
        contents: titledAva(basename(path).replace(/\.test\.tsx?$/u, '')),
        resolveDir: root,
        loader: 'js',
      }))
    },
  }
}

function titledAva(name) {
  return `import test from 'ava'
const titled = call => new Proxy(call, {
  apply: (target, self, [title, ...rest]) =>
    Reflect.apply(target, self, [typeof title === 'string' ? ${JSON.stringify(`${name} › `)} + title : title, ...rest]),
  get: (target, key) => (typeof target[key] === 'function' ? titled(target[key]) : target[key]),
})
export default titled(test)`
}
