// runs: in turn

import { axeFindingsInBothSchemes, browserTest, openPage, sharedBrowser } from '../../../helpers/browser.js'
import { startTogether } from '../../../helpers/daemons-together.js'
import { askServer } from '../../../helpers/postgres.js'
import { putSkill } from '../../../helpers/skills.js'

const browser = sharedBrowser()

browserTest('lists of secrets and skills on the page name the daemons that have their own', async t => {
  const { first, other } = await startTogether(t)
  putSkill(first.paths, 'tidy')
  const { page, complaints } = await openPage(await browser(), `${other.url}/ui/#/secrets`)
  const main = page.locator('#main')
  const note = (things: string) =>
    main.getByText(`These are the ${things} of the daemon other. Others have their own: first (${first.url})`)
  await main.getByText('No secrets yet').waitFor()
  await note('secrets').waitFor()
  t.deepEqual(await axeFindingsInBothSchemes(page), [])
  await page.goto(`${other.url}/ui/#/tasks/skills`)
  await main.getByText('No skills installed').waitFor()
  await note('skills').waitFor()
  await page.goto(`${first.url}/ui/#/tasks/skills`)
  await main.getByText('tidy', { exact: true }).waitFor()
  await main.getByText('These are the skills of the daemon first.').waitFor()
  t.deepEqual(complaints, [])
  await page.close()
})

browserTest('a daemon that stops is shown so on the page of another one', async t => {
  const { other, postgres } = await startTogether(t, { environment: { SERVICE_HEARTBEAT_MS: '600000' } })
  await askServer(postgres, "UPDATE memory.nodes SET stopping_since = seen_at WHERE name = 'first'")
  const { page, complaints } = await openPage(await browser(), `${other.url}/ui/#/operations/diagnostics`)
  const stopping = page.getByRole('region', { name: 'Daemons' }).getByText('Stopping since')
  await stopping.waitFor()
  t.is(await stopping.count(), 1)
  t.deepEqual(complaints, [])
  await page.close()
})
