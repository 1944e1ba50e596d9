import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ExecutionContext } from 'ava'
import type { Reply } from '../../src/contract/api.js'
import type { TestDaemon } from './daemon.js'
import { until } from './daemon-process.js'
import { temporaryFolder } from './temporary-folder.js'

/** A small project: a store, a function that opens it, and its caller. */
const files: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({ name: 'harbour', description: 'Keeps cranes.', main: 'src/main.ts' }),
  'src/store.ts': `/** Opens the store of cranes. */
export function openStore(path: string): Store {
  return new Store(path)
}

export class Store {
  constructor(readonly path: string) {}
  close(): void {
    release(this.path)
  }
}

function release(path: string): string {
  return path
}
`,
  'src/crane.ts': `import { openStore } from './store'

export const craneLimitTons = 40

export function liftContainer(): void {
  openStore('cranes').close()
}
`,
  'src/main.ts': `import { liftContainer } from './crane'

export function main(): void {
  liftContainer()
}
`,
}

export interface CodeProject {
  root: string
  put(path: string, text: string): void
  remove(path: string): void
}

/** Writes the project into a folder of its own. */
export function codeProject(t: ExecutionContext, more: Readonly<Record<string, string>> = {}): CodeProject {
  const root = temporaryFolder(t, 'memory-project')
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  for (const [path, text] of Object.entries({ ...files, ...more })) put(path, text)
  return { root, put, remove: path => rmSync(join(root, path)) }
}

/** The files in the index folder of a project that are databases. */
export function indexesIn(root: string): string[] {
  return readdirSync(join(root, '.memory-service')).filter(name => name.endsWith('.db'))
}

/** Enables the plugin. */
export async function enableCode({ call }: Pick<TestDaemon, 'call'>): Promise<void> {
  await call('PATCH /api/plugins/:id', { params: { id: 'service.codeindex' }, body: { enabled: true } })
}

/** Indexes a project as its user would, and waits for the end. */
export async function indexProject(
  { call }: Pick<TestDaemon, 'call'>,
  project: string,
  how: { full?: boolean } = {},
): Promise<Reply<'GET /api/code/status'>> {
  const { body } = await call('POST /api/code/index', { body: { project, named: true, ...how } })
  return until(async () => {
    const status = (await call('GET /api/code/status', { query: { project } })).body
    const { job } = status
    return job?.id === body.jobId && !['waiting', 'running'].includes(job.state) ? status : undefined
  })
}

/** Calls every code route with a project that memories name. */
export async function askCode(t: ExecutionContext, { call }: Pick<TestDaemon, 'call'>): Promise<void> {
  const { root, put } = codeProject(t)
  const project = { project: root }
  await call('POST /api/memory/remember', {
    body: { content: 'Cranes: openStore of src/store.ts.', ...project },
  })
  await indexProject({ call }, root)
  await until(async () => {
    const { body } = await call('POST /api/memory/recall', { body: { query: 'cranes', ...project } })
    return body.results.some(({ code }) => code !== undefined) || undefined
  })
  put('src/store.ts', 'export {}')
  await indexProject({ call }, root)
  await call('GET /api/code/search', { query: { ...project, query: 'store', file: 'src', debug: true } })
  await call('GET /api/code/context', { query: { ...project, symbol: 'main' } })
  await call('GET /api/code/blast', { query: { ...project, symbol: 'main', direction: 'both' } })
  await call('GET /api/code/constants', { query: { ...project, query: 'limit' } })
  await call('GET /api/code/briefing', { query: project })
  await call('GET /api/code/doctor', { query: project })
  for (const query of [{}, { agentId: 'maya' }]) await call('GET /api/code/moved', { query })
  await call('POST /api/code/cancel', { body: project })
  await call('POST /api/code/clear', { body: { ...project, confirm: true } })
}
