import { closeSync, readSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse as parseToml } from 'smol-toml'
import type { Reply } from '../../../../contract/api.js'
import { openForeignSync } from '../../../../lib/files/open-foreign.js'
import { clip } from '../../../../lib/text/clip.js'
import { countOf } from '../../../../lib/text/count-of.js'
import { label, unscannedLine } from '../../../../lib/text/one-line.js'
import type { OpenIndex } from './open-index.js'
import { countsOf } from './read-status.js'
import { symbolRecord } from './symbol-record.js'

type Briefing = Reply<'GET /api/code/briefing'>
type Module = Briefing['modules'][number]

/** Entries per list, in full and compact form. */
const most = { full: 15, compact: 5 } as const
/** A folder with more than this share of the files is shown by its subfolders. */
const wholeShare = 0.6
const maxLine = 200

/** Typical entry points. */
const beginnings: readonly [RegExp, string][] = [
  [/(?:^|\/)main\.(?:go|rs|py|c|cc|cpp|ts|js|java)$/u, 'a file called main'],
  [/(?:^|\/)__main__\.py$/u, 'runs as a module'],
  [/(?:^|\/)(?:manage|wsgi|asgi|app)\.py$/u, 'starts an application'],
  [/^(?:src\/)?index\.[cm]?[jt]sx?$/u, 'package entry point'],
  [/^src\/lib\.rs$/u, 'crate entry point'],
  [/(?:^|\/)(?:Program\.cs|Main\.java|Application\.java)$/u, 'starts a program'],
  [/(?:^|\/)config\.ru$/u, 'starts an application'],
]
/** Folders that do not belong to the program itself. */
const beside =
  /(?:^|\/)(?:tests?|__tests__|spec|specs|examples?|fixtures?|testdata|benchmarks?|docs?|vendor)(?:\/|$)/iu

/** Name, description and entry points of a project, from its own files. */
interface ProjectFacts {
  name: string
  description: string | null
  /** Entry points with paths as written there. */
  begins: { path: string; why: string }[]
}

/** Descriptions are near the beginning of their files. */
const maxBytes = 262_144
const maxDescription = 300

type Facts = Readonly<Record<string, unknown>>

/** Summarises a project for a newcomer (code-index.md 10). */
export function readBriefing(index: OpenIndex, { compact }: { compact: boolean }): Briefing {
  const { root, reads } = index
  const facts = describeProject(root)
  const limit = compact ? most.compact : most.full
  const languages = new Map<string, number>()
  for (const { language, files } of reads.languages())
    languages.set(language, (languages.get(language) ?? 0) + files)
  const told = {
    project: root,
    name: facts.name,
    description: facts.description,
    files: countsOf(reads).files,
    symbols: reads.countSymbols(),
    languages: [...languages].map(([language, files]) => ({ language, files })),
    modules: modulesOf(index).slice(0, limit),
    entryPoints: entryPointsOf(index, facts).slice(0, limit),
    central: centralOf(index, limit),
  }
  return { ...told, text: textOf(told, compact) }
}

/** Returns folders with their contents, largest first; a dominating folder is split. */
function modulesOf({ reads }: OpenIndex): Module[] {
  const files = reads.symbolsPerFile()
  const folder = folderBy(files.map(({ path }) => path))
  const modules = new Map<string, Module>()
  const home = new Map<number, string>()
  for (const { id, path, symbols } of files) {
    const name = folder(path)
    home.set(id, name)
    const known = modules.get(name) ?? { path: name, files: 0, symbols: 0, usedBy: 0 }
    modules.set(name, { ...known, files: known.files + 1, symbols: known.symbols + symbols })
  }
  const users = new Map<string, Set<number>>()
  for (const { file, target } of reads.importsBetweenFiles()) {
    const name = home.get(target)
    if (name === undefined || home.get(file) === name) continue
    users.set(name, (users.get(name) ?? new Set()).add(file))
  }
  return [...modules.values()]
    .map(one => ({ ...one, usedBy: users.get(one.path)?.size ?? 0 }))
    .toSorted((one, other) => other.symbols - one.symbols || (one.path < other.path ? -1 : 1))
}

/** Chooses the level of folders: below a folder with most of the files, its subfolders are used. */
function folderBy(paths: readonly string[]): (path: string) => string {
  const inside = (path: string, prefix: string): string => {
    const end = path.indexOf('/', prefix.length)
    return end === -1 ? prefix || './' : path.slice(0, end + 1)
  }
  let prefix = ''
  for (;;) {
    const counts = new Map<string, number>()
    for (const path of paths)
      if (path.startsWith(prefix)) {
        const name = inside(path, prefix)
        counts.set(name, (counts.get(name) ?? 0) + 1)
      }
    const [largest = '', count = 0] = [...counts].toSorted((one, other) => other[1] - one[1])[0] ?? []
    if (count < wholeShare * paths.length || largest === prefix || !largest.endsWith('/') || largest === './')
      break
    prefix = largest
  }
  return path => (path.startsWith(prefix) ? inside(path, prefix) : inside(path, ''))
}

function entryPointsOf({ reads }: OpenIndex, { begins }: ProjectFacts): Briefing['entryPoints'] {
  const named = begins.filter(({ path }) => reads.fileAt(path))
  const paths = reads.symbolsPerFile().map(({ path }) => path)
  const found = paths
    .filter(path => !beside.test(path))
    .flatMap(path => {
      const why = beginnings.find(([form]) => form.test(path))?.[1]
      return why === undefined ? [] : [{ path, why }]
    })
    .toSorted((one, other) => depthOf(one.path) - depthOf(other.path) || (one.path < other.path ? -1 : 1))
  return [...new Map([...found, ...named].map(one => [one.path, one])).values()]
}

function depthOf(path: string): number {
  return path.split('/').length
}

function centralOf({ reads }: OpenIndex, limit: number): Briefing['central'] {
  return reads
    .central(4 * limit)
    .flatMap(({ id, used }) => {
      const symbol = reads.symbol(id)
      return symbol && !beside.test(symbol.path) ? [{ ...symbolRecord(symbol), usedBy: used }] : []
    })
    .slice(0, limit)
}

function textOf(told: Omit<Briefing, 'text'>, compact: boolean): string {
  const { name, description, project, files, symbols, languages, modules, entryPoints, central } = told
  const list = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0
      ? []
      : compact
        ? [`${title}: ${lines.join('; ')}`]
        : ['', `${title}:`, ...lines.map(one => `- ${one}`)]
  return [
    `${label(name)} (${project})${description === null ? '' : `: ${unscannedLine(description, 400)}`}`,
    `${countOf(files, 'file')}, ${countOf(symbols, 'symbol')}: ${languages.map(one => `${one.language} ${one.files}`).join(', ')}`,
    ...list(
      'Modules',
      modules.map(
        one =>
          `${label(one.path, maxLine)} (${countOf(one.files, 'file')}, ${countOf(one.symbols, 'symbol')}, used by ${one.usedBy} other files)`,
      ),
    ),
    ...list(
      'Entry points',
      entryPoints.map(({ path, why }) => `${label(path, maxLine)} (${why})`),
    ),
    ...list(
      'Most used',
      central.map(
        one =>
          `${one.kind} ${label(one.qualified)} at ${label(one.path, maxLine)}:${one.line}, by ${countOf(one.usedBy, 'file')}`,
      ),
    ),
  ].join('\n')
}

/** Reads the files that describe a project; missing or invalid ones are skipped. */
function describeProject(root: string): ProjectFacts {
  const node = jsonIn(root, 'package.json')
  const python = tomlIn(root, 'pyproject.toml')
  const rust = tomlIn(root, 'Cargo.toml')
  const project = objectOf(python.project ?? objectOf(objectOf(python.tool).poetry))
  const crate = objectOf(rust.package)
  const goModule = /^module\s+(\S+)/mu.exec(fileText(root, 'go.mod'))?.[1]
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
    .map(name => fileText(root, name))
    .find(Boolean)
  return text
    ?.split(/\r?\n\s*\r?\n/u)
    .map(part => part.trim())
    .find(part => part.length > 40 && /^[\p{L}*_`"]/u.test(part) && !/^[=\-~]{3,}$/mu.test(part))
}

function jsonIn(root: string, name: string): Facts {
  try {
    return objectOf(JSON.parse(fileText(root, name)))
  } catch {
    return {}
  }
}

function tomlIn(root: string, name: string): Facts {
  try {
    return objectOf(parseToml(fileText(root, name)))
  } catch {
    return {}
  }
}

/** Reads the beginning of a file; empty if it does not exist. */
function fileText(root: string, name: string): string {
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
