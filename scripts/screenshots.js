// Takes the pictures of docs/web.md, and of every page at three widths in both schemes to look at. `npm
// run screenshots` fills a workspace of its own and needs a browser of this machine.
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { settled, startBrowser } from './browser.js'
import { fillWorkspace } from './fill-workspace.js'

const root = join(import.meta.dirname, '..')
/** Pictures for the docs, and all pictures, which are not part of the repository. */
const docsFolder = join(root, 'docs', 'images')
const allFolder = join(root, 'node_modules', '.cache', 'screenshots')
const docsViewport = { width: 1200, height: 720 }
const widths = [390, 1280, 2560]
const schemes = /** @type {const} */ (['light', 'dark'])

/** The page to open for each picture, and a text that is visible once it has loaded. */
const shown = {
  home: ['home', 'What happens'],
  search: ['search?q=which service stores data in Redis', 'best first'],
  memories: ['memories', 'newest first'],
  'recall-lab': ['recall?q=which database holds our billing tables', 'PostgreSQL 16'],
  preview: ['preview', 'tokens'],
  projects: ['projects', 'shop'],
  sessions: ['sessions', 'Why is'],
  session: ['sessions/session-1', 'session-1'],
  knowledge: ['knowledge', 'ledger'],
  graph: ['knowledge/graph', 'relations'],
  review: ['knowledge/review', 'Review'],
  sources: ['sources', 'Team notes'],
  tasks: ['tasks', 'Look through the notes'],
  secrets: ['secrets', 'DEMO_API_KEY'],
  operations: ['operations/diagnostics', 'Storage'],
  settings: ['settings', 'agent.yaml'],
}

/** @param {string[]} words */
function memory(...words) {
  return execFileSync(process.execPath, [join(root, 'bin', 'run.js'), ...words], { encoding: 'utf8' }).trim()
}

/** @param {import('playwright-core').Page} page */
async function takeAll(page, /** @type {string} */ url) {
  for (const [name, [place, text]] of Object.entries(shown)) {
    await page.setViewportSize(docsViewport)
    await page.goto(`${url}#/${place}`)
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
    await page.screenshot({ path: join(docsFolder, `web-${name}.png`) })
    for (const width of widths)
      for (const colorScheme of schemes) {
        await page.setViewportSize({ width, height: width < 600 ? 844 : 900 })
        await page.emulateMedia({ colorScheme })
        await settled(page)
        await page.screenshot({ path: join(allFolder, `${name}-${width}-${colorScheme}.png`) })
      }
    await page.emulateMedia({ colorScheme: 'light' })
    console.log(`docs/images/web-${name}.png`)
  }
}

const { workspace } = JSON.parse(memory('demo', '--keep', '--json'))
const { context, close } = await startBrowser(docsViewport)
try {
  const url = memory('ui', '--no-open', '--workspace', workspace)
  console.log('Filling a workspace takes about a minute.')
  await fillWorkspace(url.replace(/\/ui\/$/u, ''), workspace)
  mkdirSync(docsFolder, { recursive: true })
  mkdirSync(allFolder, { recursive: true })
  await takeAll(await context.newPage(), url)
  console.log(`All widths and schemes are in ${allFolder}`)
} finally {
  await close()
  memory('daemon', 'stop', '--workspace', workspace)
  rmSync(workspace, { recursive: true, force: true, maxRetries: 5 })
}
