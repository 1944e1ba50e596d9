import { basename, dirname } from 'node:path'
import { parse as parseToml } from 'smol-toml'
import { parseDocument } from 'yaml'
import { isRecord } from '../../../../lib/text/json-of.js'
import type { Fact, NamedThing } from '../../../ground/reading/reading.js'
import { isBelievable } from '../../../ground/reading/syntax/believable.js'
import { isTool } from '../../../ground/reading/words/names.js'
import { type ManifestKind, manifestKind } from '../../files/manifest-kind.js'

/** A file of a project that says by its structure what the project is made of. */
export interface ManifestFile {
  fileName: string
  /** The path, or the file name of an upload. */
  root: string
  text: string
}

type Fields = Readonly<Record<string, unknown>>

const maxLength = 200_000
const maxDependencies = 40
const maxQuote = 400
const maxAliasCount = 20

const readers: Readonly<Record<ManifestKind, (manifest: Manifest) => void>> = {
  package: readPackage,
  go: readGoModule,
  cargo: readCargo,
  pyproject: readPyproject,
  compose: readCompose,
  owners: readOwners,
}

/**
 * Reads the facts of a manifest: names, versions, what depends on what, and owners. They are certain by
 * structure, so nobody is asked (sources.md#manifests-of-projects).
 */
export function manifestFacts(file: ManifestFile): Fact[] {
  const kind = manifestKind(file.fileName)
  const read = kind && readers[kind]
  if (!read || file.text.length > maxLength) return []
  const manifest = new Manifest(file)
  try {
    read(manifest)
  } catch {
    // Not what its name says: other readers may understand it.
    return []
  }
  return manifest.facts
}

/** Collects facts with the line that says each. */
class Manifest {
  readonly facts: Fact[] = []
  readonly lines: readonly string[]

  constructor(readonly file: ManifestFile) {
    this.lines = file.text.split('\n').map(line => line.trim())
  }

  /** The folder that has the file: the name of a project whose manifest has none. */
  get folder(): NamedThing | undefined {
    const folders = dirname(this.file.root).split(/[/\\]/u).filter(Boolean)
    const name = folders.findLast(folder => !/^(?:\.|\.github|\.gitlab|docs|deploy|docker)$/u.test(folder))
    return name === undefined ? undefined : { name, type: 'project' }
  }

  value(
    subject: NamedThing | undefined,
    slot: { aspect: string; attribute: string },
    value: unknown,
    words: readonly string[],
  ): void {
    if (subject && (typeof value === 'string' || typeof value === 'number') && value !== '')
      this.#add({ subject, kind: 'value', ...slot, value: String(value), object: undefined }, words)
  }

  version(subject: NamedThing | undefined, of: string, value: unknown, words: readonly string[]): void {
    this.value(subject, { aspect: 'versions', attribute: `${of} version` }, value, words)
  }

  link(
    subject: NamedThing | undefined,
    relation: string,
    object: NamedThing,
    words: readonly string[],
  ): void {
    if (subject && subject.name.toLowerCase() !== object.name.toLowerCase())
      this.#add({ subject, kind: 'link', aspect: '', attribute: relation, value: '', object }, words)
  }

  #add(
    told: Pick<Fact, 'subject' | 'kind' | 'aspect' | 'attribute' | 'value' | 'object'>,
    words: readonly string[],
  ): void {
    const quote = this.lines.find(line => words.every(word => line.includes(word)))
    if (!quote || quote.length > maxQuote) return
    this.facts.push({ ...told, since: undefined, until: undefined, isSure: true, by: 'manifest', quote })
  }

  /** Adds the dependencies of something, with their versions. */
  dependencies(subject: NamedThing | undefined, given: unknown, isRead = (_: string): boolean => true): void {
    const named = Object.entries(isRecord(given) ? given : {}).filter(([name]) => isRead(name))
    for (const [name, told] of named.slice(0, maxDependencies)) {
      const version = isRecord(told) ? told.version : told
      const words = typeof version === 'string' ? [name, version] : [name]
      this.link(subject, 'depends on', { name, type: 'tool' }, words)
      if (typeof version === 'string' && /\d/u.test(version)) this.version(subject, name, version, words)
    }
  }
}

function readPackage(manifest: Manifest): void {
  const fields: unknown = JSON.parse(manifest.file.text)
  if (!isRecord(fields)) return
  const { name, version, description, license, engines, packageManager } = fields
  const project = typeof name === 'string' ? { name, type: 'project' } : manifest.folder
  manifest.value(project, { aspect: 'versions', attribute: 'version' }, version, [
    '"version"',
    String(version),
  ])
  manifest.value(project, { aspect: 'facts', attribute: 'description' }, description, ['"description"'])
  manifest.value(project, { aspect: 'facts', attribute: 'licence' }, license, ['"license"'])
  const node = isRecord(engines) ? engines.node : undefined
  manifest.version(project, 'Node', node, ['"node"', String(node)])
  const [manager = '', at] = typeof packageManager === 'string' ? packageManager.split(/[@+]/u) : []
  manifest.value(project, { aspect: 'tools', attribute: 'package manager' }, manager, ['"packageManager"'])
  manifest.version(project, manager, at, ['"packageManager"'])
  manifest.dependencies(project, fields.dependencies)
  manifest.dependencies(project, fields.peerDependencies)
  manifest.dependencies(project, fields.devDependencies, isTool)
}

/** The name of a Go module: `github.com/acme/ledger/v2` is `ledger`. */
function moduleName(path: string): string {
  return (
    path
      .replace(/\/v\d+$/u, '')
      .split('/')
      .at(-1) ?? path
  )
}

function readGoModule(manifest: Manifest): void {
  const { text } = manifest.file
  const module = /^module\s+(\S+)/mu.exec(text)?.[1]
  const project = module ? { name: moduleName(module), type: 'project' } : undefined
  const go = /^go\s+(\d[\w.]*)/mu.exec(text)?.[1]
  manifest.version(project, 'Go', go, ['go ', go ?? ''])
  let count = 0
  for (const line of manifest.lines) {
    const words = line.replace(/^require /u, '').split(' ')
    const [path = '', version = '', ...more] = words
    const isDirect = more.length === 0 && path.includes('/') && path.includes('.') && /^v\d/u.test(version)
    if (!isDirect || ++count > maxDependencies) continue
    const name = moduleName(path)
    manifest.link(project, 'depends on', { name, type: 'tool' }, [path, version])
    manifest.version(project, name, version, [path, version])
  }
}

function readCargo(manifest: Manifest): void {
  const { package: own, dependencies } = parseToml(manifest.file.text) as Fields
  const fields = isRecord(own) ? own : {}
  const project = typeof fields.name === 'string' ? { name: fields.name, type: 'project' } : manifest.folder
  manifest.value(project, { aspect: 'versions', attribute: 'version' }, fields.version, [
    'version',
    `"${String(fields.version)}"`,
  ])
  manifest.version(project, 'Rust', fields['rust-version'], ['rust-version'])
  manifest.value(project, { aspect: 'facts', attribute: 'licence' }, fields.license, ['license'])
  manifest.value(project, { aspect: 'facts', attribute: 'description' }, fields.description, ['description'])
  manifest.dependencies(project, dependencies)
}

function readPyproject(manifest: Manifest): void {
  const { project: own, tool } = parseToml(manifest.file.text) as Fields
  const poetry = isRecord(tool) && isRecord(tool.poetry) ? tool.poetry : undefined
  const fields = isRecord(own) ? own : (poetry ?? {})
  const project = typeof fields.name === 'string' ? { name: fields.name, type: 'project' } : manifest.folder
  manifest.value(project, { aspect: 'versions', attribute: 'version' }, fields.version, [
    'version',
    `"${String(fields.version)}"`,
  ])
  manifest.version(project, 'Python', fields['requires-python'], ['requires-python'])
  manifest.value(project, { aspect: 'facts', attribute: 'description' }, fields.description, ['description'])
  if (isRecord(poetry?.dependencies)) {
    const { python, ...others } = poetry.dependencies
    manifest.version(project, 'Python', python, ['python', String(python)])
    manifest.dependencies(project, others)
  }
  for (const told of (Array.isArray(fields.dependencies) ? fields.dependencies : []).slice(
    0,
    maxDependencies,
  )) {
    const [, name = '', version] = /^([\w.-]+)(?:\[[^\]]*\])?\s*([<>=~!^][^;]*)?/u.exec(String(told)) ?? []
    if (name === '') continue
    manifest.link(project, 'depends on', { name, type: 'tool' }, [String(told)])
    manifest.version(project, name, version?.trim(), [String(told)])
  }
}

function readCompose(manifest: Manifest): void {
  const fields: unknown = parseDocument(manifest.file.text).toJS({ maxAliasCount })
  if (!isRecord(fields) || !isRecord(fields.services)) return
  const project = typeof fields.name === 'string' ? { name: fields.name, type: 'project' } : manifest.folder
  for (const [name, told] of Object.entries(fields.services).slice(0, maxDependencies)) {
    if (!isRecord(told)) continue
    const service = { name, type: isTool(name) ? 'tool' : 'component' }
    if (project) manifest.link(service, 'part of', project, [`${name}:`])
    readImage(manifest, service, told.image)
    const { depends_on: needs, ports } = told
    for (const other of Array.isArray(needs) ? needs : Object.keys(isRecord(needs) ? needs : {})) {
      const quoted = manifest.lines.some(line => line === `- ${String(other)}`)
        ? `- ${String(other)}`
        : String(other)
      manifest.link(service, 'depends on', { name: String(other), type: 'component' }, [quoted])
    }
    for (const port of Array.isArray(ports) ? ports : []) {
      const [, host] = /^(?:[\d.]+:)?(\d{2,5}):\d{2,5}(?:\/\w+)?$/u.exec(String(port)) ?? []
      manifest.value(service, { aspect: 'network', attribute: 'port' }, host, [String(port)])
    }
  }
}

/** `postgres:16-alpine`, `ghcr.io/acme/api:1.4` */
function readImage(manifest: Manifest, service: NamedThing, image: unknown): void {
  const [, path = '', tag] =
    /^([\w./-]+(?::\d+\/[\w./-]+)?)(?::([\w.-]+))?(?:@\S+)?$/u.exec(String(image ?? '')) ?? []
  const name = path.split('/').at(-1) ?? ''
  if (!isTool(name)) return
  manifest.link(service, 'uses', { name, type: 'tool' }, ['image', String(image)])
  const version = /^v?\d[\d.]*/u.exec(tag ?? '')?.[0]
  manifest.version(service, name, version, ['image', String(image)])
}

/** `/services/checkout/ @ann @acme/payments`: who owns a part; `*` is the whole project. */
function readOwners(manifest: Manifest): void {
  for (const line of manifest.lines) {
    const [pattern = '', ...owners] = (line.split(/\s#/u)[0] ?? '').split(/\s+/u)
    if (pattern.startsWith('#') || owners.length === 0) continue
    const part = partNamed(pattern)
    const target = pattern === '*' ? manifest.folder : part && { name: part, type: 'component' }
    const named = owners.filter(owner => /^@[\w-]+(?:\/[\w.-]+)?$|^[^\s@]+@[^\s@]+$/u.test(owner))
    if (!target || named.length === 0) continue
    for (const owner of named)
      manifest.link({ name: owner, type: owner.includes('/') ? 'team' : 'person' }, 'owns', target, [line])
    manifest.value(target, { aspect: 'people', attribute: 'owner' }, named.join(' and '), [line])
  }
}

/** The last folder of a path, if it names a part of the project rather than files. */
function partNamed(pattern: string): string | undefined {
  if (!/^\/?[\w.-]+(?:\/[\w.-]+)*(?:\/\**)?$/u.test(pattern) || !/\/|^[\w-]+$/u.test(pattern))
    return undefined
  const name = basename(pattern.replace(/\/\**$/u, ''))
  return isBelievable(name) && !name.includes('.') ? name : undefined
}
