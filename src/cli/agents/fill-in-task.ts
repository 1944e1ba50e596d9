import { cancelled } from '../consent/consent.js'
import { CliError } from '../shell/cli-error.js'
import { colorsFor } from '../terminal/output.js'
import type { Question } from '../tui/ask-questions.js'
import { isHere, programNames } from './tasks/harness-program.js'
import type { Schedules } from './tasks/schedule-text.js'

/** What a task cannot do without. */
interface Needed {
  prompt: string
  cron: string
  harness: string
  name: string
}

type Given = { [Key in keyof Needed]: Needed[Key] | undefined }

/** Characters of a name that is made of a prompt. */
const nameLength = 40

/**
 * Adds what is missing of a task: by asking where somebody can be asked, of the name otherwise by the prompt.
 * @throws CliError `missing_fields` for what nobody can be asked, `invalid_input` for no schedule, `cancelled`.
 */
export async function fillIn(
  given: Given,
  { schedules, workspace, asks }: { schedules: Schedules; workspace: string | undefined; asks: boolean },
): Promise<Needed> {
  const fault = given.cron === undefined ? undefined : schedules.faultOf(given.cron)
  if (fault)
    throw new CliError(`--cron: "${given.cron}" ${fault}`, {
      code: 'invalid_input',
      exit: 'usage',
      nextSteps: ['--cron "0 9 * * 1-5" is nine o\'clock from Monday to Friday'],
    })
  const missing = (['prompt', 'cron', 'harness'] as const).filter(field => given[field] === undefined)
  const isWhole = missing.length === 0
  if (!isWhole && !asks) throw missingFields(missing)
  const answers = isWhole ? {} : await ask(given, questionsFor({ schedules, workspace }))
  const all = { ...given, ...answers } as Omit<Needed, 'name'> & { name: string | undefined }
  return { ...all, name: all.name || nameOf(all.prompt) }
}

async function ask(
  given: Given,
  questions: Readonly<Record<keyof Needed, Question>>,
): Promise<Partial<Needed>> {
  const fields = (['prompt', 'cron', 'harness', 'name'] as const).filter(field => given[field] === undefined)
  const { askQuestions } = await import('../tui/ask-questions.js')
  const texts = await askQuestions({
    questions: fields.map(field => questions[field]),
    color: colorsFor().isColorSupported,
  })
  if (!texts) throw cancelled()
  return Object.fromEntries(fields.map((field, at) => [field, texts[at]?.trim()]))
}

function questionsFor({
  schedules,
  workspace,
}: {
  schedules: Schedules
  workspace: string | undefined
}): Record<keyof Needed, Question> {
  const here = programNames.filter(program => isHere(program, workspace) !== false)
  return {
    prompt: {
      label: 'What to ask',
      hint: 'a prompt, as you would type it to the agent',
      initial: '',
      fault: text => (text.trim() === '' ? 'is needed' : undefined),
    },
    cron: {
      label: 'When',
      hint: 'minute hour day month weekday: 0 9 * * 1-5 is nine from Monday to Friday',
      initial: '0 9 * * 1-5',
      fault: schedules.faultOf,
      tell: text => schedules.nextOf(text),
    },
    harness: {
      label: 'Which agent',
      hint: programNames.join(', '),
      initial: here[0] ?? 'claude',
      fault: text =>
        programNames.includes(text.trim()) ? undefined : `is none of ${programNames.join(', ')}`,
      tell: text => (isHere(text.trim(), workspace) === false ? 'not found on this PATH' : ''),
    },
    name: {
      label: 'Its name',
      hint: 'empty takes the first words of the prompt',
      initial: '',
      fault: () => undefined,
    },
  }
}

/** The first words of a prompt. */
export function nameOf(prompt: string): string {
  const words = prompt.trim().replace(/[\s\p{Cc}]+/gu, ' ')
  if (words.length <= nameLength) return words
  const cut = words.slice(0, nameLength).replace(/\s\S*$/u, '')
  return cut.toWellFormed().replace(/\ufffd$/u, '')
}

function missingFields(missing: readonly string[]): CliError {
  const words = missing.map(field => (field === 'prompt' ? 'the prompt' : `--${field}`))
  return new CliError(`${words.join(', ')} ${words.length === 1 ? 'is' : 'are'} missing`, {
    code: 'missing_fields',
    exit: 'usage',
    nextSteps: ['memory tasks add "look at the failing tests" --cron "0 9 * * 1-5" --harness claude'],
  })
}
