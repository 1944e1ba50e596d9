import { join, posix } from 'node:path'
import { parse } from 'jsonc-parser'
import { readForeignSync } from '../../../../../lib/files/open-foreign.js'
import type { Manifests } from '../resolving/known-code.js'

const maxBytes = 256 * 1024

/** Reads package names and path aliases of the project; unreadable files are skipped. */
export function readManifests(root: string, paths: readonly string[]): Manifests {
  const packages: Manifests['packages'][number][] = []
  const aliases: Manifests['aliases'][number][] = []
  for (const path of paths) {
    const folder = posix.dirname(path)
    const text = textOf(join(root, path))
    const name = posix.basename(path)
    if (name === 'go.mod') {
      const module = /^module\s+(\S+)/mu.exec(text)?.[1]
      if (module) packages.push({ kind: 'go', name: module, folder })
    } else if (name === 'Cargo.toml') {
      const crate = /^\[package\][^[]*?^name\s*=\s*"([^"]+)"/msu.exec(text)?.[1]
      if (crate) packages.push({ kind: 'cargo', name: crate, folder })
    } else if (name === 'package.json') {
      const { name: named, main } = (parse(text) ?? {}) as { name?: unknown; main?: unknown }
      if (typeof named === 'string' && named)
        packages.push({ kind: 'npm', name: named, folder, ...(typeof main === 'string' && { main }) })
    } else aliases.push(...aliasesIn(text, folder))
  }
  // Longest name first, because it is the most specific.
  packages.sort((a, b) => b.name.length - a.name.length)
  aliases.sort((a, b) => b.from.length - a.from.length)
  return { packages, aliases }
}

function textOf(path: string): string {
  try {
    return readForeignSync(path, { maxBytes }).toString('utf8')
  } catch {
    return ''
  }
}

function aliasesIn(text: string, folder: string): Manifests['aliases'] {
  const { compilerOptions = {} } = (parse(text) ?? {}) as {
    compilerOptions?: { baseUrl?: unknown; paths?: Record<string, unknown> }
  }
  const { baseUrl, paths } = compilerOptions
  const base = posix.join(folder, typeof baseUrl === 'string' ? baseUrl : '.')
  return Object.entries(paths ?? {}).flatMap(([from, to]) => {
    const first: unknown = Array.isArray(to) ? to[0] : undefined
    if (typeof first !== 'string' || from === '*') return []
    return [{ from: from.replace(/\*$/u, ''), to: posix.join(base, first.replace(/\*$/u, '')) }]
  })
}
