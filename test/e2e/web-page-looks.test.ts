// runs: in turn

import { browserTest, openPage, sharedBrowser } from '../helpers/browser.js'
import { startDaemon } from '../helpers/daemon.js'
import { until } from '../helpers/daemon-process.js'

const browser = sharedBrowser()
const waitMs = 30_000

browserTest(
  'a row has its project, texts have two lines where there is little room, and a table ends with its rows (web.md#pages)',
  async t => {
    const { url, call } = await startDaemon(t)
    const content = `The oven of the bakery ${'keeps its heat for hours '.repeat(12)}`
    await call('POST /api/memory/remember', { body: { content, project: '/srv/bakery' } })
    const { page, complaints } = await openPage(await browser(), `${url}/ui/#/memories`)
    const row = page.getByRole('row', { name: /The oven/u })
    await row.getByText('bakery', { exact: true }).waitFor()
    const heightOf = async (width: number) => {
      await page.setViewportSize({ width, height: 900 })
      const box = await row.boundingBox()
      return Math.round(box?.height ?? 0)
    }
    t.deepEqual([await heightOf(390), await heightOf(1280), await heightOf(2560)], [58, 58, 36])
    const table = await page.getByRole('grid').boundingBox()
    t.true((table?.height ?? 0) < 120, `the table of one row is ${table?.height} high`)
    const right = (await page.getByRole('main').boundingBox())?.width ?? 0
    t.true((table?.width ?? 0) < right - 250, 'lines end before the edge of a wide screen')
    await page.goto(`${url}/ui/#/search?q=where is the heat of an oven`)
    await page.locator('mark', { hasText: 'oven' }).first().waitFor()
    t.deepEqual(await page.locator('mark', { hasText: /^(?:the|of|is)$/u }).count(), 0)
    t.deepEqual(complaints, [])
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.close()
  },
)

browserTest('a proposal is a sentence with its quote, without fields of the API (web.md#pages)', async t => {
  const { url, call, remember } = await startDaemon(t)
  const id = await remember('Ines owns the oven')
  const evidence = [{ sourceKind: 'memory' as const, sourceId: id, quote: 'Ines owns the oven' }]
  const payload = { entity: 'oven', entityType: 'component', aspect: 'people', claim: 'owner', value: 'Ines' }
  const common = { reason: 'stated in the text', confidence: 0.6 }
  const { body } = await call('POST /api/ontology/operations', {
    body: { mode: 'propose', operations: [{ ...common, operation: 'assert_claim', payload, evidence }] },
  })
  t.is(body.results[0]?.status, 'proposed')
  const { page } = await openPage(await browser(), `${url}/ui/#/knowledge/proposals`)
  const main = page.getByRole('main')
  await main.getByText('people › owner: Ines', { exact: true }).waitFor()
  await main.getByText('Ines owns the oven').waitFor()
  t.notRegex(await main.innerText(), /entityType|entity type|attribute|[{}]/u)
  await page.close()
})

browserTest('a chart changes its colours with the scheme while it is open (web.md#pages)', async t => {
  const { url, remember } = await startDaemon(t)
  await remember('The oven of the bakery keeps its heat for hours')
  const { page, complaints } = await openPage(await browser(), `${url}/ui/`)
  await page.locator('figure canvas').first().waitFor()
  /** The colour of each canvas that has one: that of its first solid point. */
  const colours = `[...document.querySelectorAll('main canvas')].flatMap(canvas => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    for (let at = 0; at < data.length; at += 4) if (data[at + 3] === 255) return [data.slice(at, at + 3).join()]
    return []
  })`
  const read = async () => String(await page.evaluate(colours))
  const light = await until(async () => (await read()) || undefined, waitMs)
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await until(async () => [await read()].find(now => now !== light), waitMs)
  t.is(dark.split(',').length, light.split(',').length)
  await page.emulateMedia({ colorScheme: 'light' })
  await until(async () => (await read()) === light || undefined, waitMs)
  // Reading points of a canvas is slow, as the browser says.
  t.deepEqual(
    complaints.filter(text => !text.includes('willReadFrequently')),
    [],
  )
  await page.close()
})
