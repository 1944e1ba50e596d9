import { delimiter, dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { TaskHarness, TaskRun } from '../../src/contract/agents/tasks.js'
import { failed, notApplicable, type Outcome, unless } from './checks.js'
import type { Scene } from './run-agent.js'
import { taskTurn } from './scenario.js'

/** The agents that tasks can start, by name. */
const harnesses: Readonly<Record<string, TaskHarness>> = {
  'claude-code': 'harness_a',
  codex: 'harness_b',
  opencode: 'harness_c',
}

const lookEveryMs = 500
const waitMs = 120_000

/**
 * Runs a task with the agent. The prompt must arrive unchanged, without our hooks, and the run must succeed.
 */
export async function checkTask({ agent, home, server, program, path, model }: Scene): Promise<Outcome> {
  const harness = harnesses[agent.name]
  if (harness === undefined) return notApplicable('tasks cannot start it')
  // The daemon searches its own PATH, and the agent inherits the daemon's variables for the model.
  const PATH = [dirname(program), home.environment.PATH].join(delimiter)
  // Claude Code refuses this flag as root unless it runs in a sandbox.
  const env = { ...agent.environment({ home, program, path, model }), PATH, IS_SANDBOX: '1' }
  const restarted = await home.run('memory', ['daemon', 'restart'], { env })
  if (restarted.code !== 0) return failed(`the daemon did not restart: ${restarted.stderr}`)
  const { url } = await home.memory<{ url: string }>('daemon', 'status')
  server.expect(taskTurn)
  const run = await runTask(url, { harness, workingDirectory: home.project })
  const [asked] = server.asked().filter(({ isTurn }) => isTurn)
  if (run.status !== 'completed') return failed(`${run.status}: ${run.error}; ${run.output.slice(-500)}`)
  const heard = asked?.entries.some(({ text }) => text.includes(taskTurn.prompt)) ?? false
  const hooked = /service-memory-context version/u.test(asked?.body ?? '')
  return unless([!heard && 'the prompt did not arrive unchanged', hooked && 'our hooks added to it'])
}

async function runTask(
  url: string,
  where: { harness: TaskHarness; workingDirectory: string },
): Promise<TaskRun> {
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
