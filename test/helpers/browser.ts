import { readFileSync } from 'node:fs'
import test from 'ava'
import type { BrowserContext, Page } from 'playwright-core'
import { findBrowser, startBrowser } from '../../scripts/browser.js'
import { packageFile } from '../../src/lib/files/package-root.js'

/** A test that needs a browser; it is skipped on a machine without one. */
export const browserTest = findBrowser() ? test.serial : test.serial.skip

const held: { browser?: ReturnType<typeof startBrowser> } = {}

/** One browser for all tests of a process, which run one after another; it closes after the last. */
export function sharedBrowser(): () => Promise<BrowserContext> {
  test.before(() => {
    if (!findBrowser()) process.stderr.write('Skipped all browser tests: no Chromium on this machine.\n')
  })
  test.after.always(async () => (await held.browser)?.close())
  return async () => {
    held.browser ??= startBrowser({ width: 1280, height: 800 })
    const { context } = await held.browser
    // Pages of earlier tests would keep calling stopped daemons. The first page stays, since a browser may
    // exit without it.
    for (const page of context.pages().slice(1)) await page.close()
    return context
  }
}

/** A page with its complaints: script errors, policy violations and failed loads. */
export interface OpenPage {
  page: Page
  complaints: string[]
  /** Every URL that the page requested. */
  asked: string[]
}

export async function openPage(context: BrowserContext, url: string): Promise<OpenPage> {
  const page = await context.newPage()
  // A busy machine may take longer than the usual half minute to start a child process, for example.
  page.setDefaultTimeout(120_000)
  // Elements that fade in briefly have a contrast that axe reports.
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

/** Accessibility findings of axe for the page's current state. @param rules only these; all by default */
export async function axeFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) }
  // The script stays loaded until the next document; in-page navigation keeps it.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axeScript())
  // Passed checks are dropped inside the page, since transferring them is slow.
  const found = `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`
  return ((await page.evaluate(found)) as Violation[]).flatMap(({ id, nodes }) =>
    nodes.map(
      ({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 200)} ${failureSummary.slice(0, 300)}`,
    ),
  )
}

/** Accessibility findings in the light and the dark colour scheme. */
export async function axeFindingsInBothSchemes(page: Page): Promise<string[]> {
  const light = await axeFindings(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await axeFindings(page, ['color-contrast'])
  await page.emulateMedia({ colorScheme: 'light' })
  return [...light, ...dark]
}

/**
 * Controls whose focus ring is missing, or cut by a box that scrolls or hides its overflow. Each visible
 * control gets the focus in turn.
 * @param within selector of the part to look at
 */
export function cutFocusRings(page: Page, within = 'body'): Promise<string[]> {
  const find = `(root => {
    const cutting = (control, width) => {
      const ring = control.getBoundingClientRect()
      for (let box = control.parentElement; box && box !== document.body; box = box.parentElement) {
        const { overflowX, overflowY } = getComputedStyle(box)
        if (overflowX === 'visible' && overflowY === 'visible') continue
        const edge = box.getBoundingClientRect()
        const isInside = ring.left >= edge.left - 1 && ring.right <= edge.right + 1
        if (isInside && (ring.left - width < edge.left - 0.5 || ring.right + width > edge.right + 0.5)) return box
      }
    }
    return [...root.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')].flatMap(
      control => {
        if (control.disabled || control.getClientRects().length === 0) return []
        control.focus({ focusVisible: true })
        if (document.activeElement !== control) return []
        const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(control)
        const name = control.outerHTML.slice(0, 120)
        if (outlineStyle === 'none') return ['no ring: ' + name]
        const box = cutting(control, parseFloat(outlineWidth) + parseFloat(outlineOffset))
        return box ? ['cut by ' + box.tagName + ' ' + box.className + ': ' + name] : []
      },
    )
  })(document.querySelector(${JSON.stringify(within)}))`
  return page.evaluate(find) as Promise<string[]>
}
