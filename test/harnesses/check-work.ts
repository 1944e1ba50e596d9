import type { Reply } from '../../src/contract/api.js'
import { failed, notApplicable, type Outcome, unless } from './checks.js'
import { eventually } from './eventually.js'
import type { ModelAnswer } from './model/model-server.js'
import type { Scene } from './run-agent.js'
import { turnAbout } from './scenario.js'

type Work = Reply<'GET /api/sessions/:key/work'>

/** Tests that fail until the file of heron says that it is mended. */
const testFile = `import { readFileSync } from 'node:fs'
import test from 'node:test'
test('heron', () => { if (!readFileSync('heron.txt', 'utf8').includes('mended')) throw new Error('broken') })
`
const sentence = /Tests that failed when they last ran here: [^\n"\\]*/u

/**
 * The model runs tests that fail; in a second session it edits a file, and they pass. Only the session
 * between them starts with the failed tests.
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
  const session = await done(scene, 'Mend heron and run its tests.', [...edits, test])
  const green = await workOf(scene, session)
  const afterGreen = await startOf(scene, 'the green tests')
  const shown = (await home.run('memory', ['sessions', 'show', session])).stdout
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
    !shown.includes('heron.txt') && `memory sessions show lacks the file: ${shown}`,
  ])
}

/** @returns the session */
async function done(scene: Scene, prompt: string, calls: readonly ModelAnswer[]): Promise<string> {
  const { agent, server } = scene
  server.expect({ prompt, answers: [...calls, { say: 'That is all.' }] })
  return ((await agent.work?.turn(scene, prompt)) ?? { session: '' }).session
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
