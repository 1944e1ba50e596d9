import { readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** What the functions of a late module are called through; `packChunks` puts its loader there. */
export const lateCall = '__late'

const notAFunction = /^export (?!type\b|interface\b|async function\b|function\b)/m
const exportedFunction = /^export (?:async )?function\*? *(\w+)/gm

/**
 * esbuild plugin that loads modules of `src` when one of their functions is called for the first time: who imports such
 * a module gets functions that do it. Only a module that exports nothing but functions can be late, since everything
 * else is there once it is imported.
 * @param {{ isLate: (file: string, importer: string) => boolean }} which paths are relative to the root.
 */
export function lateModules(root, { isLate }) {
  const ours = join(root, 'src', sep)
  const fromRoot = path => relative(root, path).replaceAll(sep, '/')
  return {
    name: 'late-modules',
    setup({ onResolve, onLoad, resolve }) {
      onResolve(
        { filter: /^\.\.?\// },
        async ({ path, importer, kind, namespace, resolveDir, pluginData }) => {
          const isOurs = kind === 'import-statement' && namespace === 'file' && importer.startsWith(ours)
          if (!isOurs || pluginData === 'resolved') return undefined
          const { path: file } = await resolve(path, { importer, kind, resolveDir, pluginData: 'resolved' })
          if (!file.endsWith('.ts') || !isLate(fromRoot(file), fromRoot(importer))) return undefined
          return functionsOf(file) && { path: fromRoot(file), namespace: lateNamespace }
        },
      )
      onLoad({ filter: /./, namespace: lateNamespace }, ({ path }) => ({
        contents: functionsOf(join(root, path))
          .map(name => lateFunction(name, path))
          .join('\n'),
        resolveDir: root,
      }))
    },
  }
}

const lateNamespace = 'late'

function lateFunction(name, path) {
  return `export function ${name}(...given) { return ${lateCall}(import(${JSON.stringify(`./${path}`)})).${name}(...given) }`
}

/** Names of the functions that a module exports; undefined where it exports anything else. */
function functionsOf(file) {
  const text = readFileSync(file, 'utf8')
  if (notAFunction.test(text)) return undefined
  const names = new Set(Array.from(text.matchAll(exportedFunction), ([, name]) => name))
  return names.size > 0 ? [...names] : undefined
}

/**
 * Modules that are there from the start on once those that `isNeeded` says, and all that can't be late, are.
 * @param metafile of a build in which everything is late that can be.
 * @returns {Set<string>} paths relative to the root.
 */
export function loadedAtStart({ inputs }, entry, isNeeded) {
  const found = new Set([entry])
  for (const file of found)
    for (const { path, kind } of inputs[file]?.imports ?? []) {
      if (kind === 'dynamic-import') continue
      const late = path.startsWith(`${lateNamespace}:`)
      const target = late ? path.slice(lateNamespace.length + 1) : path
      if (!late || isNeeded(target)) found.add(target)
    }
  return found
}
