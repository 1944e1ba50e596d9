import { taskHarness } from '../../contract/ground/wire-names.js'
import { cancelled } from '../consent/consent.js'
import { CliError } from '../shell/cli-error.js'
import { colorsFor } from '../terminal/output.js'
import type { Question } from '../tui/ask-questions.js'
import { isOnPath, programNames } from './tasks/harness-program.js'
import type { Schedules } from './tasks/schedule-text.js'

/** The required fields of a task. */
interface RequiredFields {
  prompt: string
  cron: string
  harness: string
  name: string
}

type PartialFields = { [Key in keyof RequiredFields]: RequiredFields[Key] | undefined }

/** Maximum length of a name derived from a prompt. */
const nameLength = 40

/**
 * Completes the required fields of a task: asks at a terminal, and otherwise derives the name from the
 * prompt.
 * @throws CliError `missing_fields` if it cannot ask, `invalid_input` for an invalid schedule, `cancelled`.
 */
export async function fillIn(
  given: PartialFields,
  { schedules, workspace, asks }: { schedules: Schedules; workspace: string | undefined; asks: boolean },
): Promise<RequiredFields> {
  const fault = given.cron === undefined ? undefined : schedules.faultOf(given.cron)
  if (fault)
    throw new CliError(`--cron: "${given.cron}" ${fault}`, {
      code: 'invalid_input',
      exit: 'usage',
      nextSteps: ['--cron "0 9 * * 1-5" runs at 09:00 from Monday to Friday'],
    })
  const missing = (['prompt', 'cron', 'harness'] as const).filter(field => given[field] === undefined)
  const isWhole = missing.length === 0
  if (!isWhole && !asks) throw missingFields(missing)
  const answers = isWhole ? {} : await ask(given, questionsFor({ schedules, workspace }))
  const all = { ...given, ...answers } as Omit<RequiredFields, 'name'> & { name: string | undefined }
  return { ...all, name: all.name || nameOf(all.prompt) }
}

async function ask(
  given: PartialFields,
  questions: Readonly<Record<keyof RequiredFields, Question>>,
): Promise<Partial<RequiredFields>> {
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
}): Record<keyof RequiredFields, Question> {
  // An agent over ACP is named by --acp.
  const asked = programNames.filter(program => program !== taskHarness.acp)
  const here = asked.filter(program => isOnPath(program, workspace) !== false)
  return {
    prompt: {
      label: 'Prompt',
      hint: 'as you would type it to the agent',
      initial: '',
      fault: text => (text.trim() === '' ? 'enter a prompt' : undefined),
    },
    cron: {
      label: 'Schedule',
      hint: 'minute hour day month weekday; 0 9 * * 1-5 is 09:00 from Monday to Friday',
      initial: '0 9 * * 1-5',
      fault: schedules.faultOf,
      explain: text => schedules.nextOf(text),
    },
    harness: {
      label: 'Agent',
      hint: asked.join(', '),
      initial: here[0] ?? 'claude',
      fault: text => (asked.includes(text.trim()) ? undefined : `choose one of ${asked.join(', ')}`),
      explain: text => (isOnPath(text.trim(), workspace) === false ? 'not found on this PATH' : ''),
    },
    name: {
      label: 'Name',
      hint: 'leave empty to use the first words of the prompt',
      initial: '',
      fault: () => undefined,
    },
  }
}

/** Returns the first words of a prompt. */
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
