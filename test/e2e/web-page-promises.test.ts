// runs: in turn

import type { Page } from 'playwright-core'
import { settled } from '../../scripts/browser.js'
import { axeFindingsInBothSchemes, browserTest, openPage, sharedBrowser } from '../helpers/browser.js'
import { startDaemon, type TestDaemon } from '../helpers/daemon.js'
import { startSession } from '../helpers/hooks.js'
import { operation, perform } from '../helpers/ontology.js'
import { openRaw } from '../helpers/store.js'

const browser = sharedBrowser()

/** Every page and tab, with a heading that it has once it is open. */
const places: Readonly<Record<string, string>> = {
  home: 'Home',
  search: 'Search',
  memories: 'Memories',
  recall: 'Recall lab',
  preview: 'Preview',
  projects: 'Projects',
  sessions: 'Sessions',
  'sessions/s1': 's1',
  knowledge: 'Knowledge',
  'knowledge/graph': 'Knowledge',
  'knowledge/review': 'Knowledge',
  'knowledge/proposals': 'Knowledge',
  sources: 'Sources',
  'sources/documents': 'Sources',
  'sources/connectors': 'Sources',
  'sources/imports': 'Sources',
  tasks: 'Tasks and agents',
  'tasks/agents': 'Tasks and agents',
  'tasks/messages': 'Tasks and agents',
  'tasks/skills': 'Tasks and agents',
  'tasks/plugins': 'Tasks and agents',
  secrets: 'Secrets',
  'secrets/providers': 'Secrets',
  'secrets/store': 'Secrets',
  'operations/log': 'Operations',
  'operations/work': 'Operations',
  'operations/diagnostics': 'Operations',
  'operations/repair': 'Operations',
  'operations/backups': 'Operations',
  'operations/git': 'Operations',
  'operations/update': 'Operations',
  'operations/telemetry': 'Operations',
  settings: 'Settings',
}

/** Some of everything: memories, a session, two facts that contradict each other. */
async function fill(daemon: TestDaemon): Promise<void> {
  for (let number = 0; number < 40; number++)
    await daemon.remember(`Service ${number} is deployed from the main branch`, { project: '/work/shop' })
  for (const value of ['6230', '7421']) {
    const quote = `The scheduler listens on ${value}`
    const id = await daemon.remember(quote)
    const fact = { entity: 'scheduler', entityType: 'component', aspect: 'network', claim: 'port', value }
    await perform(daemon, [operation('assert_claim', fact, { [id]: quote })])
  }
  await startSession(daemon, { sessionKey: 's1', project: '/work/shop' })
  await daemon.recall('scheduler', { sessionKey: 's1' })
}

async function openPlace(page: Page, url: string, place: string): Promise<void> {
  await page.goto(`${url}/ui/#/${place}`)
  await page.getByRole('heading', { name: places[place] }).first().waitFor()
  await settled(page)
}

browserTest('every page and tab fits 390 pixels, and axe finds nothing there (web.md#pages)', async t => {
  const daemon = await startDaemon(t)
  await fill(daemon)
  const { page, complaints } = await openPage(await browser(), `${daemon.url}/ui/`)
  await page.setViewportSize({ width: 390, height: 844 })
  const wide: string[] = []
  for (const place of Object.keys(places)) {
    await openPlace(page, daemon.url, place)
    const fits =
      '[document.documentElement, document.querySelector("main")].every(one => one.scrollWidth <= one.clientWidth)'
    if (!(await page.evaluate(fits))) wide.push(place)
    t.deepEqual(await axeFindingsInBothSchemes(page), [], place)
  }
  t.deepEqual(wide, [])
  // Software draws the graph here, and says so.
  t.deepEqual(
    complaints.filter(text => !text.includes('GPU stall')),
    [],
  )
  await page.close()
})

browserTest(
  'every page and tab is used by keyboard, with a visible focus, and nothing moves (web.md#pages)',
  async t => {
    const daemon = await startDaemon(t)
    await fill(daemon)
    const { page } = await openPage(await browser(), `${daemon.url}/ui/`)
    await page.setViewportSize({ width: 1280, height: 800 })
    const faults: string[] = []
    for (const place of Object.keys(places)) {
      await openPlace(page, daemon.url, place)
      if ((await page.evaluate('document.getAnimations().length')) !== 0) faults.push(`${place} moves`)
      await page.evaluate('document.querySelector("#main").focus()')
      for (let stop = 0; stop < 4; stop++) {
        await page.keyboard.press('Tab')
        const hidden = await page.evaluate(`(() => {
        const one = document.activeElement
        if (!one || one === document.body) return null
        const { outlineStyle, outlineWidth } = getComputedStyle(one)
        const seen = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1
        return seen || one.closest('.as-button, .graph') ? null : one.outerHTML.slice(0, 120)
      })()`)
        if (hidden !== null) faults.push(`${place}: ${hidden}`)
      }
    }
    t.deepEqual(faults, [])
    await page.close()
  },
)

/** Layout shifts since the page was loaded, as browsers sum them up. */
const shifts = `new Promise(resolve => {
  let sum = 0
  new PerformanceObserver(list => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value })
    .observe({ type: 'layout-shift', buffered: true })
  setTimeout(() => resolve(sum), 100)
})`

browserTest(
  'a save and a question elsewhere show within a second, and nothing jumps (web.md#pages)',
  async t => {
    const daemon = await startDaemon(t)
    await fill(daemon)
    const { page } = await openPage(await browser(), `${daemon.url}/ui/`)
    const feed = page.getByRole('region', { name: 'What happens' })
    await feed.getByText('“scheduler”').waitFor()
    await settled(page)
    const times: number[] = []
    for (let round = 0; round < 3; round++) {
      const saved = performance.now()
      await daemon.remember(`The lamp ${round} is green`)
      await feed.getByText(`The lamp ${round} is green`).waitFor()
      times.push(performance.now() - saved)
      const asked = performance.now()
      await daemon.recall(`which lamp ${round}`, { sessionKey: 's1' })
      await feed.getByText(`“which lamp ${round}”`).waitFor()
      times.push(performance.now() - asked)
    }
    t.log(times.map(time => `${Math.round(time)} ms`).join(', '))
    // The median, since the machine does other work as well.
    t.true(times.sort((one, other) => one - other)[3]! < 1000)
    const moved: string[] = []
    for (const place of Object.keys(places)) {
      await page.goto('about:blank')
      await openPlace(page, daemon.url, place)
      await page.waitForTimeout(200)
      const sum = Number(await page.evaluate(shifts))
      if (sum > 0.1) moved.push(`${place} ${sum.toFixed(2)}`)
    }
    t.deepEqual(moved, [])
    await page.close()
  },
)

browserTest('a list of 100,000 memories scrolls to its end (web.md#pages)', async t => {
  const daemon = await startDaemon(t)
  await daemon.remember('Row of the harbour')
  fillTable(openRaw(t, daemon.paths.database), 100_000)
  const { page } = await openPage(await browser(), `${daemon.url}/ui/#/memories`)
  await page.getByText(/100,001 memories/u).waitFor()
  const scrollTo = (part: number) =>
    page.evaluate(`{
      const rows = document.querySelector('.table .rows')
      rows.scrollTop = rows.scrollHeight * ${part}
    }`)
  t.true((await page.getByRole('row').count()) < 80)
  const began = performance.now()
  await scrollTo(1)
  await page.getByRole('row', { name: /harbour/u }).waitFor()
  const end = performance.now() - began
  for (const part of [0.25, 0.75, 0.5]) {
    await scrollTo(part)
    await page
      .getByRole('row', { name: /Row \d+ of many/u })
      .first()
      .waitFor()
  }
  t.true((await page.getByRole('row').count()) < 80)
  t.log(`the last row after ${Math.round(end)} ms`)
  t.true(end < 5000)
  await page.close()
})

/** Copies the one memory of a store, each with a text of its own. */
function fillTable(raw: ReturnType<typeof openRaw>, count: number): void {
  const own: Readonly<Record<string, string>> = {
    id: 'randomblob(16)',
    content: `'Row ' || n.i || ' of many'`,
    created_at: `'2027-01-01T00:00:00.000Z'`,
  }
  const columns = raw.prepare(`SELECT name FROM pragma_table_info('memories')`).pluck().all() as string[]
  const values = columns.map(
    name => own[name] ?? (/hash/u.test(name) ? 'hex(randomblob(16))' : `m."${name}"`),
  )
  raw.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO memories (${columns.map(name => `"${name}"`).join(', ')})
    SELECT ${values.join(', ')} FROM n, memories m WHERE m.content LIKE '%harbour%'`)
}
