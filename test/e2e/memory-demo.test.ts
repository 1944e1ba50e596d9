// runs: alone

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { isAlive } from '../../src/lib/workspace/registration.js'
import { cliWorkspace, runCli, startCli, until } from '../helpers/cli.js'

const demoFolders = (folder: string) => readdirSync(folder).filter(name => name.startsWith('memory-demo-'))

test.serial('the demo finds every answer, forgets one, recovers it and leaves nothing behind', async t => {
  const temp = cliWorkspace(t)
  const { code, json, stdout } = await runCli(t, ['demo', '--json'], { env: { TMPDIR: temp, TEMP: temp } })
  t.is(code, 0, stdout)
  const { saved, answers, forgotten, embedding } = json()
  t.is(saved, 10)
  t.is(embedding, 'ready')
  t.true(answers.every(({ method }: { method: string }) => method === 'hybrid'))
  const best = answers.map((answer: { best: { content: string } | null }) => answer.best?.content ?? '')
  t.regex(best[0], /PostgreSQL/)
  t.regex(best[1], /canary/)
  t.regex(best[2], /fake clock/)
  t.like(forgotten, { foundAfter: false, foundAfterRecovery: true })
  t.deepEqual(demoFolders(temp), [])
  t.false(existsSync(join(temp, '.daemon')), "the user's own workspace was touched")
})

test.serial('the demo names its search methods and next steps', async t => {
  const { code, stdout, stderr } = await runCli(t, ['demo'])
  t.is(code, 0, stderr)
  t.regex(stdout, /combines keyword and semantic search \(static-en-1\)/)
  t.regex(stdout, /Try it yourself\n {3}memory setup/)
  // The machine determines the path and length of temporary folders.
  const lines = stdout.replaceAll(tmpdir(), '').split('\n')
  t.true(lines.every(line => line.length <= 110))
})

test.serial('Ctrl-C stops the daemon and deletes the workspace', async t => {
  const temp = cliWorkspace(t)
  const demo = startCli(t, ['demo'], { env: { TMPDIR: temp, TEMP: temp } })
  const registration = () =>
    demoFolders(temp).map(name => join(temp, name, '.daemon', 'daemon.json'))[0] ?? ''
  await until(() => existsSync(registration()), 'the daemon of the demo is registered')
  const { pid } = JSON.parse(readFileSync(registration(), 'utf8'))
  demo.kill('SIGINT')
  const { exitCode, stderr } = await demo
  t.is(exitCode, 130)
  t.regex(stderr, /cancelled; its daemon was stopped and its workspace deleted/)
  t.false(isAlive(pid))
  t.deepEqual(demoFolders(temp), [])
})

test.serial('a kept demo has content for each page, and explains how to view and delete it', async t => {
  const temp = cliWorkspace(t)
  const env = { TMPDIR: temp, TEMP: temp, SERVICE_PORT: undefined }
  const { code, stdout, stderr } = await runCli(t, ['demo', '--keep'], { env })
  t.is(code, 0, stderr)
  const [name = ''] = demoFolders(temp)
  const workspace = join(temp, name)
  t.true(stdout.includes(`memory ui --workspace ${workspace}\n`))
  t.true(stdout.includes(`rm -r ${workspace}`))
  const inIt = async (...words: string[]) =>
    (await runCli(t, [...words, '--workspace', workspace, '--json'], { env })).json()
  t.is((await inIt('list')).matching, 10)
  t.is((await inIt('tasks', 'list')).tasks.length, 1)
  t.is((await inIt('sources', 'list')).sources.length, 1)
  t.like((await inIt('ontology', 'entities')).entities[0], { type: 'component' })
  t.is((await inIt('daemon', 'stop')).stopped, true)
})
