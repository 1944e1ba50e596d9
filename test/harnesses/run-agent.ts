import { clip } from '../../src/lib/text/clip.js'
import { offeredTools } from '../../src/mcp/listed-tool.js'
import { offersOf } from '../../src/mcp/offered-tools.js'
import { toolsOf } from '../../src/mcp/tool-table.js'
import type { AgentRun, CodingAgent } from './agent.js'
import {
  checkCommand,
  checkFork,
  checkMissedStart,
  checkStartText,
  checkSubagent,
  previewFor,
} from './check-delivery.js'
import { connectAndDisconnect, disconnectAtEnd } from './check-disconnect.js'
import { checkImport } from './check-import.js'
import { checkPlugin } from './check-plugin.js'
import { checkTask, checkTaskOverAcp } from './check-task.js'
import { checkWork } from './check-work.js'
import {
  type CheckName,
  checks,
  failed,
  notApplicable,
  notAsked,
  type Outcome,
  type Outcomes,
  ok,
  unless,
} from './checks.js'
import { eventually } from './eventually.js'
import { type AskedModel, deferredName, isTool, type ModelServer, type Turn } from './model/model-server.js'
import {
  conversationOf,
  lastWords,
  opening,
  rule,
  seeded,
  stored,
  summary,
  turns,
  wholeSession,
} from './scenario.js'
import { inTerminal } from './terminal.js'

export interface Scene extends AgentRun {
  agent: CodingAgent
  server: ModelServer
  /** The only checks to run; all if absent. */
  only?: readonly string[]
  /** Reports the current step to a person who waits. */
  progress(what: string): void
}

/**
 * Runs an agent through one session of four turns. After each turn it checks the model's input and the
 * daemon's data. Three turns run without a person, each in a process of its own; then comes the terminal,
 * with a compaction before the last turn. A check that depends on a failed step reports that step.
 */
export async function runAgent(scene: Scene): Promise<{ outcomes: Outcomes; session: string }> {
  const outcomes = new Map<CheckName, Outcome>()
  const { agent, home, progress } = scene
  const step = async (what: string, names: readonly CheckName[], work: () => Promise<Partial<Outcomes>>) => {
    if (scene.only && !names.some(name => scene.only?.includes(name))) return
    progress(what)
    const found = await work().catch((error: Error) => everyOne(names, failed(error.message)))
    for (const name of names) if (found[name]) outcomes.set(name, excused(agent, name, found[name]))
  }
  for (const [path, text] of Object.entries(agent.settings(scene))) home.write(path, text)
  await home.memory('remember', seeded, '--importance', '0.9')
  await home.memory('remember', rule, '--type', 'rule')
  const connection = await connectAndDisconnect(scene).catch((error: Error) => ({
    outcome: failed(error.message),
    before: new Map(),
  }))
  outcomes.set('disconnect', connection.outcome)
  let sessionId = ''
  await step('first turn', ['start', 'startText', 'prompt', 'tools'], async () => {
    const previewed = agent.takesContext === false ? undefined : await previewFor(scene)
    const { asked, id } = await say(scene, turns.first)
    sessionId = id
    return {
      start: previewed ? checkStart(asked) : noContext,
      startText: previewed ? checkStartText(asked, previewed, id) : noContext,
      prompt: previewed ? checkPrompt(asked) : noContext,
      tools: checkTools(scene, asked),
    }
  })
  if (sessionId !== '') await goOn(scene, sessionId, step)
  await step('missed start', ['missed'], async () => ({
    missed: agent.takesContext === false ? noContext : await checkMissedStart(scene),
  }))
  await step('sub-agent', ['subagent'], async () => ({ subagent: await checkSubagent(scene) }))
  await step('fork', ['fork'], async () => ({ fork: await checkFork(scene) }))
  await step('command', ['command'], async () => ({ command: await checkCommand(scene) }))
  await step('work', ['work'], async () => ({ work: await checkWork(scene) }))
  await step('task', ['task'], async () => ({ task: await checkTask(scene) }))
  await step('plug-in', ['plugin'], async () => ({
    plugin: agent.plugin
      ? await checkPlugin({ ...scene, agent: { ...agent, plugin: agent.plugin } })
      : notApplicable('it has no plug-ins of this kind'),
  }))
  if (connection.outcome.status === 'ok')
    await step('disconnect', ['disconnect'], async () => ({
      disconnect: await disconnectAtEnd(scene, connection),
    }))
  await step('task over ACP', ['acp'], async () => ({ acp: await checkTaskOverAcp(scene) }))
  const entries = Object.keys(checks).map(name => [
    name,
    outcomes.get(name as CheckName) ??
      (scene.only?.includes(name) === false ? notApplicable(notAsked) : failed('not reached')),
  ])
  return { outcomes: Object.fromEntries(entries), session: sessionId }
}

const noContext = notApplicable('none of its hooks gives context to the model')

type Step = (
  what: string,
  names: readonly CheckName[],
  work: () => Promise<Partial<Outcomes>>,
) => Promise<void>

async function goOn(scene: Scene, id: string, step: Step): Promise<void> {
  await step('store', ['store', 'resume'], async () => {
    const { asked, id: resumed } = await say(scene, turns.store, id)
    return { store: await checkStore(scene, asked), resume: checkResume(scene, asked, { id, resumed }) }
  })
  await step('search', ['search', 'end'], async () => ({
    search: checkSearch((await say(scene, turns.search, id)).asked),
    end: await checkEnd(scene, id),
  }))
  await step('terminal', ['compaction', 'afterCompaction', 'quit'], () => workInTerminal(scene, id))
  await step('capture', ['capture'], async () => ({ capture: await checkCapture(scene, id) }))
  await step('import', ['import'], async () => ({ import: await checkImport(scene, id) }))
}

/** A check that fails because of the agent's own limits is not our fault. */
function excused({ cannot = {} }: CodingAgent, name: CheckName, outcome: Outcome): Outcome {
  const reason = cannot[name]
  return outcome.status === 'failed' && reason !== undefined ? notApplicable(reason) : outcome
}

function everyOne(names: readonly CheckName[], outcome: Outcome): Partial<Outcomes> {
  return Object.fromEntries(names.map(name => [name, outcome]))
}

/** Compacts the session, continues it, and quits. */
async function workInTerminal(scene: Scene, session: string): Promise<Partial<Outcomes>> {
  const { agent, server } = scene
  const { compact, compacted, quit } = agent.terminal(scene, session)
  const outcomes: Partial<Outcomes> = {}
  await inTerminal({ ...scene, session }, async terminal => {
    if (agent.compactsAfterPrompt) {
      server.expect(opening)
      await terminal.enter(opening.prompt)
      await terminal.waitFor(lastWords.opening)
    }
    if (compact !== undefined && compacted) {
      server.expect(undefined)
      await terminal.enter(compact)
      await eventually(
        async () => server.asked().length,
        count => count > 0,
      )
      await terminal.waitFor(compacted)
      outcomes.compaction = unless([server.asked().length === 0 && 'the model was not asked for a summary'])
      if (!agent.tellsSummaryLater) outcomes.compaction = await checkCompaction(scene, outcomes.compaction)
    } else outcomes.compaction = notApplicable('nothing of ours hears of its compaction')
    server.expect(turns.compacted)
    await terminal.enter(turns.compacted.prompt)
    await terminal.waitFor(lastWords.compacted)
    if (agent.tellsSummaryLater && outcomes.compaction)
      outcomes.compaction = await checkCompaction(scene, outcomes.compaction)
    outcomes.afterCompaction =
      agent.takesContext === false ? noContext : checkStart(server.asked().filter(({ isTurn }) => isTurn))
    const wasLive = await isLive(scene, session)
    await terminal.enter(quit)
    await terminal.ended()
    outcomes.quit = wasLive ? await checkEnd(scene, session) : failed('the session was not live while it ran')
  })
  return outcomes
}

/** @throws Error when the model received no request */
async function say(scene: Scene, turn: Turn, session?: string): Promise<{ asked: AskedModel[]; id: string }> {
  const { agent, server } = scene
  server.expect(turn)
  const { session: id, output } = await agent.turn(scene, turn.prompt, session)
  const asked = server.asked().filter(({ isTurn }) => isTurn)
  if (asked.length === 0) throw new Error(`the prompt never reached the model: ${output}`)
  return { asked, id }
}

function checkStart([first]: readonly AskedModel[]): Outcome {
  return hasContext(first) ? ok() : failed('no context in the request names the earlier memory')
}

/** True when our envelope in a request names the memory; a tool's result may name it too. */
function hasContext(asked: AskedModel | undefined): boolean {
  const envelopes =
    asked?.body.match(/service-memory-context version[\s\S]*?\/service-memory-context/gu) ?? []
  return envelopes.some(text => text.includes(seeded))
}

function checkPrompt([first]: readonly AskedModel[]): Outcome {
  return first && /Current time: \d{4}-/u.test(first.body) ? ok() : failed('the clock is not in the request')
}

function checkTools({ home }: Scene, [first]: readonly AskedModel[]): Outcome {
  const offered = first?.tools ?? []
  const names = offeredTools(toolsOf('standard'), offersOf(home.path('.memory-service'))).map(
    ({ name }) => name,
  )
  const ours = names.flatMap(name => offered.find(tool => isTool(tool.name, name)) ?? [])
  const deferred = names.flatMap(name => deferredName(first?.body ?? '', name) ?? [])
  if (ours.length === 0 && deferred.length === names.length)
    return ok(`${names.length} by name, ${deferred.join('\n').length} B; schemas on demand`)
  const bytes = ours.reduce((sum, tool) => sum + tool.bytes, 0)
  return ours.length === names.length
    ? ok(`${ours.length}, ${bytes} B`)
    : failed(`${ours.length} of ${names.length} tools`)
}

async function checkStore({ home }: Scene, asked: readonly AskedModel[]): Promise<Outcome> {
  const { memories } = await home.memory<{ memories: { content: string }[] }>('list')
  const kept = memories.filter(({ content }) => content === stored).length
  return unless([kept !== 1 && `stored ${kept} times; the tool said: ${resultIn(asked)}`])
}

function checkSearch(asked: readonly AskedModel[]): Outcome {
  const result = resultIn(asked)
  return unless([!result.includes(seeded) && `the tool said: ${result}`])
}

/** The result of the tool that was called last. */
function resultIn(asked: readonly AskedModel[]): string {
  const results = asked.at(-1)?.entries.filter(({ role }) => role === 'result') ?? []
  return results.at(-1)?.text ?? 'nothing, it was never called'
}

function checkResume(
  { agent }: Scene,
  [first]: readonly AskedModel[],
  { id, resumed }: { id: string; resumed: string },
): Outcome {
  const lost = conversationOf([turns.first]).filter(message => {
    const said = message.replace(/^\w+: /u, '')
    return !first?.entries.some(({ text }) => text.includes(said))
  })
  return unless([
    lost.length > 0 && `the resumed session lacks: ${lost.map(message => clip(message, 60)).join(', ')}`,
    agent.takesContext !== false && !hasContext(first) && 'the context of the start is gone',
    resumed !== id && `it goes on as session ${resumed}, not ${id}`,
  ])
}

async function checkCompaction({ home }: Scene, asked: Outcome): Promise<Outcome> {
  if (asked.status === 'failed') return asked
  const kept = await eventually(
    async () => {
      const { memories } = await home.memory<{ memories: { content: string }[] }>('list')
      return memories.filter(({ content }) => content.includes(summary)).length
    },
    count => count > 0,
  )
  return unless([kept !== 1 && `kept ${kept} times`])
}

async function checkCapture({ agent, home }: Scene, id: string): Promise<Outcome> {
  const expected = conversationOf(wholeSession(agent))
  const read = async () =>
    (await home.memory<{ content: string }>('sessions', 'transcript', id).catch(() => undefined))?.content ??
    ''
  const found = await eventually(read, content => content === expected.join('\n\n'))
  if (found === '') return failed('no transcript')
  const times = (message: string) => found.split(message).length - 1
  const missing = expected.filter(message => times(message) === 0).length
  const twice = expected.filter(message => times(message) > 1).length
  const rest = expected.reduce((text, message) => text.replaceAll(message, ''), found).trim()
  return unless([
    missing > 0 && `${missing} of ${expected.length} messages are missing`,
    twice > 0 && `${twice} are stored more than once`,
    rest !== '' && `also stored: ${rest.slice(0, 200)}`,
  ])
}

async function checkEnd(scene: Scene, id: string): Promise<Outcome> {
  // The daemon never received a session without a black box.
  if (!(await succeeds(scene.home.memory('sessions', 'blackbox', id))))
    return failed('the daemon never received the session')
  const goesOn = await eventually(
    () => isLive(scene, id),
    live => !live,
  )
  return unless([goesOn && 'the session still counts as live'])
}

/** Only live sessions can be shown. */
function isLive({ home }: Scene, id: string): Promise<boolean> {
  return succeeds(home.memory('sessions', 'show', id))
}

function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  )
}
