import { delimiter, dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type TaskHarness, type TaskRun, taskHarnesses } from '../../src/contract/agents/tasks.js'
import { taskHarness } from '../../src/contract/ground/wire-names.js'
import type { TaskBody } from '../helpers/tasks.js'
import { failed, notApplicable, type Outcome, unless } from './checks.js'
import type { Turn } from './model/model-server.js'
import type { Scene } from './run-agent.js'
import { seeded, taskTurn, turns } from './scenario.js'

/** Agents that tasks name otherwise. */
const named: Readonly<Record<string, TaskHarness>> = {
  'claude-code': taskHarness.claudeCode,
  codex: taskHarness.codex,
  opencode: taskHarness.openCode,
}

/** The name of an agent in tasks; undefined if they cannot start it. */
export function taskHarnessOf(agent: string): TaskHarness | undefined {
  return taskHarnesses.find(harness => harness === (named[agent] ?? agent))
}

const lookEveryMs = 500
const waitMs = 120_000

/**
 * Runs a task with the agent. The prompt must arrive unchanged, without our hooks, and the run must succeed.
 */
export async function checkTask(scene: Scene): Promise<Outcome> {
  const harness = taskHarnessOf(scene.agent.name)
  if (harness === undefined) return notApplicable('tasks cannot start it')
  return promptByTask(scene, taskTurn, { harness })
}

/** Runs a task over ACP, in which the model searches with the server that the session was given. */
export async function checkTaskOverAcp(scene: Scene): Promise<Outcome> {
  const { agent, home, server } = scene
  if (agent.acp === undefined) return notApplicable('it does not speak ACP')
  // Only the session's own server may answer.
  await home.run('memory', ['disconnect', agent.name, '--yes'])
  const command = [agent.binary, ...agent.acp].join(' ')
  const turn: Turn = { ...taskTurn, answers: [...turns.search.answers.slice(0, 1), ...taskTurn.answers] }
  const outcome = await promptByTask(scene, turn, { harness: 'acp', acp: { command, permissions: 'all' } })
  const results = server.asked().flatMap(({ entries }) => entries.filter(({ role }) => role === 'result'))
  const found = results.some(({ text }) => text.includes(seeded))
  if (outcome.status !== 'ok') return outcome
  return unless([!found && `the tool said: ${results.at(-1)?.text.slice(0, 300) ?? 'nothing'}`])
}

async function promptByTask(scene: Scene, turn: Turn, what: TaskAgent): Promise<Outcome> {
  const { agent, home, server, program, path, model } = scene
  // The daemon searches its own PATH, and the agent inherits the daemon's variables for the model.
  const own = agent.environment({ home, program, path, model })
  const PATH = [dirname(program), own.PATH ?? home.environment.PATH].join(delimiter)
  // Claude Code refuses this flag as root unless it runs in a sandbox.
  const env = { ...own, PATH, IS_SANDBOX: '1' }
  const restarted = await home.run('memory', ['daemon', 'restart'], { env })
  if (restarted.code !== 0) return failed(`the daemon did not restart: ${restarted.stderr}`)
  const { url } = await home.memory<{ url: string }>('daemon', 'status')
  server.expect(turn)
  const run = await runTask(url, { ...what, workingDirectory: home.project })
  const [asked] = server.asked().filter(({ isTurn }) => isTurn)
  if (run.status !== 'completed') return failed(`${run.status}: ${run.error}; ${run.output.slice(-500)}`)
  const heard = asked?.entries.some(({ text }) => text.includes(turn.prompt)) ?? false
  const hooked = /service-memory-context version/u.test(asked?.body ?? '')
  return unless([!heard && 'the prompt did not arrive unchanged', hooked && 'our hooks added to it'])
}

type TaskAgent = Pick<TaskBody, 'harness' | 'acp'>

async function runTask(url: string, where: TaskAgent & { workingDirectory: string }): Promise<TaskRun> {
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!reply.ok) throw new Error(await reply.text())
    return (await reply.json()) as { task: { id: string } }
  }
  const fields = { name: 'tidy', prompt: taskTurn.prompt, cronExpression: '0 0 29 2 *', ...where }
  const { task } = await post('/api/tasks', fields)
  await post(`/api/tasks/${task.id}/run`, {})
  for (let waited = 0; waited < waitMs; waited += lookEveryMs) {
    const { runs } = (await (await fetch(`${url}/api/tasks/${task.id}`)).json()) as { runs: TaskRun[] }
    const [run] = runs
    if (run?.completedAt) return run
    await delay(lookEveryMs)
  }
  throw new Error(`the task did not end within ${waitMs} ms`)
}
