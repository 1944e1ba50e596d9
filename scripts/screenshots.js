// Takes the pictures of docs/web.md: every page of a demo workspace in a browser of this machine. `npm run
// screenshots`.
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { settled, startBrowser } from './browser.js'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'docs', 'images')
const viewport = { width: 1000, height: 600 }

/** The page to open for each picture, and a text that is visible once it has loaded. */
const shown = {
  home: ['home', 'Agreed to drop Node 18'],
  memories: ['memories', 'Rotate the signing keys'],
  'recall-lab': ['recall?q=which database holds our billing tables', 'PostgreSQL 16'],
  sessions: ['sessions', 'Claude Code'],
  session: ['sessions/demo-session', 'at the start'],
  knowledge: ['knowledge', 'billing'],
  sources: ['sources', 'Notes of the demo'],
  tasks: ['tasks', 'Look through the notes'],
  secrets: ['secrets', 'DEMO_API_KEY'],
  operations: ['operations/diagnostics', 'Storage'],
  settings: ['settings', 'Saved and active'],
}

/** @param {string[]} words */
function memory(...words) {
  return execFileSync(process.execPath, [join(root, 'bin', 'run.js'), ...words], { encoding: 'utf8' }).trim()
}

const { workspace } = JSON.parse(memory('demo', '--keep', '--json'))
const { context, close } = await startBrowser(viewport)
try {
  const url = memory('ui', '--no-open', '--workspace', workspace)
  const page = await context.newPage()
  await page.goto(url)
  const titles = await page.getByRole('navigation').getByRole('link').allTextContents()
  mkdirSync(folder, { recursive: true })
  for (const [name, [place, text]] of Object.entries(shown)) {
    await page.goto(`${url}#/${place}`)
    const isThere = await page
      .getByText(text)
      .first()
      .waitFor({ timeout: 20_000 })
      .then(
        () => true,
        () => false,
      )
    if (!isThere) {
      console.error(`${name}: text "${text}" not found on the page; pages are ${titles.join(', ')}`)
      process.exitCode = 1
      continue
    }
    await settled(page)
    // The list of events is below the session's context.
    if (name === 'session') await page.getByText(text).first().scrollIntoViewIfNeeded()
    await page.screenshot({ path: join(folder, `web-${name}.png`) })
    console.log(`docs/images/web-${name}.png`)
  }
} finally {
  await close()
  memory('daemon', 'stop', '--workspace', workspace)
  rmSync(workspace, { recursive: true, force: true, maxRetries: 5 })
}
