// runs: in turn

import { readFileSync } from 'node:fs'
import type { Download, Page } from 'playwright-core'
import { axeFindingsInBothSchemes, browserTest, openPage, sharedBrowser } from '../helpers/browser.js'
import { startDaemon, temporaryWorkspace } from '../helpers/daemon.js'
import { importOne } from '../helpers/imports.js'
import { fakeBitwarden, fakeOnePassword, pathOf } from '../helpers/password-managers.js'

const browser = sharedBrowser()

browserTest(
  'a backup is made and verified, restored after a preview, and the restore can be cancelled (web.md 3.15)',
  async t => {
    // A scheduled backup would delay the others.
    const { url, call, remember } = await startDaemon(t, { settings: { backup: { enabled: false } } })
    await remember('The harbour has nine cranes')
    const { page, complaints } = await openPage(await browser(), `${url}/ui/#/operations/backups`)
    await page.getByText('No backups yet').waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await page.getByRole('button', { name: 'Back up now' }).click()
    await page.getByRole('list', { name: 'Backups' }).getByText('manual').waitFor()
    await remember('The harbour has ten cranes')
    await page.getByRole('button', { name: /^Verify backup-/u }).click()
    await page.getByRole('dialog').getByText('Backup is intact').waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Restore backup-/u }).click()
    await page.getByRole('dialog').getByText('2 now, 1 in the backup').waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    const prepare = page.getByRole('button', { name: 'Prepare restore' })
    t.true(await prepare.isDisabled())
    t.is((await call('GET /api/backup')).body.pendingRestore, null)
    await page.getByLabel('Type restore to confirm').fill('restore')
    await prepare.click()
    await page.getByRole('region', { name: 'Restore' }).getByText('memory daemon restart').waitFor()
    t.not((await call('GET /api/backup')).body.pendingRestore, null)
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await page.getByRole('button', { name: 'Cancel restore…' }).click()
    await page.getByRole('button', { name: 'Cancel restore', exact: true }).click()
    await page.getByRole('region', { name: 'Restore' }).waitFor({ state: 'detached' })
    t.is((await call('GET /api/backup')).body.pendingRestore, null)
    t.deepEqual(complaints, [])
    await page.close()
  },
)

browserTest('a snapshot of a source is saved, and replaces the source’s contents (web.md 3.16)', async t => {
  const daemon = await startDaemon(t)
  const { sourceId } = await importOne(daemon, 'crane.md', '# Crane')
  const address = `${daemon.url}/ui/#/sources/source/${sourceId}`
  const { page, complaints } = await openPage(await browser(), address)
  await page.getByRole('button', { name: 'Export snapshot…' }).click()
  await page.getByRole('dialog').getByText('the text of 1 artifact').waitFor()
  t.deepEqual(await axeFindingsInBothSchemes(page), [])
  const file = await saved(page, 'Export')
  const snapshot = JSON.parse(readFileSync(await file.path(), 'utf8')) as { artifacts: object[] }
  t.like(snapshot.artifacts, [{ content: '# Crane' }])
  Object.assign(snapshot.artifacts[0] ?? {}, { title: 'Berth' })
  await page.getByRole('button', { name: 'Import snapshot…' }).click()
  const takeIn = page.getByRole('button', { name: 'Replace artifacts' })
  t.true(await takeIn.isDisabled())
  await choose(page, 'vault.json', '{"version":2}')
  await takeIn.click()
  await page.getByRole('alert').waitFor()
  t.deepEqual(await axeFindingsInBothSchemes(page), [])
  await choose(page, 'vault.json', JSON.stringify(snapshot))
  await takeIn.click()
  await page.getByText('1 artifact imported').waitFor()
  await page.getByRole('row', { name: /^Berth/u }).waitFor()
  t.deepEqual(
    complaints.filter(text => !text.includes('400 (Bad Request)')),
    [],
  )
  await page.close()
})

browserTest(
  'secrets are copied to and from password managers after a preview, and exported to a file (web.md 4.3)',
  async t => {
    const bitwarden = fakeBitwarden(t, { items: [login('a', 'OTHER', 'theirs')] })
    const field = { id: 'f', label: 'password', type: 'CONCEALED', value: 'from-there' }
    const onePassword = fakeOnePassword(t, {
      vaults: [{ id: 'v', name: '<b>Team</b>', items: [{ id: 'i', title: 'CLOUD', fields: [field] }] }],
    })
    const { url, call, daemon } = await startDaemon(t, {
      workspace: temporaryWorkspace(t),
      environment: { PATH: pathOf(bitwarden, onePassword) },
    })
    for (const name of ['OTHER', 'FRESH'])
      await call('POST /api/secrets/:name', { params: { name }, body: { value: `ours-${name}` } })
    await call('POST /api/secrets/vaulta/connect', { body: { session: 'the-session' } })
    await call('POST /api/secrets/vaultb/connect', { body: { token: 'ops_the-token' } })
    const { page, complaints } = await openPage(await browser(), `${url}/ui/#/secrets/providers`)
    await page.getByRole('button', { name: 'Copy secrets to Bitwarden…' }).click()
    const fates = page.getByRole('list', { name: 'Planned changes' })
    await fates.getByText('has another value there, not replaced').waitFor()
    t.is(bitwarden.vault().items.length, 1)
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await page.getByLabel('Replace different values in Bitwarden').check()
    await fates.getByText('replaces another value').waitFor()
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByText('2 secrets copied to Bitwarden').waitFor()
    t.deepEqual(passwordsOf(bitwarden), ['ours-FRESH', 'ours-OTHER'])
    await page.getByRole('button', { name: 'Copy secrets from 1Password…' }).click()
    await page.getByLabel('<b>Team</b>').check()
    await fates.getByText('new', { exact: true }).waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByText('1 secret copied from 1Password').waitFor()
    t.is((await daemon.secrets.store.names()).length, 3)
    await page.goto(`${url}/ui/#/secrets/store`)
    await page.getByRole('button', { name: 'Export…' }).click()
    await page.getByLabel('File passphrase').fill('a long passphrase')
    await page.getByLabel('Repeat passphrase').fill('a long passphrase')
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    const text = readFileSync(await (await saved(page, 'Export')).path(), 'utf8')
    t.false(text.includes('ours-'))
    await call('DELETE /api/secrets/:name', { params: { name: 'FRESH' } })
    await page.getByRole('button', { name: 'Import…' }).click()
    await choose(page, 'secrets.json', text)
    await page.getByLabel('File passphrase').fill('a long passphrase')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('region', { name: 'New', exact: true }).getByText('FRESH').waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText('1 secret imported').waitFor()
    t.is(await daemon.secrets.resolve('local://FRESH'), 'ours-FRESH')
    t.notRegex(await page.content(), /ours-|a long passphrase/u)
    t.deepEqual(complaints, [])
    await page.close()
  },
)

function login(id: string, name: string, password: string) {
  return { id, type: 1, name, folderId: null, login: { username: null, password } }
}

function passwordsOf({ vault }: ReturnType<typeof fakeBitwarden>): (string | null | undefined)[] {
  return vault()
    .items.map(({ login }) => login?.password)
    .sort()
}

/** Clicks a button of the dialog that makes the browser save a file. */
async function saved(page: Page, deed: string): Promise<Download> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: deed, exact: true }).click(),
  ])
  return download
}

/** Chooses a file in the dialog. */
async function choose(page: Page, name: string, text: string): Promise<void> {
  const file = { name, mimeType: 'application/json', buffer: Buffer.from(text) }
  await page.locator('dialog input[type=file]').setInputFiles(file)
}
