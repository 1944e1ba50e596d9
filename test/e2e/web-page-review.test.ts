// runs: in turn

import { axeFindingsInBothSchemes, browserTest, openPage, sharedBrowser } from '../helpers/browser.js'
import { until } from '../helpers/cli.js'
import { startDaemon, type TestDaemon } from '../helpers/daemon.js'
import { operation, perform } from '../helpers/ontology.js'

const browser = sharedBrowser()

/** Two values of one claim, each with a memory that says so. */
async function contradict(daemon: TestDaemon, entity: string, claim: string): Promise<void> {
  for (const value of ['6230', '7421']) {
    const quote = `${entity} ${claim} is ${value}`
    const id = await daemon.remember(quote)
    const fact = { entity, entityType: 'component', aspect: 'network', claim, value }
    await perform(daemon, [operation('assert_claim', fact, { [id]: quote })])
  }
}

browserTest(
  'suggestions are cards of two sides with quotes, decided by key, as a group, and undone (web.md#pages)',
  async t => {
    const daemon = await startDaemon(t)
    for (const claim of ['port', 'timeout', 'retries']) await contradict(daemon, 'scheduler', claim)
    await contradict(daemon, 'gateway', 'port')
    const waiting = async () => (await daemon.call('GET /api/ontology/review')).body.waiting
    t.is(await waiting(), 4)
    const { page, complaints } = await openPage(await browser(), `${daemon.url}/ui/#/knowledge/review`)
    const scheduler = page.getByRole('region', { name: 'scheduler' })
    await scheduler.getByRole('listitem').nth(2).waitFor()
    await scheduler.getByText('scheduler port is 6230').waitFor()
    await scheduler.getByText('scheduler port is 7421').waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    t.is(await page.locator('[aria-current="true"].review-card').count(), 1)
    // The keys act on the current card, which moves on.
    await page.keyboard.press('r')
    await page.getByText('1 suggestion decided').waitFor()
    t.is(await waiting(), 3)
    await page.keyboard.press('u')
    await page.getByText('scheduler port is 6230').waitFor()
    t.is(await waiting(), 4)
    await scheduler.getByRole('button', { name: 'Not a fact: all 3' }).click()
    await page.getByText('3 suggestions decided').waitFor()
    await scheduler.waitFor({ state: 'detached' })
    t.is(await waiting(), 1)
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await scheduler.getByRole('listitem').nth(2).waitFor()
    for (const key of ['j', 'ArrowDown', 'ArrowUp', 'k']) await page.keyboard.press(key)
    // The words of the first decision may still be there.
    await until(async () => (await waiting()) === 3, 'the decision of k')
    t.deepEqual(complaints, [])
    await page.close()
  },
)
