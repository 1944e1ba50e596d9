import type { Reply } from '../../src/contract/api.js'
import { maxSubagentTokens } from '../../src/daemon/sessions/hooks/subagent-start.js'
import type { TurnResult } from './agent.js'
import { failed, notApplicable, type Outcome, ok, unless } from './checks.js'
import { eventually } from './eventually.js'
import type { AskedModel, Turn } from './model/model-server.js'
import type { Scene } from './run-agent.js'
import { helperPrompt, helperTurn, rule, shipTurn, turnAbout } from './scenario.js'

type Preview = Reply<'POST /api/sessions/preview'>

/** What `memory preview` shows for the next session, prompt or sub-agent of this agent. */
export function previewFor({ agent, home }: Scene, ...options: string[]): Promise<Preview> {
  return home.memory<Preview>('preview', '--harness', agent.name, ...options)
}

/** The start reaches the model as previewed: with the rule of the repository, once, and byte for byte. */
export function checkStartText(
  asked: readonly AskedModel[],
  { text, tokens }: Preview,
  session: string,
): Outcome {
  const wanted = alike(text, session)
  const given = textsIn(asked[0])
  const arrived = given.some(each => alike(each, session).includes(wanted))
  const times = timesGiven(asked[0])
  return unless(
    [
      !text.includes(rule) && 'the preview lacks the rule of the repository',
      !arrived && `the model got another text than the preview: ${contextsIn(asked[0]).join('\n')}`,
      times !== 1 && `the model got the rule ${times} times`,
    ],
    `${tokens} tokens`,
  )
}

/**
 * The start hook fails in the whole session, while the other hooks work. An agent with a plugin of ours runs
 * its first prompt without a daemon.
 */
export async function checkMissedStart(scene: Scene): Promise<Outcome> {
  const { agent, home } = scene
  if (agent.hookFile === undefined) return missedWithoutDaemon(scene)
  const before = home.read(agent.hookFile) ?? ''
  const broken = before.replaceAll(startCommand, match => `${match}true || `)
  if (broken === before) return failed(`no start hook in ${agent.hookFile}`)
  home.write(agent.hookFile, broken)
  try {
    const first = await saidTo(scene, turnAbout('a missed start'))
    const second = await saidTo(scene, turnAbout('the prompt after it'), first.session)
    return onlyOnce([
      { times: timesGiven(first.asked), prompt: 'first' },
      { times: timesGiven(second.asked), prompt: 'second' },
    ])
  } finally {
    home.write(agent.hookFile, before)
  }
}

async function missedWithoutDaemon(scene: Scene): Promise<Outcome> {
  const { home } = scene
  await home.memory('daemon', 'stop')
  home.environment.SERVICE_NO_AUTOSTART = '1'
  const missed = await saidTo(scene, turnAbout('a missed start')).finally(() => {
    delete home.environment.SERVICE_NO_AUTOSTART
  })
  await home.memory('daemon', 'start')
  const first = await saidTo(scene, turnAbout('the first prompt after it'), missed.session)
  const second = await saidTo(scene, turnAbout('the second prompt after it'), missed.session)
  const early = timesGiven(missed.asked)
  if (early !== 0) return failed(`the model got the rule ${early} times without a daemon`)
  return onlyOnce([
    { times: timesGiven(first.asked), prompt: 'first' },
    { times: timesGiven(second.asked), prompt: 'second' },
  ])
}

/** The command of a start hook in a file of hooks, up to its first word. */
const startCommand = /"?(?:command|bash)"?\s*[:=]\s*"?(?=(?:[^"\\\n]|\\.)*hook session-start)/gu

function onlyOnce(requests: readonly { times: number; prompt: string }[]): Outcome {
  return unless(
    requests.map(
      ({ times, prompt }) => times !== 1 && `the request of the ${prompt} prompt has the rule ${times} times`,
    ),
  )
}

/** A sub-agent is given the rules and decisions, as previewed. */
export async function checkSubagent(scene: Scene): Promise<Outcome> {
  const { agent, server } = scene
  if (agent.subagent === undefined) return notApplicable('it starts no sub-agent with our context')
  const wanted = await previewFor(scene, '--subagent')
  await saidTo(scene, helperTurn(agent.subagent(helperPrompt)))
  const asked = server
    .asked()
    .find(({ isTurn, entries }) => !isTurn && entries.some(({ text }) => text.includes(helperPrompt)))
  if (!asked) return failed('the sub-agent never reached the model')
  return unless(
    [
      !wanted.text.includes(rule) && 'the preview lacks the rule of the repository',
      wanted.tokens > maxSubagentTokens && `${wanted.tokens} tokens`,
      !textsIn(asked).some(text => text.includes(wanted.text.trim())) &&
        `the sub-agent got another text than the preview: ${contextsIn(asked).join('\n')}`,
      timesGiven(asked) !== 1 && `the sub-agent got the rule ${timesGiven(asked)} times`,
    ],
    `${wanted.tokens} tokens`,
  )
}

/** A fork has the context of its parent, and gets nothing again. */
export async function checkFork(scene: Scene): Promise<Outcome> {
  const { agent, home, server } = scene
  if (agent.fork === undefined) return notApplicable('no forks of it are known')
  const common = turnAbout('the parent')
  const own = turnAbout('the fork')
  const parent = await saidTo(scene, common)
  server.expect(own)
  const { session } = await agent.fork(scene, own.prompt, parent.session)
  const asked = server.asked().find(({ isTurn }) => isTurn)
  const transcriptOf = async (key: string) =>
    (await home.memory<{ content: string }>('sessions', 'transcript', key).catch(() => undefined))?.content
  const found = await eventually(
    () => transcriptOf(session),
    content => content?.includes(own.prompt) ?? false,
  )
  const { hits } = await home.memory<{ hits: { sessionKey: string }[] }>(
    'sessions',
    'search',
    `"${common.prompt}"`,
  )
  const keys = new Set(hits.map(({ sessionKey }) => sessionKey))
  const isTwice = keys.has(parent.session) && keys.has(session)
  return unless(
    [
      session === parent.session && 'it continued the session',
      timesGiven(asked) !== 1 && `the request of the fork has the rule ${timesGiven(asked)} times`,
      !found?.includes(own.prompt) && 'the prompt of the fork is not stored',
    ],
    isTwice ? 'its transcript repeats the parent' : undefined,
  )
}

/** A custom command is stored as the user typed it. */
export async function checkCommand(scene: Scene): Promise<Outcome> {
  const { agent, home, server } = scene
  if (agent.command === undefined) return notApplicable('no custom commands of it are known')
  const { files, typed, run } = agent.command
  for (const [path, text] of Object.entries(files)) home.write(path, text)
  server.expect(shipTurn)
  const { session, output } = await run(scene)
  if (!server.asked().some(({ isTurn }) => isTurn))
    return failed(`the command never reached the model: ${output}`)
  const read = async () =>
    (await home.memory<{ content: string }>('sessions', 'transcript', session).catch(() => undefined))
      ?.content ?? ''
  const found = await eventually(read, content => content.includes(`user: ${typed}`))
  return found.includes(`user: ${typed}`) ? ok() : failed(`stored: ${found.slice(0, 200)}`)
}

async function saidTo(
  scene: Scene,
  turn: Turn,
  session?: string,
): Promise<TurnResult & { asked: AskedModel | undefined }> {
  const { agent, server } = scene
  server.expect(turn)
  const result = await agent.turn(scene, turn.prompt, session)
  const asked = server.asked().find(({ isTurn }) => isTurn)
  if (!asked) throw new Error(`the prompt never reached the model: ${result.output}`)
  return { ...result, asked }
}

/** How many of our contexts in a request have the rule of the repository. */
function timesGiven(asked: AskedModel | undefined): number {
  return contextsIn(asked).reduce((sum, text) => sum + text.split(rule).length - 1, 0)
}

function contextsIn(asked: AskedModel | undefined): string[] {
  const whole = /<service-memory-context version[\s\S]*?<\/service-memory-context>/gu
  return textsIn(asked).flatMap(text => text.match(whole) ?? [])
}

/** Every string of a request. Gemini CLI escapes the brackets of what hooks add. */
function textsIn(asked: AskedModel | undefined): string[] {
  const texts: string[] = []
  if (asked)
    JSON.parse(asked.body, (_key, value: unknown) => {
      if (typeof value === 'string') texts.push(value.replaceAll('&lt;', '<').replaceAll('&gt;', '>'))
      return value
    })
  return texts
}

/** Without what differs from one call to the next: the session's key, the time and ages of memories. */
function alike(text: string, session: string): string {
  return text
    .replaceAll(session, 'KEY')
    .replace(/(?<=^Session key: ).*$/gmu, 'KEY')
    .replace(/^Current time: .*$/gmu, 'NOW')
    .replace(/^(- [\w-]+), (?:now|just now|\d+ (?:s|min) ago)(?=:)/gmu, '$1, AGE')
    .trim()
}
