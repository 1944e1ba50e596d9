import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix, relative, sep } from 'node:path'

/** The repository. */
export const root = join(import.meta.dirname, '..', '..')

export interface Import {
  specifier: string
  /** The imported file of this repository, or the name of a package. */
  target: string
  typeOnly: boolean
}

export interface SourceFile {
  /** Relative to the root, with forward slashes. */
  path: string
  text: string
  imports: Import[]
}

export function filesIn(folder: string): string[] {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && /\.tsx?$/u.test(entry.name) && !entry.name.endsWith('.d.ts'))
    .map(entry => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
}

export function readSources(folder: string): SourceFile[] {
  return sourceTree(
    Object.fromEntries(filesIn(folder).map(path => [path, readFileSync(join(root, path), 'utf8')])),
  )
}

/** Sources from texts instead of files, to test the guards with bad examples. */
export function sourceTree(texts: Readonly<Record<string, string>>): SourceFile[] {
  const paths = new Set(Object.keys(texts))
  return Object.entries(texts).map(([path, text]) => ({ path, text, imports: importsOf(path, text, paths) }))
}

const statement = /^(?:import|export)\s+(type\s+)?(?:([^'";]*?)\s+from\s+)?'([^']+)'/gmu
const dynamic = /\bimport\(\s*'([^']+)'/gu

function importsOf(path: string, text: string, paths: ReadonlySet<string>): Import[] {
  const fixed = [...text.matchAll(statement)].map(([, type, names = '', specifier = '']) => ({
    specifier,
    target: targetOf(path, specifier, paths),
    typeOnly: type !== undefined || onlyTypes(names),
  }))
  // Dynamic imports connect files only as types do, since they load nothing at once.
  const late = [...text.matchAll(dynamic)].map(([, specifier = '']) => ({
    specifier,
    target: targetOf(path, specifier, paths),
    typeOnly: true,
  }))
  return [...fixed, ...late]
}

function targetOf(from: string, specifier: string, paths: ReadonlySet<string>): string {
  if (!specifier.startsWith('.')) return packageOf(specifier)
  const stem = posix.join(dirname(from), specifier).replace(/\.js$/u, '')
  return [`${stem}.ts`, `${stem}.tsx`].find(path => paths.has(path)) ?? stem
}

/** Matches `{ type A, type B }`. */
function onlyTypes(names: string): boolean {
  const inside = /^\{([\s\S]*)\}$/u.exec(names.trim())?.[1]
  const parts = inside
    ?.split(',')
    .map(part => part.trim())
    .filter(Boolean)
  return parts !== undefined && parts.length > 0 && parts.every(part => part.startsWith('type '))
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

/**
 * Groups of nodes that reach each other, types included. @param nodeOf the node of a file: itself, or its
 * folder
 */
export function circlesOf(sources: readonly SourceFile[], nodeOf: (path: string) => string): string[][] {
  const edges = new Map<string, Set<string>>()
  for (const { path, imports } of sources)
    for (const { target } of imports) {
      const [from, to] = [nodeOf(path), nodeOf(target)]
      if (from === to || !target.startsWith('src/')) continue
      edges.set(from, (edges.get(from) ?? new Set()).add(to))
    }
  const reached = new Map([...edges.keys()].map(node => [node, reachableFrom(node, edges)]))
  const circles = [...reached].flatMap(([node, reach]) =>
    reach.has(node) ? [[...reach].filter(other => reached.get(other)?.has(node)).sort()] : [],
  )
  return [...new Map(circles.map(circle => [circle.join(' '), circle])).values()]
}

function reachableFrom(start: string, edges: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const seen = new Set<string>()
  const open = [start]
  for (let node = open.pop(); node !== undefined; node = open.pop())
    for (const next of edges.get(node) ?? [])
      if (!seen.has(next)) {
        seen.add(next)
        open.push(next)
      }
  return seen
}
