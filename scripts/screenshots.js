// Takes the pictures of docs/web.md, and of every page at three widths in both schemes to look at. `npm
// run screenshots` fills a workspace of its own and needs a browser of this machine.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { settled, startBrowser } from './browser.js'
import { fillWorkspace } from './fill-workspace.js'

const root = join(import.meta.dirname, '..')
/** Pictures for the docs, and all pictures, which are not part of the repository. */
const docsFolder = join(root, 'docs', 'images')
const allFolder = join(root, 'node_modules', '.cache', 'screenshots')
const docsViewport = { width: 1200, height: 720 }
/** The work is spread over so many days, and a moved clock is read after so many milliseconds. */
const days = 28
const clockMs = 60
/** The longest wait for jobs that the moved clock interrupted. */
const calmMs = 180_000
const widths = [390, 1280, 2560]
const schemes = /** @type {const} */ (['light', 'dark'])

/**
 * The place to open for each picture, and a text that is visible once it has loaded. Those with `docs` are in
 * the docs too.
 * @type {Record<string, { place: string | ((ids: Ids) => string), text: string, docs?: boolean }>}
 */
const shown = {
  home: { place: 'home', text: 'What happens', docs: true },
  search: { place: 'search?q=which service keeps receipts in Redis', text: 'best first', docs: true },
  memories: { place: 'memories', text: 'newest first', docs: true },
  memory: { place: ({ memory }) => `memories/${memory}`, text: 'History' },
  'recall-lab': {
    place: 'recall?q=which database holds our billing tables',
    text: 'PostgreSQL 16',
    docs: true,
  },
  preview: { place: 'preview', text: 'tokens', docs: true },
  projects: { place: 'projects', text: 'shop' },
  sessions: { place: 'sessions', text: 'messages', docs: true },
  session: { place: ({ session }) => `sessions/${session}`, text: 'Given', docs: true },
  knowledge: { place: 'knowledge', text: 'ledger' },
  entity: { place: ({ entity }) => `knowledge/entity/${entity}`, text: 'Facts' },
  graph: { place: 'knowledge/graph', text: 'Click an entity', docs: true },
  review: { place: 'knowledge/review', text: 'Suggested' },
  proposals: { place: 'knowledge/proposals', text: 'confidence' },
  sources: { place: 'sources', text: 'Team notes', docs: true },
  source: { place: ({ source }) => `sources/source/${source}`, text: 'Artifacts' },
  documents: { place: 'sources/documents', text: 'No documents yet' },
  connectors: { place: 'sources/connectors', text: 'No connected folders' },
  conversations: { place: 'sources/imports', text: 'No imported conversations yet' },
  tasks: { place: 'tasks', text: 'Look through the notes', docs: true },
  task: { place: ({ task }) => `tasks/task/${task}`, text: 'Runs' },
  agents: { place: 'tasks/agents', text: 'reviewer' },
  messages: { place: 'tasks/messages', text: 'Unread only' },
  skills: { place: 'tasks/skills', text: 'No skills installed' },
  plugins: { place: 'tasks/plugins', text: 'Code index' },
  secrets: { place: 'secrets', text: 'DEMO_API_KEY', docs: true },
  providers: { place: 'secrets/providers', text: 'Bitwarden' },
  store: { place: 'secrets/store', text: 'Encryption key' },
  log: { place: 'operations/log', text: 'Live, newest first' },
  jobs: { place: 'operations/work', text: 'Queues' },
  operations: { place: 'operations/diagnostics', text: 'Storage', docs: true },
  tables: { place: 'operations/diagnostics/tables', text: 'agents' },
  repair: { place: 'operations/repair', text: 're-embed' },
  backups: { place: 'operations/backups', text: 'Back up now' },
  git: { place: 'operations/git', text: 'Remote URL' },
  update: { place: 'operations/update', text: 'Installed' },
  telemetry: { place: 'operations/telemetry', text: 'newest first' },
  settings: { place: 'settings', text: 'agent.yaml', docs: true },
}

/** Pictures of the README, which follow the reader's scheme. */
const inBoth = ['home', 'graph']

/** @typedef {Record<'memory' | 'session' | 'entity' | 'source' | 'task', string>} Ids */

/** @param {string[]} words */
function memory(...words) {
  return execFileSync(process.execPath, [join(root, 'bin', 'run.js'), ...words], { encoding: 'utf8' }).trim()
}

async function read(/** @type {string} */ url, /** @type {string} */ path) {
  return (await fetch(new URL(path, url))).json()
}

/** One of each kind whose own view is shown. @returns {Promise<Ids>} */
async function someOf(/** @type {string} */ url) {
  const [memories, sessions, entities, sources, tasks] = await Promise.all([
    read(url, '/api/memories?limit=1&pinned=true'),
    read(url, '/api/sessions?past=true&limit=50'),
    read(url, '/api/ontology/entities?limit=1'),
    read(url, '/api/sources'),
    read(url, '/api/tasks'),
  ])
  return {
    memory: memories.memories[0].id,
    session: sessions.sessions.find(({ isLive, memories }) => !isLive && memories > 0).key,
    entity: entities.entities[0].id,
    source: sources.sources.at(-1).id,
    task: tasks.tasks[0].id,
  }
}

/** A clock that jumps leaves late sources, backups and jobs; a month of true work would not. */
async function catchUp(/** @type {string} */ url) {
  memory('backup', 'create', '--workspace', workspace)
  for (const { id } of (await read(url, '/api/sources')).sources)
    memory('sources', 'sync', id, '--wait', '--workspace', workspace)
  const until = Date.now() + calmMs
  while ((await read(url, '/api/status')).health.status !== 'healthy' && Date.now() < until)
    await setTimeout(1000)
}

/** @param {import('playwright-core').Page} page */
async function takeAll(page, /** @type {string} */ url) {
  const ids = await someOf(url)
  for (const [name, { place, text, docs }] of Object.entries(shown)) {
    await page.setViewportSize(docsViewport)
    await page.goto(`${url}#/${typeof place === 'string' ? place : place(ids)}`)
    const isThere = await page
      .locator('#main')
      .getByText(text)
      .first()
      .waitFor({ timeout: 20_000 })
      .then(
        () => true,
        () => false,
      )
    if (!isThere) {
      console.error(`${name}: text "${text}" not found on the page`)
      process.exitCode = 1
      continue
    }
    await settled(page)
    if (docs) await page.screenshot({ path: join(docsFolder, `web-${name}.png`) })
    if (inBoth.includes(name)) {
      await page.emulateMedia({ colorScheme: 'dark' })
      await settled(page)
      await page.screenshot({ path: join(docsFolder, `web-${name}-dark.png`) })
    }
    for (const width of widths)
      for (const colorScheme of schemes) {
        await page.setViewportSize({ width, height: width < 600 ? 844 : 900 })
        await page.emulateMedia({ colorScheme })
        await settled(page)
        await page.screenshot({ path: join(allFolder, `${name}-${width}-${colorScheme}.png`) })
      }
    await page.emulateMedia({ colorScheme: 'light' })
    console.log(name)
  }
}

const clock = join(mkdtempSync(join(tmpdir(), 'memory-service-clock-')), 'back')
const moveClock = async (/** @type {number} */ backMs) => {
  writeFileSync(clock, String(backMs))
  await setTimeout(clockMs)
}
await moveClock(days * 24 * 60 * 60 * 1000)
process.env.MOVED_CLOCK = clock
process.env.NODE_OPTIONS = `--import=${pathToFileURL(join(import.meta.dirname, 'moved-clock.js'))}`
const { workspace } = JSON.parse(memory('demo', '--keep', '--json'))
const { context, close } = await startBrowser(docsViewport)
try {
  const url = memory('ui', '--no-open', '--workspace', workspace)
  console.log('Filling a workspace takes about two minutes.')
  await fillWorkspace(url.replace(/\/ui\/$/u, ''), workspace, { days, moveClock })
  await catchUp(url)
  mkdirSync(docsFolder, { recursive: true })
  mkdirSync(allFolder, { recursive: true })
  await takeAll(await context.newPage(), url)
  console.log(`All widths and schemes are in ${allFolder}`)
} finally {
  await close()
  memory('daemon', 'stop', '--workspace', workspace)
  for (const folder of [workspace, dirname(clock)])
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
