import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/** Browsers of this machine, since none is downloaded. `BROWSER_PATH` names another one. */
const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** @returns {string | undefined} */
export function findBrowser() {
  const { BROWSER_PATH, PATH = '' } = process.env
  if (BROWSER_PATH) return BROWSER_PATH
  return PATH.split(delimiter)
    .flatMap(folder => names.map(name => join(folder, name)))
    .find(existsSync)
}

/**
 * Starts a browser with a new profile folder, which is removed when it is closed.
 * @param {{ width: number, height: number }} viewport
 */
export async function startBrowser(viewport) {
  const { chromium } = await import('playwright-core')
  const folder = mkdtempSync(join(tmpdir(), 'memory-service-browser-'))
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: findBrowser(),
    headless: true,
    args: flags,
    viewport,
    serviceWorkers: 'block',
  })
  const close = async () => {
    await context.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  return { context, close }
}

/**
 * Waits until a page shows its data. Waiting for an idle network would never end, because an event stream
 * stays open.
 * @param {import('playwright-core').Page} page
 */
export async function settled(page) {
  const loading = page.locator('#page .loading')
  while ((await loading.count()) > 0) await loading.first().waitFor({ state: 'detached' })
}
