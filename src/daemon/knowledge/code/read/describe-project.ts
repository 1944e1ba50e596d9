import { closeSync, readSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse as parseToml } from 'smol-toml'
import { openForeignSync } from '../../../../lib/files/open-foreign.js'
import { clip } from '../../../../lib/text/clip.js'

/** Name, description and entry points of a project, from its own files. */
export interface ProjectFacts {
  name: string
  description: string | null
  /** Entry points with paths as written there. */
  begins: { path: string; why: string }[]
}

/** Descriptions are near the beginning of their files. */
const maxBytes = 262_144
const maxDescription = 300

/** Reads the files that describe a project; missing or invalid ones are skipped. */
export function describeProject(root: string): ProjectFacts {
  const node = jsonIn(root, 'package.json')
  const python = tomlIn(root, 'pyproject.toml')
  const rust = tomlIn(root, 'Cargo.toml')
  const project = objectOf(python.project ?? objectOf(objectOf(python.tool).poetry))
  const crate = objectOf(rust.package)
  const goModule = /^module\s+(\S+)/mu.exec(textOf(root, 'go.mod'))?.[1]
  const texts = (key: string) => [node[key], project[key], crate[key]].find(isText)
  const described = texts('description') ?? readmeOf(root)
  return {
    name: texts('name') ?? goModule ?? basename(root),
    description:
      described === undefined ? null : clip(described.replace(/\s+/gu, ' ').trim(), maxDescription),
    begins: beginsOf(node, project),
  }
}

function beginsOf(node: Facts, python: Facts): ProjectFacts['begins'] {
  const bin = isText(node.bin) ? { bin: node.bin } : objectOf(node.bin)
  const scripts = objectOf(python.scripts)
  return [
    ...(isText(node.main) ? [{ path: node.main, why: 'main of package.json' }] : []),
    ...Object.entries(bin).flatMap(([name, path]) =>
      isText(path) ? [{ path, why: `command ${name} of package.json` }] : [],
    ),
    ...Object.entries(scripts).flatMap(([name, target]) =>
      isText(target)
        ? [
            {
              path: `${target.split(':')[0]?.replaceAll('.', '/')}.py`,
              why: `command ${name} of pyproject.toml`,
            },
          ]
        : [],
    ),
  ].map(({ path, why }) => ({ path: path.replace(/^\.\//u, ''), why }))
}

/** Returns the first paragraph of prose. */
function readmeOf(root: string): string | undefined {
  const text = ['README.md', 'README.rst', 'README', 'readme.md']
    .map(name => textOf(root, name))
    .find(Boolean)
  return text
    ?.split(/\r?\n\s*\r?\n/u)
    .map(part => part.trim())
    .find(part => part.length > 40 && /^[\p{L}*_`"]/u.test(part) && !/^[=\-~]{3,}$/mu.test(part))
}

type Facts = Readonly<Record<string, unknown>>

function jsonIn(root: string, name: string): Facts {
  try {
    return objectOf(JSON.parse(textOf(root, name)))
  } catch {
    return {}
  }
}

function tomlIn(root: string, name: string): Facts {
  try {
    return objectOf(parseToml(textOf(root, name)))
  } catch {
    return {}
  }
}

/** Reads the beginning of a file; empty if it does not exist. */
function textOf(root: string, name: string): string {
  try {
    const file = openForeignSync(join(root, name))
    try {
      const bytes = Buffer.alloc(maxBytes)
      return bytes.toString('utf8', 0, readSync(file, bytes))
    } finally {
      closeSync(file)
    }
  } catch {
    return ''
  }
}

function objectOf(value: unknown): Facts {
  return typeof value === 'object' && value !== null ? (value as Facts) : {}
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}
