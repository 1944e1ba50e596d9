import { setTimeout as delay } from 'node:timers/promises'
import { execa } from 'execa'
import type { AgentRun, CodingAgent } from './agent.js'
import type { Home } from './home.js'

/**
 * Resumes a session in its terminal and works there. @throws Error when tmux is not installed, or with the
 * screen
 */
export async function inTerminal(
  { agent, session, ...run }: AgentRun & { agent: CodingAgent; session: string },
  work: (terminal: Terminal) => Promise<void>,
): Promise<void> {
  const { args, asks, ready } = agent.terminal(run, session)
  const terminal = await openTerminal(run.home, [run.program, ...args], agent.environment(run))
  try {
    if (asks) await terminal.answer(asks)
    await terminal.waitFor(ready)
    await work(terminal)
  } finally {
    await terminal.close()
  }
}

/** A program in a terminal that is controlled like by a person's keyboard. */
export interface Terminal {
  /** Types a text and presses Enter once the screen shows it. */
  enter(text: string): Promise<void>
  /** Presses Enter once the screen shows a question. */
  answer(question: RegExp): Promise<void>
  /** @throws Error with the screen when the text does not appear within a minute */
  waitFor(what: RegExp): Promise<void>
  /** Waits until the program has ended. @throws Error with the screen when it keeps running */
  ended(): Promise<void>
  /** Ends the program if it still runs. */
  close(): Promise<void>
}

const pollMs = 250
const patienceMs = 60_000

async function openTerminal(
  home: Home,
  words: readonly string[],
  env: Record<string, string>,
): Promise<Terminal> {
  const tmux = async (...args: string[]) =>
    execa('tmux', ['-f', '/dev/null', '-S', home.path('tmux.socket'), ...args], {
      cwd: home.project,
      env: { ...home.environment, ...env },
      extendEnv: false,
      reject: false,
    })
  await demandTmux()
  const command = words.map(word => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ')
  await tmux('new-session', '-d', '-x', '120', '-y', '50', `exec ${command}`)
  const screen = async () => (await tmux('capture-pane', '-p')).stdout
  const isOpen = async () => (await tmux('has-session')).exitCode === 0
  const until = async (isThere: () => Promise<boolean>, what: string) => {
    for (const end = Date.now() + patienceMs; !(await isThere()); await delay(pollMs))
      if (Date.now() > end)
        throw new Error(`${what} did not appear in the terminal, which shows:\n${await screen()}`)
  }
  return {
    async enter(text) {
      const isShown = async () => (await screen()).includes(text)
      await until(async () => {
        await tmux('send-keys', '-l', text)
        for (let left = 20; left > 0 && !(await isShown()); left--) await delay(pollMs)
        if (await isShown()) return true
        // A starting program discards input, and may have received half of it.
        await tmux('send-keys', 'C-u')
        return false
      }, text)
      await delay(pollMs)
      await tmux('send-keys', 'Enter')
    },
    async answer(question) {
      await until(async () => question.test(await screen()), String(question))
      await tmux('send-keys', 'Enter')
    },
    waitFor: what => until(async () => what.test(await screen()), String(what)),
    ended: () => until(async () => !(await isOpen()), 'the end'),
    close: async () => void (await tmux('kill-server')),
  }
}

async function demandTmux(): Promise<void> {
  const { exitCode } = await execa('tmux', ['-V'], { reject: false })
  if (exitCode !== 0)
    throw new Error("This agent's terminal checks need tmux. Install it (apt-get install tmux).")
}
