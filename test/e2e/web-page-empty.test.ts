// runs: in turn

import { axeFindingsInBothSchemes, browserTest, openPage, sharedBrowser } from '../helpers/browser.js'
import { startDaemon } from '../helpers/daemon.js'

const browser = sharedBrowser()

browserTest('an empty list offers its own first step as a button (web.md#pages)', async t => {
  const { url, remember, daemon } = await startDaemon(t)
  const { page, complaints } = await openPage(await browser(), `${url}/ui/`)
  const main = page.locator('#main')
  const opens = async (place: string, button: string, title: string) => {
    await page.goto(`${url}/ui/#/${place}`)
    await main
      .getByRole('button', { name: button })
      .or(main.getByRole('link', { name: button }))
      .click()
    await page.getByRole('dialog', { name: title }).waitFor()
    await page.keyboard.press('Escape')
  }
  await opens('sources/documents', 'Add a document…', 'Add a source')
  await opens('sources/connectors', 'Connect a folder…', 'Add a source')
  await opens('sources/imports', 'Import conversations…', 'Import conversations')
  await opens('sessions', 'Import files of sessions…', 'Import conversations')
  await opens('tasks/messages', 'Write a message…', 'Send a message')
  await opens('secrets', 'Set a secret…', 'Set a secret')
  await page.goto(`${url}/ui/#/projects`)
  await main.getByRole('button', { name: 'Save a memory…' }).click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.goto(`${url}/ui/#/recall`)
  await main.getByRole('button', { name: 'Record queries' }).click()
  await main.getByText('No queries yet.').waitFor()
  t.true(daemon.configuration().settings.telemetry.memorySearchQaEnabled)
  await page.goto(`${url}/ui/#/operations/telemetry`)
  await main.getByRole('button', { name: 'Turn recording off' }).click()
  await main.getByRole('button', { name: 'Turn recording on' }).waitFor()
  t.false(daemon.configuration().settings.memory.pipelineV2.telemetryEnabled)
  await remember('The scheduler listens on port 7421.')
  await page.goto(`${url}/ui/#/knowledge`)
  await main.getByRole('button', { name: 'Run Dreaming' }).waitFor()
  t.deepEqual(await axeFindingsInBothSchemes(page), [])
  await main.getByRole('button', { name: 'Run Dreaming' }).click()
  await main.getByRole('row', { name: /scheduler/u }).waitFor()
  t.deepEqual(complaints, [])
  await page.close()
})

browserTest('every command on a page can be copied (web.md#pages)', async t => {
  const { url } = await startDaemon(t)
  const { page } = await openPage(await browser(), `${url}/ui/`)
  const lost: string[] = []
  for (const place of ['home', 'memories', 'projects', 'sessions', 'sources/imports', 'tasks/agents']) {
    await page.goto(`${url}/ui/#/${place}`)
    await page.locator('.command, .empty').first().waitFor()
    const bare = page.locator('#main code', { hasText: /^memory [a-z]/u }).locator('xpath=..')
    for (const parent of await bare.all())
      if ((await parent.getByRole('button', { name: /^Copy memory/u }).count()) === 0)
        lost.push(`${place}: ${await parent.textContent()}`)
  }
  t.deepEqual(lost, [])
  await page.close()
})
