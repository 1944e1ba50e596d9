import { readFileSync } from 'node:fs'
import { startMeasuredDaemon } from '../daemon/daemon-process.js'
import { temporaryWorkspace } from '../daemon/workspace.js'
import { seededRandom } from '../index/synthetic.js'
import { foreignPrompts } from './sentences.js'

/** Prompts over memories made of commit messages. */
export interface PromptFigures {
  memories: number
  /** Prompts about a stored commit; it must be among the memories told. */
  answerable: { prompts: number; helped: number; told: number; helping: number }
  /** Prompts that nothing answers. */
  foreign: { prompts: number; silent: number }
}

export const promptGoals = { helping: 0.8, silent: 0.9 }

const storedMemories = 300
const askedCommits = 20
const promptWords = 8
const separator = '\u001e'
const common = new Set('this that with from have were when which into also they their would there'.split(' '))

interface Commit {
  subject: string
  body: string
}

/**
 * Stores commits of the given files and sends prompts to the hook with `context.promptRecall: on`. For the
 * prompts of 20 commits the subject is hidden: each has the first rarer words of a body and its file names.
 * A memory helps if it is the commit, or shares at least half of the words of the prompt.
 * @param files output of `git log --format=%x1e%s%n%b`
 */
export async function measurePrompts(files: readonly string[]): Promise<PromptFigures> {
  const { commits, asked } = chosenFrom(files.flatMap(file => commitsOf(readFileSync(file, 'utf8'))))
  const workspace = temporaryWorkspace({
    embedding: { provider: 'none' },
    context: { promptRecall: 'on' },
  })
  const daemon = await startMeasuredDaemon(workspace.folder)
  try {
    const ids: string[] = []
    for (const { subject, body } of commits) {
      const content = `${subject}\n\n${body}`.trim().slice(0, 2000)
      const reply = await daemon.ask('POST', '/api/memory/remember', {
        content,
        type: 'fact',
        project: 'logs',
      })
      ids.push(reply.body.id)
    }
    const tell = async (prompt: string, n: number) => {
      const body = { harness: 'claude-code', sessionKey: `prompt ${n}`, project: 'logs', userMessage: prompt }
      const { status, body: reply } = await daemon.ask('POST', '/api/hooks/user-prompt-submit', body)
      if (status !== 200) throw new Error(`user-prompt-submit answered ${status}`)
      const shown = /## Related Memories\n(?<lines>.*)/su.exec(reply.inject)?.groups?.lines ?? ''
      return ids.flatMap((id, position) => (shown.includes(`(${id.slice(-8)}`) ? [position] : []))
    }
    const answerable = { prompts: asked.length, helped: 0, told: 0, helping: 0 }
    for (const [n, { position, words }] of asked.entries()) {
      const told = await tell(`Look at the change about ${words.slice(0, promptWords).join(' ')}`, n)
      answerable.told += told.length
      answerable.helped += told.includes(position) ? 1 : 0
      answerable.helping += told.filter(one => one === position || isAbout(commits[one]!, words)).length
    }
    const foreign = { prompts: foreignPrompts.length, silent: 0 }
    for (const [n, prompt] of foreignPrompts.entries())
      foreign.silent += (await tell(prompt, 1000 + n)).length === 0 ? 1 : 0
    return { memories: commits.length, answerable, foreign }
  } finally {
    await daemon.stop()
    workspace.remove()
  }
}

function commitsOf(log: string): Commit[] {
  return log
    .split(separator)
    .map(entry => entry.trim())
    .filter(entry => entry !== '')
    .map(entry => {
      const [subject = '', ...rest] = entry.split('\n')
      return { subject, body: rest.join('\n').trim() }
    })
}

interface AskedCommit {
  position: number
  words: readonly string[]
}

/** Chooses the commits to store by a seed; 20 of those with a body long enough are asked for. */
function chosenFrom(all: readonly Commit[]): { commits: Commit[]; asked: AskedCommit[] } {
  const random = seededRandom(7)
  const shuffled = all
    .map(commit => ({ commit, words: hiddenWords(commit), order: random() }))
    .sort((one, other) => one.order - other.order)
  const targets = shuffled.filter(({ words }) => words.length >= promptWords).slice(0, askedCommits)
  const others = shuffled.filter(one => !targets.includes(one)).slice(0, storedMemories - targets.length)
  return {
    commits: [...targets, ...others].map(({ commit }) => commit),
    asked: targets.map(({ words }, position) => ({ position, words })),
  }
}

/** Words of a body that its subject does not have, trailers left out. */
function hiddenWords({ subject, body }: Commit): string[] {
  const hidden = new Set(wordsOf(subject))
  const text = body.replace(/^[\w-]+: .*$/gmu, '').replace(/https?:\S+/gu, '')
  return [...new Set(wordsOf(text))].filter(word => !hidden.has(word))
}

function wordsOf(text: string): string[] {
  return (text.match(/[\p{L}][\p{L}\p{N}_./-]{3,}/gu) ?? [])
    .map(word => word.replace(/[./-]+$/u, '').toLowerCase())
    .filter(word => !common.has(word))
}

function isAbout({ subject, body }: Commit, words: readonly string[]): boolean {
  const said = new Set(wordsOf(`${subject} ${body}`))
  const asked = words.slice(0, promptWords)
  return asked.filter(word => said.has(word)).length * 2 >= asked.length
}

export function formatPrompts({ memories, answerable, foreign }: PromptFigures): string {
  const share = (part: number, all: number) => (all === 0 ? '–' : (part / all).toFixed(3))
  return [
    `prompts over ${memories} memories of commit messages:`,
    `${share(answerable.helping, answerable.told)} of ${answerable.told} told memories help (goal ${promptGoals.helping})`,
    `${share(answerable.helped, answerable.prompts)} of ${answerable.prompts} prompts got the memory they are about`,
    `${share(foreign.silent, foreign.prompts)} of ${foreign.prompts} foreign prompts got nothing (goal ${promptGoals.silent})`,
  ].join('\n')
}
