// runs: in turn

import type { Assertions, ExecutionContext } from 'ava'
import type { Page } from 'playwright-core'
import { axeFindingsInBothSchemes, browserTest, openPage, sharedBrowser } from '../helpers/browser.js'
import { startDaemon, type TestDaemon } from '../helpers/daemon.js'
import { operation, perform } from '../helpers/ontology.js'
import { copyMemories } from '../helpers/planted-damage.js'
import { readVault, vaultOf } from '../helpers/sources.js'
import { openRaw } from '../helpers/store.js'

const browser = sharedBrowser()
const markup = '<img src=x onerror="alert(1)"><a href="javascript:alert(2)">x</a>'
const turned = '\u202Egnisrever\u202D אבג'
const long = 'W'.repeat(3000)
const hostile = `${markup} [x](javascript:alert(3)) ${turned}`

browserTest(
  'markup, script URLs, bidirectional and very long texts from others are shown as text (web.md 1.5)',
  async t => {
    const daemon = await startDaemon(t)
    const { url, call, remember } = daemon
    const id = await remember('The harbour has nine cranes', {
      tags: [hostile.slice(0, 100), 'W'.repeat(100)],
    })
    await remember(`${hostile} ${long}`, { tags: 'plain' })
    plantDamage(t, daemon, id)
    await call('POST /api/cross-agent/messages', {
      body: { content: `${hostile} ${long}`, from_agent_id: '<u>builder', broadcast: true },
    })
    const note = `---\ntitle: '${hostile}'\naliases: ['${hostile}']\nurl: javascript:alert(4)\n---\n\n# ${hostile}\n`
    const vault = vaultOf(t, { [`${turned} <b onmouseover=alert(5)> ${'w'.repeat(150)}.md`]: note })
    const source = await readVault(daemon, vault)
    const { page, complaints } = await openPage(await browser(), `${url}/ui/#/memories`)
    await page
      .getByRole('row', { name: /onerror/u })
      .first()
      .waitFor()
    await looksRight(t, page)
    await page.goto(`${url}/ui/#/memories/${id}`)
    await page.getByRole('region', { name: 'History' }).getByText('Saved').waitFor()
    t.true((await page.locator('#page').innerText()).includes(hostile.slice(0, 100)))
    await looksRight(t, page)
    await page.goto(`${url}/ui/#/tasks/messages`)
    await page.getByRole('row', { name: /onerror/u }).click()
    await page.getByRole('dialog').getByText('javascript:alert(3)').waitFor()
    await looksRight(t, page)
    await page.goto(`${url}/ui/#/sources/source/${source.id}`)
    await page.getByRole('row', { name: /onmouseover|onerror/u }).click()
    await page.getByRole('dialog').getByText('onmouseover').first().waitFor()
    await looksRight(t, page)
    await page.goto(`${url}/ui/#/secrets`)
    await page.getByRole('button', { name: 'Set a secret…' }).click()
    await page.getByLabel('Name').fill(hostile)
    await page.getByLabel('Value').fill('1')
    await page.getByRole('button', { name: 'Set', exact: true }).click()
    await page.getByRole('alert').waitFor()
    await looksRight(t, page)
    await page.goto(`${url}/ui/#/operations/diagnostics`)
    await page.getByText(`copy ${hostile}`).first().waitFor()
    await looksRight(t, page)
    await page.goto(`${url}/ui/#/operations/repair/prune-generic-entities`)
    await page.getByRole('dialog').getByText(`generic ${hostile}`).waitFor()
    await looksRight(t, page)
    t.deepEqual(
      complaints.filter(text => !text.includes('400 (Bad Request)')),
      [],
    )
    await page.close()
  },
)

browserTest('axe finds nothing in a full list of sessions and a large graph (web.md 1.6)', async t => {
  const daemon = await startDaemon(t)
  const { url, call, remember } = daemon
  await remember('The harbour has nine cranes')
  for (let number = 0; number < 220; number++) {
    const body = { harness: 'claude-code', sessionKey: `session ${number}`, project: `/work/p${number % 9}` }
    await call('POST /api/hooks/session-start', { body })
  }
  const quote = 'The harbour has many berths'
  const memory = await remember(quote)
  const operations = Array.from({ length: 400 }, (_, berth) =>
    operation(
      'link',
      { from: 'Harbour', fromType: 'place', relation: 'has', to: `Berth ${berth}`, toType: 'place' },
      { [memory]: quote },
    ),
  )
  await perform(daemon, operations.slice(0, 200))
  await perform(daemon, operations.slice(200))
  const { page, complaints } = await openPage(await browser(), `${url}/ui/#/sessions`)
  const past = page.getByRole('region', { name: 'All sessions' })
  await past.getByText('Showing the 200 most recent').waitFor()
  t.deepEqual(await axeFindingsInBothSchemes(page), [])
  await fitsNarrow(t, page)
  await page.goto(`${url}/ui/#/knowledge?q=Harbour`)
  await page.getByText('Harbour', { exact: true }).first().click()
  await page.getByRole('button', { name: 'Show graph' }).click()
  await page
    .getByRole('status')
    .getByText(/^\d{2,4} entities/u)
    .waitFor()
  t.deepEqual(await axeFindingsInBothSchemes(page), [])
  await fitsNarrow(t, page)
  t.deepEqual(complaints, [])
  await page.close()
})

/**
 * Checks that no text became an element or an address, that nothing overflows, and that axe finds nothing.
 */
async function looksRight(t: Assertions, page: Page): Promise<void> {
  const place = page.url()
  t.is(await page.locator('a[href^="javascript:" i], #page img, #page script, dialog img').count(), 0, place)
  t.deepEqual(await axeFindingsInBothSchemes(page), [], place)
  await fitsNarrow(t, page)
}

/** Elements that make the page wider than its window. */
const overTheEdge = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement
  if (scrollWidth <= clientWidth) return []
  return [...document.querySelectorAll('*')]
    .filter(one => one.getBoundingClientRect().right > clientWidth)
    .map(one => one.outerHTML.slice(0, 200))
})()`

async function fitsNarrow(t: Assertions, page: Page): Promise<void> {
  await page.setViewportSize({ width: 360, height: 740 })
  // A drawing adapts to the new size after the page.
  await page.waitForFunction(`${overTheEdge}.length === 0`, null, { timeout: 10_000 }).catch(() => undefined)
  t.deepEqual(await page.evaluate(overTheEdge), [], `${page.url()} at 360 px`)
  await page.setViewportSize({ width: 1280, height: 800 })
}

/** A duplicate memory, and an entity with a number as its name; both have ids from an untrusted source. */
function plantDamage(t: ExecutionContext, { paths }: TestDaemon, id: string): void {
  const raw = openRaw(t, paths.database)
  copyMemories(raw, [id], row => ({
    id: `copy ${hostile}`,
    content_hash: `copy ${row.content_hash}`,
    change: Number(row.change) + 1000,
  }))
  const now = new Date().toISOString()
  const entity = `generic ${hostile}`
  raw
    .prepare("INSERT INTO entities VALUES (?, 'default', '7', '7', 'concept', 0, 0, NULL, ?, ?)")
    .run(entity, now, now)
  raw.prepare("INSERT INTO entity_names VALUES ('default', '7', ?, '7', 1)").run(entity)
}
