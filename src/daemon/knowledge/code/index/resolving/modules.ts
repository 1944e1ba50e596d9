import { posix } from 'node:path'
import type { KnownCode, KnownFile, Manifests } from './known-code.js'

/**
 * Resolves a specifier to a file, or to a folder with a trailing slash; null if it is outside of the project
 * or unknown.
 */
export function targetOf(
  specifier: string,
  from: KnownFile,
  code: KnownCode,
  manifests: Manifests,
): string | null {
  switch (from.language?.family) {
    case 'javascript':
      return scriptModule(specifier, from, code, manifests)
    case 'python':
      return pythonModule(specifier, from, code)
    case 'go':
      return goPackage(specifier, code, manifests)
    case 'cpp':
      return includedFile(specifier, from, code)
    case 'ruby':
      return firstKnown(
        [posix.join(from.folder, specifier), posix.join('lib', specifier), specifier],
        ['.rb', ''],
        code,
      )
    case 'php':
    case 'bash':
      return firstKnown([posix.join(from.folder, specifier), specifier], [''], code)
    default:
      return null
  }
}

const scripts = ['.js', '.jsx', '.mjs', '.cjs']
const typed = ['.ts', '.tsx', '.d.ts', '.mts', '.cts']
const relative = /^\.\.?(?:\/|$)/u

function scriptModule(
  specifier: string,
  from: KnownFile,
  code: KnownCode,
  manifests: Manifests,
): string | null {
  const isTyped = from.language?.id !== 'javascript'
  const at = (path: string): string | null => scriptAt(path, isTyped, code, manifests)
  if (relative.test(specifier)) return at(posix.join(from.folder, specifier))
  for (const { from: beginning, to } of manifests.aliases)
    if (specifier.startsWith(beginning)) {
      const found = at(posix.join(to, specifier.slice(beginning.length)))
      if (found) return found
    }
  for (const { kind, name, folder } of manifests.packages) {
    if (kind !== 'npm' || (specifier !== name && !specifier.startsWith(`${name}/`))) continue
    const inside = specifier.slice(name.length + 1)
    return at(posix.join(folder, inside)) ?? at(posix.join(folder, 'src', inside))
  }
  return null
}

/**
 * A specifier may name compiled output: `./a.js` is then `a.ts`. Typed importers prefer type declarations
 * next to scripts.
 */
function scriptAt(path: string, isTyped: boolean, code: KnownCode, { packages }: Manifests): string | null {
  const endings = isTyped ? [...typed, ...scripts] : [...scripts, ...typed]
  const source = path.replace(/\.([cm]?)jsx?$/u, '')
  const found =
    firstKnown([path], ['', ...endings], code) ??
    (source === path ? null : firstKnown([source], typed, code)) ??
    firstKnown(
      [path],
      endings.map(ending => `/index${ending}`),
      code,
    )
  if (found) return found
  const main = packages.find(
    ({ kind, folder }) => kind === 'npm' && folder === path.replace(/\/$/u, ''),
  )?.main
  return main === undefined ? null : firstKnown([posix.join(path, main)], ['', ...endings], code)
}

function pythonModule(specifier: string, from: KnownFile, code: KnownCode): string | null {
  const [, dots = '', rest = ''] = /^(\.*)(.*)$/u.exec(specifier) ?? []
  const parts = rest.split('.').filter(Boolean).join('/')
  if (dots) {
    let folder = from.folder
    for (let up = 1; up < dots.length; up++) folder = posix.dirname(folder)
    return pythonAt(posix.join(folder, parts), code)
  }
  for (let folder = from.folder; ; folder = posix.dirname(folder)) {
    // Packages are never looked up inside another package.
    const found = code.at(posix.join(folder, '__init__.py'))
      ? null
      : pythonAt(posix.join(folder, parts), code)
    if (found) return found
    if (folder === '.')
      return pythonAt(posix.join('src', parts), code) ?? pythonAt(posix.join('lib', parts), code)
  }
}

export function pythonAt(path: string, code: KnownCode): string | null {
  return firstKnown([path], ['.py', '/__init__.py', '.pyi', '/__init__.pyi'], code)
}

function goPackage(specifier: string, code: KnownCode, { packages }: Manifests): string | null {
  for (const { kind, name, folder } of packages) {
    if (kind !== 'go' || (specifier !== name && !specifier.startsWith(`${name}/`))) continue
    const inside = posix.join(folder, specifier.slice(name.length + 1))
    if (code.isFolder(inside)) return `${inside}/`
  }
  return null
}

function includedFile(specifier: string, from: KnownFile, code: KnownCode): string | null {
  for (let folder = from.folder; ; folder = posix.dirname(folder)) {
    for (const below of ['', 'include', 'src']) {
      const path = posix.join(folder, below, specifier)
      if (code.at(path)) return path
    }
    if (folder === '.') return null
  }
}

function firstKnown(paths: readonly string[], endings: readonly string[], code: KnownCode): string | null {
  for (const path of paths) for (const ending of endings) if (code.at(path + ending)) return path + ending
  return null
}
