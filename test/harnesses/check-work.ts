import { setTimeout as delay } from 'node:timers/promises'
import type { Reply } from '../../src/contract/api.js'
import { failed, notApplicable, type Outcome, unless } from './checks.js'
import { eventually } from './eventually.js'
import type { ModelAnswer } from './model/model-server.js'
import type { Scene } from './run-agent.js'
import { turnAbout } from './scenario.js'

type Work = Reply<'GET /api/sessions/:key/work'>
type Sessions = Reply<'GET /api/sessions'>

/** Tests that fail until the file of heron says that it is mended. */
const testFile = `import { readFileSync } from 'node:fs'
import test from 'node:test'
test('heron', () => { if (!readFileSync('heron.txt', 'utf8').includes('mended')) throw new Error('broken') })
`
const sentence = /Tests that failed when they last ran here: [^\n"\\]*/u

/** Time for a look at a session that runs. */
const pause = `node -e "setTimeout(() => 0, 9000)"`

/**
 * The model runs tests that fail; in a second session it edits a file, and they pass, which is seen before
 * its end. Only the session between them starts with the failed tests.
 */
export async function checkWork(scene: Scene): Promise<Outcome> {
  const { agent, home, progress } = scene
  const { work } = agent
  if (work === undefined) return notApplicable('its tools for files are not scripted here')
  home.write('heron/heron.test.mjs', testFile)
  home.write('heron/heron.txt', 'broken\n')
  const test = work.run('node --test')
  const red = await workOf(scene, await done(scene, 'Run the tests of heron.', [test]))
  const afterRed = await startOf(scene, 'the red tests')
  const edits = work.edit(home.path('heron', 'heron.txt'), 'broken', 'mended')
  const calls = [...edits, test, work.run(pause)]
  const running = done(scene, 'Mend heron and run its tests.', calls)
  const [session, during] = await Promise.all([running, seenUntil(scene, running)])
  const green = await workOf(scene, session)
  const afterGreen = await startOf(scene, 'the green tests')
  const shown = (await home.run('memory', ['sessions', 'show', session])).stdout
  progress(`memory sessions show during the session:\n${during}`)
  progress(`memory sessions show:\n${shown}`)
  progress(`next start, tests failed: ${afterRed ?? 'nothing'}`)
  progress(`next start, tests passed: ${afterGreen ?? 'nothing'}`)
  if (!red || !green) return failed('a session has no tools')
  const [turn] = green.turns
  return unless([
    red.failing.length !== 1 && `after the failed tests: ${JSON.stringify(red)}`,
    !afterRed?.includes('node --test') && 'the next start does not name the failed tests',
    !turn?.files.some(({ path, changed }) => changed && path.endsWith('heron.txt')) &&
      `the edit is not kept: ${JSON.stringify(green)}`,
    !(turn?.tests.length === 1 && turn.tests[0]?.ok) && `after the tests passed: ${JSON.stringify(green)}`,
    afterGreen !== undefined && `the next start still says: ${afterGreen}`,
    !during.includes('ok  node --test') && `while the session runs: ${during}`,
    agent.work?.hidesEdits !== true &&
      !during.includes('heron.txt') &&
      `the edit, while the session runs: ${during}`,
    !shown.includes('heron.txt') && `memory sessions show lacks the file: ${shown}`,
  ])
}

/** @returns the session */
async function done(scene: Scene, prompt: string, calls: readonly ModelAnswer[]): Promise<string> {
  const { agent, server } = scene
  server.expect({ prompt, answers: [...calls, { say: 'That is all.' }] })
  return ((await agent.work?.turn(scene, prompt)) ?? { session: '' }).session
}

/** Shows the session that changes heron until its tests passed or it is over. */
async function seenUntil({ home }: Scene, over: Promise<unknown>): Promise<string> {
  let isOver = false
  const end = () => {
    isOver = true
  }
  over.then(end, end)
  let seen = ''
  while (!isOver && !seen.includes('ok  node --test')) {
    const found = await home.memory<Sessions>('sessions', 'list').catch(() => undefined)
    const [newest] = found?.sessions.toSorted((a, b) => b.startedAt.localeCompare(a.startedAt)) ?? []
    const key = newest?.key
    const shown = key && (await home.run('memory', ['sessions', 'show', key])).stdout
    if (shown && !isOver) seen = shown
    await delay(200)
  }
  return seen
}

async function workOf({ home }: Scene, session: string): Promise<Work | undefined> {
  const read = () => home.memory<{ work: Work }>('sessions', 'show', session).catch(() => undefined)
  return (await eventually(read, reply => (reply?.work.turns.length ?? 0) > 0))?.work
}

/** The sentence about tests in the first request of a new session. */
async function startOf({ agent, server, ...scene }: Scene, topic: string): Promise<string | undefined> {
  const turn = turnAbout(topic)
  server.expect(turn)
  await agent.turn({ ...scene }, turn.prompt)
  return sentence.exec(server.asked().find(({ isTurn }) => isTurn)?.body ?? '')?.[0]
}
