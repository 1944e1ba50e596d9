import test from 'ava'
import { CliError } from '../../../../src/cli/shell/cli-error.js'
import { exitCodeOf } from '../../../../src/cli/shell/exit-codes.js'
import { renderError, toFailure } from '../../../../src/cli/shell/failure.js'
import { cannotWrite } from '../../../../src/cli/shell/write-whole-file.js'
import { ClientError } from '../../../../src/client/http/client-error.js'

test('the exit code depends on the error code first, then on the status', t => {
  const codes = [
    { code: 'validation_failed', status: 400 },
    { code: 'not_found', status: 404 },
    { code: 'version_conflict', status: 409 },
    { code: 'forbidden', status: 403 },
    { code: 'mutations_frozen', status: 503 },
    { code: 'starting', status: 503 },
    { code: 'launch_failed', status: 0 },
    { code: 'internal', status: 500 },
  ].map(exitCodeOf)
  t.deepEqual(codes, [2, 3, 4, 4, 4, 5, 5, 1])
})

test('a command in a folder that was removed says so', async t => {
  const error = Object.assign(new Error('ENOENT: no such file or directory, uv_cwd'), { syscall: 'uv_cwd' })
  const { message, exitCode, json } = await toFailure(error)
  t.regex(message, /the current folder was removed/u)
  t.deepEqual([exitCode, json.code], [2, 'no_folder'])
})

test('faults of named files are put in words', async t => {
  const fault = (code: string, path?: string) =>
    Object.assign(new Error(`${code}: raw, open`), { syscall: 'open', code, ...(path && { path }) })
  t.is(
    (await toFailure(fault('ENOTDIR', '/a/b'))).message,
    '/a/b: a part of its path is a file, not a folder',
  )
  t.is((await toFailure(fault('EISDIR'))).message, 'a folder was given where a file is needed')
  t.is((await toFailure(fault('EXDEV', '/a'))).message, 'EXDEV: raw, open')
})

test('a full disk is named in words with the next step, and does not count as a wrong command line', async t => {
  const cause = Object.assign(new Error('ENOSPC: raw, write'), { syscall: 'write', code: 'ENOSPC' })
  const { message, nextSteps, exitCode } = await toFailure(cannotWrite('/a/b', cause))
  t.deepEqual([message, exitCode], ['cannot write /a/b: the disk is full', 1])
  t.regex(nextSteps.join(), /another disk/u)
  t.regex((await toFailure(cause)).nextSteps.join(), /free some disk space/u)
  const refused = await toFailure(cannotWrite('/a/b', Object.assign(cause, { code: 'EACCES' })))
  t.deepEqual([refused.message, refused.exitCode], ['cannot write /a/b: you have no permission for it', 2])
})

test('a memory that is not found names the command that shows ids, unless the daemon already does', async t => {
  const steps = async (message: string) =>
    (await toFailure(new ClientError(message, { code: 'not_found', status: 404 }))).nextSteps
  for (const message of ['memory not found', 'memory zzz not found', 'memory "zzz" not found'])
    t.deepEqual(await steps(message), ['memory list   shows the ids'])
  t.deepEqual(await steps('memory zzz not found; memory list shows the ids'), [])
})

test('a failed call keeps the reply body, its faults and its request id', async t => {
  const failure = await toFailure(
    new ClientError('no', {
      code: 'validation_failed',
      status: 400,
      requestId: 'r',
      details: [
        { path: 'tags', message: 'too many' },
        { path: '', message: 'bad' },
      ],
      body: { status: 'refused', error: 'no' },
    }),
  )
  t.deepEqual(failure.faults, ['tags: too many', 'bad'])
  t.like(failure.json, { error: 'no', code: 'validation_failed', status: 400, requestId: 'r' })
})

test('a fault already in the message is not repeated', async t => {
  const details = [
    { path: 'tags', message: 'too many' },
    { path: 'who', message: 'too long' },
  ]
  const error = new ClientError('tags: too many', { code: 'validation_failed', status: 400, details })
  t.is(renderError(await toFailure(error)), 'error: tags: too many\n  who: too long')
})

test('each next step is shown on its own line', async t => {
  const error = new CliError('no', { code: 'x', exit: 'refused', nextSteps: ['do this', 'or that'] })
  const failure = await toFailure(error)
  t.is(failure.exitCode, 4)
  t.is(renderError(failure), 'error: no\nnext: do this\nnext: or that')
})

test('an unexpected error exits with 1 and shows no stack', async t => {
  const failure = await toFailure(new TypeError('x is not a function'))
  t.is(failure.exitCode, 1)
  t.is(renderError(failure), 'error: x is not a function')
  t.is((await toFailure('text')).message, 'text')
})

test('the hint about flags with several values is shown only if one was used', async t => {
  const note = 'Note: --type, --tags allow multiple values.'
  const missing = (...given: string[]) =>
    Object.assign(
      new Error(`Missing 1 required arg:\nquery  What to look for\n${note}\nSee more help with --help`),
      {
        oclif: { exit: 2 },
        parse: { output: { raw: given.map(flag => ({ type: 'flag', flag })) } },
      },
    )
  t.is((await toFailure(missing('json'))).json.error, 'missing argument query  What to look for')
  t.true((await toFailure(missing('json', 'tags'))).faults.includes(note))
})

test('a missing credential is explained with how to get one', async t => {
  const { nextSteps } = await toFailure(new ClientError('no', { code: 'unauthenticated', status: 401 }))
  t.regex(nextSteps.join(), /memory api-key create .*SERVICE_API_KEY/s)
})

test('a missing flag is named, with an example', async t => {
  const error = Object.assign(new Error('The following error occurred:\n  Missing required flag name'), {
    oclif: { exit: 2 },
  })
  const { message, faults, nextSteps } = await toFailure(error, 'memory api-key create --name laptop')
  t.is(message, 'missing flag name')
  t.deepEqual(faults, [])
  t.is(nextSteps[0], 'for example: memory api-key create --name laptop')
})
