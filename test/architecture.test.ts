import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import test from 'ava'
import { endpoints } from '../src/contract/api.js'
import { type EndpointShape, permissions } from '../src/contract/ground/endpoint.js'

const root = join(import.meta.dirname, '..')
const maxLines = 400

interface SourceFile {
  /** Relative to the root, with forward slashes. */
  path: string
  lines: number
  imports: { specifier: string; typeOnly: boolean }[]
}

/** Which of our folders a folder of src may import, itself aside. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  lib: [],
  store: ['contract', 'lib'],
  client: ['contract', 'lib'],
  mcp: ['contract', 'lib', 'client'],
  cli: ['contract', 'lib', 'client'],
  hook: ['contract', 'lib', 'client'],
  commands: ['contract', 'lib', 'client', 'cli', 'hook'],
  daemon: ['contract', 'lib', 'store'],
}

/** Packages that only some folders may import, and those folders. */
const owners: Readonly<Record<string, readonly string[]>> = {
  ink: ['src/cli/tui/'],
  react: ['src/cli/tui/'],
  '@oclif/core': ['src/commands/', 'src/cli/'],
  '@modelcontextprotocol/sdk': ['src/mcp/'],
  fastify: [
    'src/daemon/process/app.ts',
    'src/daemon/process/start.ts',
    'src/daemon/platform/',
    'src/daemon/process/',
    'src/daemon/sessions/harness/register-harness-hooks.ts',
  ],
  execa: ['src/client/launch.ts', 'src/daemon/'],
  'better-sqlite3': ['src/store/'],
  kysely: ['src/store/'],
  '@orama/orama': ['src/store/index/'],
  '@xenova/transformers': ['src/store/embedding/'],
  lowdb: ['src/store/files/'],
  undici: ['src/store/embedding/', 'src/daemon/'],
}

/** Modules that cost more to load than a whole command: commands reach them by dynamic import only. */
const heavy = [
  'zod',
  'ink',
  'react',
  'fastify',
  'kysely',
  'better-sqlite3',
  '@orama/orama',
  '@xenova/transformers',
  'execa',
  'undici',
  'yaml',
]

const sources = filesIn('src').map(readSource)

test('imports run one way only', t => {
  const wrong = sources.flatMap(({ path, imports }) =>
    imports.flatMap(({ specifier }) => {
      const from = folderOf(path)
      const target = resolved(path, specifier)
      const to = target.startsWith('src/') ? folderOf(target) : undefined
      if (to === undefined || to === from || mayImport[from]?.includes(to)) return []
      if (to === 'mcp' && path.startsWith('src/daemon/platform/mcp/')) return []
      return [`${path} imports ${specifier}`]
    }),
  )
  t.deepEqual(wrong, [])
})

test('every folder of src has its place in the layering', t => {
  const folders = new Set(sources.map(({ path }) => folderOf(path)))
  t.deepEqual(
    [...folders].filter(folder => !(folder in mayImport)),
    [],
  )
})

test('a package is imported only by the folders that own it', t => {
  const wrong = sources.flatMap(({ path, imports }) =>
    imports.flatMap(({ specifier }) => {
      const places = owners[packageOf(specifier)]
      return !places || places.some(place => path.startsWith(place)) ? [] : [`${path} imports ${specifier}`]
    }),
  )
  t.deepEqual(wrong, [])
})

test('an everyday command loads nothing heavy before it needs it', t => {
  const roots = sources.filter(
    ({ path }) => /^src\/commands\/[^/]+\.ts$/u.test(path) || path === 'src/cli/main.ts',
  )
  const wrong = roots.flatMap(({ path }) =>
    [...packagesLoadedBy(path)].filter(name => heavy.includes(name)).map(name => `${path} loads ${name}`),
  )
  t.deepEqual(wrong, [])
})

test('what agents run before each prompt is CommonJS: the loader of modules costs more than a hook', t => {
  const text = (name: string): string => readFileSync(join(root, 'bin', name), 'utf8')
  t.is(JSON.parse(text('package.json')).type, 'commonjs')
  t.notRegex(text('run.js'), /^import /mu)
  t.regex(text('run.js'), /require\('\.\.\/dist\/hook\.cjs'\)/)
})

test(`no file of the sources and tests is longer than ${maxLines} lines`, t => {
  const files = [
    ...sources,
    ...filesIn('test')
      .filter(path => !path.includes('/fixtures/'))
      .map(readSource),
  ]
  const long = files.filter(({ path, lines }) => lines > maxLines && !path.includes('/migrations/'))
  t.deepEqual(
    long.map(({ path, lines }) => `${path}: ${lines}`),
    [],
  )
})

test('file names are kebab-case and say what is inside', t => {
  const vague = /(?:^|[-.])(?:utils?|helpers?|managers?|base|services?|common)(?:[-.]|$)/u
  const wrong = sources.filter(({ path }) => {
    const name = path.split('/').at(-1) ?? ''
    return !/^[a-z0-9]+(?:[-.][a-z0-9]+)*\.(?:tsx?|wat)$/u.test(name) || vague.test(name)
  })
  t.deepEqual(
    wrong.map(({ path }) => path),
    [],
  )
})

test('only the daemon entry reads the environment of the daemon', t => {
  const readers = sources.filter(
    ({ path }) =>
      /^src\/(?:daemon|store)\//u.test(path) &&
      readFileSync(join(root, path), 'utf8').includes('process.env'),
  )
  t.deepEqual(
    readers.map(({ path }) => path),
    ['src/daemon/process/main.ts'],
  )
})

test('nothing ends the process but the entries', t => {
  const enders = sources.filter(({ path }) =>
    readFileSync(join(root, path), 'utf8').includes('process.exit('),
  )
  t.deepEqual(
    enders.map(({ path }) => path),
    ['src/daemon/process/main.ts'],
  )
})

test('every endpoint states a permission and has an address of its own', t => {
  const all = endpoints as readonly EndpointShape[]
  for (const { path, permission } of all)
    t.true(
      permission === 'public' || permission === 'authenticated' || permissions.includes(permission),
      path,
    )
  const addresses = all.flatMap(({ method, path, aliases = [] }) =>
    [path, ...aliases].map(address => `${method} ${address}`),
  )
  t.is(new Set(addresses).size, addresses.length)
})

function filesIn(folder: string): string[] {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && /\.tsx?$/u.test(entry.name) && !entry.name.endsWith('.d.ts'))
    .map(entry => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8')
  const statements = text.matchAll(/^(?:import|export)\s+(type\s+)?(?:([^'";]*?)\s+from\s+)?'([^']+)'/gmu)
  const imports = [...statements].map(([, type, names = '', specifier = '']) => ({
    specifier,
    typeOnly: type !== undefined || onlyTypes(names),
  }))
  return { path, lines: text.split('\n').length - 1, imports }
}

/** `{ type A, type B }` */
function onlyTypes(names: string): boolean {
  const inside = /^\{([\s\S]*)\}$/u.exec(names.trim())?.[1]
  const parts = inside
    ?.split(',')
    .map(part => part.trim())
    .filter(Boolean)
  return parts !== undefined && parts.length > 0 && parts.every(part => part.startsWith('type '))
}

/** Packages that a file loads at once, by itself or through our files. */
function packagesLoadedBy(path: string, seen = new Set<string>()): Set<string> {
  const found = new Set<string>()
  if (seen.has(path)) return found
  seen.add(path)
  for (const { specifier, typeOnly } of sources.find(source => source.path === path)?.imports ?? []) {
    if (typeOnly) continue
    const target = resolved(path, specifier).replace(/\.js$/u, '')
    if (!specifier.startsWith('.')) found.add(packageOf(specifier))
    else for (const name of packagesLoadedBy(sourceAt(target), seen)) found.add(name)
  }
  return found
}

function sourceAt(stem: string): string {
  return sources.find(({ path }) => path === `${stem}.ts` || path === `${stem}.tsx`)?.path ?? stem
}

function folderOf(path: string): string {
  return path.split('/')[1] ?? ''
}

function resolved(from: string, specifier: string): string {
  return join(dirname(from), specifier).split(sep).join('/')
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}
