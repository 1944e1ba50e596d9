// runs: in turn

import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { axeFindingsInBothSchemes, browserTest, openPage, sharedBrowser } from '../helpers/browser.js'
import { startDaemon } from '../helpers/daemon.js'
import { storeGraph } from '../helpers/graph.js'
import { operation, perform } from '../helpers/ontology.js'

const browser = sharedBrowser()

const hint = 'Click an entity for its relations'

/** Messages without those of a graphics driver about its speed. */
const important = (complaints: readonly string[]) =>
  complaints.filter(text => !/GL Driver Message/u.test(text))

browserTest(
  'the whole graph is filtered by type, project and time, and its entities are reached by keyboard (web.md 3.20)',
  async t => {
    const daemon = await startDaemon(t)
    const save = async (content: string, project: string) =>
      (await daemon.call('POST /api/memory/remember', { body: { content, project } })).body.id
    const shop = await save('The shop runs on Postgres, and Maya owns it', '/shop')
    const bank = await save('The bank runs on Oracle', '/bank')
    const link = (from: string, fromType: string, relation: string, to: string, toType: string, id: string) =>
      operation('link', { from, fromType, relation, to, toType }, { [id]: 'runs on' })
    await perform(daemon, [
      link('Shop', 'service', 'runs on', 'Postgres', 'tool', shop),
      operation(
        'link',
        { from: 'Maya', fromType: 'person', relation: 'owns', to: 'Shop' },
        { [shop]: 'Maya owns it' },
      ),
      link('Bank', 'service', 'runs on', 'Oracle', 'tool', bank),
    ])
    const { page, complaints } = await openPage(await browser(), `${daemon.url}/ui/#/knowledge/graph`)
    const status = page.getByRole('status').filter({ hasText: 'entities' })
    await status.getByText('5 entities, 3 relations.').waitFor()
    await status.getByText(hint).waitFor()
    await page.getByRole('img', { name: 'Graph of 5 entities, 3 relations' }).waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    const legend = page.getByRole('group', { name: 'Types' })
    await legend.getByRole('button', { name: 'tool' }).click()
    await status.getByText('3 entities, 1 relation.').waitFor()
    t.is(await legend.getByRole('button', { name: 'tool' }).getAttribute('aria-pressed'), 'false')
    await legend.getByRole('button', { name: 'Show all' }).click()
    await page.getByLabel('Changed').selectOption('week')
    await status.getByText('5 entities').waitFor()
    t.regex(page.url(), /since=week/u)
    await page.getByLabel('Project', { exact: true }).selectOption('/bank')
    await status.getByText('2 entities, 1 relation.').waitFor()
    await page.getByLabel('Project', { exact: true }).selectOption({ label: 'All projects' })
    await status.getByText('5 entities').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('/')
    await page.keyboard.type('shop')
    await page.keyboard.press('Escape')
    await page.getByRole('row', { name: 'Maya' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    const chosen = page.getByRole('region', { name: 'Shop' })
    await chosen.getByRole('button', { name: 'Maya' }).waitFor()
    t.regex(page.url(), /focus=/u)
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await chosen.getByRole('button', { name: 'Maya' }).click()
    await page.getByRole('region', { name: 'Maya' }).getByText('owns', { exact: false }).first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('searchbox', { name: 'Find in the graph' }).waitFor()
    await page.getByRole('row', { name: /Oracle/u }).click()
    await page.getByRole('link', { name: 'Open page' }).click()
    await page.getByRole('heading', { name: 'Oracle' }).waitFor()
    await page.getByRole('link', { name: 'In the whole graph' }).click()
    await page.getByRole('region', { name: 'Oracle' }).getByText('runs on').waitFor()
    t.deepEqual(important(complaints), [])
    await page.close()
  },
)

browserTest(
  'an entity of the graph shows its quotes under the pointer, is dragged, clicked, and saved as a picture (web.md 3.20)',
  async t => {
    const daemon = await startDaemon(t)
    const said = 'Redis & <Sons> is the cache'
    const id = await daemon.remember(said)
    const slot = { entity: 'Redis & <Sons>', entityType: 'tool', aspect: 'use', claim: 'role' }
    await perform(daemon, [operation('assert_claim', { ...slot, value: 'cache' }, { [id]: said })])
    const { page, complaints } = await openPage(await browser(), `${daemon.url}/ui/#/knowledge/graph`)
    await page.getByText(hint).waitFor()
    const box = await page.locator('.graph.whole').boundingBox()
    const middle = { x: (box?.x ?? 0) + (box?.width ?? 0) / 2, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 }
    const card = page.locator('.graph-hover')
    await page.mouse.move(middle.x, middle.y)
    await card.getByText('role: cache').waitFor()
    await card.getByText(said).waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    const aside = { x: middle.x - 150, y: middle.y + 60 }
    await page.mouse.down()
    await page.mouse.move(middle.x - 60, middle.y + 20, { steps: 4 })
    await page.mouse.move(aside.x, aside.y, { steps: 4 })
    await page.mouse.up()
    await page.mouse.move(middle.x, middle.y)
    await card.waitFor({ state: 'detached' })
    await page.mouse.move(aside.x, aside.y, { steps: 3 })
    await card.getByText(said).waitFor()
    t.regex(await savedBy(page, 'SVG'), /^<svg [\s\S]*>Redis &amp; &lt;Sons&gt;<\/text>[\s\S]*<\/svg>$/u)
    t.is((await savedBy(page, 'PNG')).slice(1, 4), 'PNG')
    for (const name of ['Zoom in', 'Zoom out', 'Fit'])
      await page.getByRole('button', { name, exact: true }).click()
    await page.mouse.move(aside.x, aside.y, { steps: 3 })
    await page.mouse.click(aside.x, aside.y)
    await page.getByRole('region', { name: 'Redis & <Sons>' }).getByText('role: cache').waitFor()
    t.deepEqual(important(complaints), [])
    await page.close()
  },
)

browserTest('a graph of 2,000 entities is drawn, moves and zooms (web.md 3.20)', async t => {
  const daemon = await startDaemon(t)
  await storeGraph(t, daemon, 2000)
  const { page, complaints } = await openPage(await browser(), `${daemon.url}/ui/#/knowledge`)
  await page.getByRole('row', { name: /harbour/u }).waitFor()
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  const began = Date.now()
  await page.getByRole('link', { name: 'Graph', exact: true }).click()
  await page.locator('.graph.whole canvas').first().waitFor()
  const drawn = Date.now() - began
  await page.getByText(hint).waitFor({ timeout: 60_000 })
  await page.getByText('2,000 entities').first().waitFor()
  const frames = await framesWhile(page, async () => {
    const box = await page.locator('.graph.whole').boundingBox()
    const [x, y] = [(box?.x ?? 0) + 200, (box?.y ?? 0) + 200]
    await page.mouse.move(x, y)
    for (let step = 0; step < 40; step++) await page.mouse.move(x + step * 4, y + step * 2)
    for (let step = 0; step < 5; step++) await page.mouse.wheel(0, -100)
  })
  t.log(`first picture after ${drawn} ms, a frame takes ${Math.round(frames)} ms`)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  t.deepEqual(await axeFindingsInBothSchemes(page), [])
  await page.setViewportSize({ width: 360, height: 740 })
  t.true(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'))
  await page.setViewportSize({ width: 1280, height: 800 })
  t.deepEqual(important(complaints), [])
  await page.close()
})

/** Saves the graph by a button. @returns the file as text, a byte a letter for a picture */
async function savedBy(page: Page, name: 'PNG' | 'SVG'): Promise<string> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name, exact: true }).click(),
  ])
  return readFileSync(await file.path(), name === 'PNG' ? 'latin1' : 'utf8')
}

/** The median time between two frames during an action. */
async function framesWhile(page: Page, act: () => Promise<void>): Promise<number> {
  await page.evaluate(`
    window.times = []
    const note = now => { times.push(now); requestAnimationFrame(note) }
    requestAnimationFrame(note)`)
  await act()
  const times = (await page.evaluate('times')) as number[]
  const gaps = times.slice(1).map((time, position) => time - (times[position] ?? time))
  return gaps.sort((one, other) => one - other)[Math.floor(gaps.length / 2)] ?? 0
}
