import { readFileSync } from 'node:fs'
import test from 'ava'
import type { BrowserContext, Page } from 'playwright-core'
import { findBrowser, startBrowser } from '../../scripts/browser.js'
import { packageFile } from '../../src/lib/files/package-root.js'

/** A test that needs a browser; without one on the machine the run says that it was left out. */
export const browserTest = findBrowser() ? test.serial : test.serial.skip

const held: { browser?: ReturnType<typeof startBrowser> } = {}

/** One browser for all tests of a process, one after another; it ends with them. */
export function sharedBrowser(): () => Promise<BrowserContext> {
  test.before(() => {
    if (!findBrowser())
      process.stderr.write('Left out, since there is no Chromium on this machine: all tests in a browser.\n')
  })
  test.after.always(async () => (await held.browser)?.close())
  return async () => {
    held.browser ??= startBrowser({ width: 1280, height: 800 })
    const { context } = await held.browser
    // Those of earlier tests would go on asking daemons that have ended; without its first one a browser may end.
    for (const page of context.pages().slice(1)) await page.close()
    return context
  }
}

/** A page of the browser, and what it complained about: faults of scripts, refusals of the policy, failed loads. */
export interface OpenPage {
  page: Page
  complaints: string[]
  /** Every address that it asked for. */
  asked: string[]
}

export async function openPage(context: BrowserContext, url: string): Promise<OpenPage> {
  const page = await context.newPage()
  // What fades in has, for a moment, a contrast that axe finds wrong.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const complaints: string[] = []
  const asked: string[] = []
  page.on('pageerror', error => complaints.push(`${error.name}: ${error.message}`))
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('request', request => asked.push(request.url()))
  page.on('dialog', dialog => {
    complaints.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.goto(url)
  return { page, complaints, asked }
}

interface Violation {
  id: string
  nodes: { html: string; failureSummary?: string }[]
}

const axeScript = (): string => readFileSync(packageFile('node_modules', 'axe-core', 'axe.min.js'), 'utf8')

/** What axe finds wrong with a page as it is now. @param rules these alone; all of them otherwise */
export async function axeFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) }
  // It stays there until another document comes: parts of the page are none.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axeScript())
  // What it finds right is not brought here.
  const found = `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`
  return ((await page.evaluate(found)) as Violation[]).flatMap(({ id, nodes }) =>
    nodes.map(
      ({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 200)} ${failureSummary.slice(0, 300)}`,
    ),
  )
}

/** What axe finds wrong with a page as it is, light and dark. */
export async function axeInBoth(page: Page): Promise<string[]> {
  const light = await axeFindings(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await axeFindings(page, ['color-contrast'])
  await page.emulateMedia({ colorScheme: 'light' })
  return [...light, ...dark]
}
