import test from 'ava'
import { askAbout } from '../../../../src/cli/consent/consent.js'
import { CliError } from '../../../../src/cli/shell/cli-error.js'

const nextSteps = ['add --yes to remove it']
const preview = { lines: [], question: 'Remove it?' }

test('what is not there is said before a yes is missing (architecture.md)', async t => {
  const gone = new CliError('there is no such thing', { code: 'not_found', exit: 'notFound' })
  // With `json` no question is possible, in whatever terminal this test runs.
  const error = await t.throwsAsync(
    askAbout({ yes: false, json: true, nextSteps }, () => Promise.reject(gone)),
  )
  t.is(error, gone)
})

test('where nobody can be asked a yes is wanted, and told how', async t => {
  const error = await t.throwsAsync(
    askAbout({ yes: false, json: true, nextSteps }, () => preview),
    { instanceOf: CliError, code: 'confirmation_required' },
  )
  t.deepEqual(error?.nextSteps, nextSteps)
})

test('with a yes nothing is looked at and nobody is asked', async t => {
  const asked = await askAbout({ yes: true, json: false, nextSteps }, () => t.fail() as never)
  t.false(asked)
})
