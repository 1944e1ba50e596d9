import { clip } from '../../../lib/text/clip.js'
import { countOf } from '../../../lib/text/count-of.js'
import { type Colors, onTerminal } from '../../terminal/output.js'
import { plainLine } from '../../terminal/text.js'
import type { LearnedProject } from './learned-facts.js'
import type { SetupStep } from './setup-steps.js'

/** A step in the output of `--json`. */
export interface SetupOutcome {
  step: SetupStep['id']
  title: string
  found: readonly string[]
  state: 'planned' | 'skipped' | 'done' | 'failed'
  done?: readonly string[]
  error?: string
}

const longestFact = 160

/** Formats what a step found and would change. */
export function stepText({ title, lines }: SetupStep, colors: Colors): string {
  return [colors.bold(plainLine(title)), ...lines.flatMap(line => onTerminal(`  ${plainLine(line)}`))].join(
    '\n',
  )
}

/** Formats what a step did. */
export function summaryText(lines: readonly string[], colors: Colors): string {
  return lines
    .flatMap((line, at) => {
      const [first = '', ...others] = onTerminal(plainLine(line))
      return [at === 0 ? `${colors.green('✓')} ${first}` : `  ${first}`, ...others.map(other => `  ${other}`)]
    })
    .join('\n')
}

/** Formats what was learned, and what to try next. */
export function endText(
  { steps, learned }: { steps: readonly SetupStep[]; learned: LearnedProject | undefined },
  colors: Colors,
): string {
  const facts = learned?.facts ?? []
  const heading =
    facts.length === 0
      ? ['Nothing is known about your projects yet.']
      : [
          colors.bold(
            `Here ${facts.length === 1 ? 'is' : 'are'} ${countOf(facts.length, 'thing')} I now know about ${plainLine(learned?.name ?? '')}`,
          ),
        ]
  return [
    ...(steps.length === 0 ? ['Nothing new to set up.', ''] : []),
    ...heading,
    ...facts.flatMap(({ text, source }, index) => {
      const end = colors.dim(`(from ${source})`)
      return onTerminal(`  ${index + 1}  ${clip(plainLine(text), longestFact)} ${end}`)
    }),
    '',
    colors.bold('Try'),
    ...tries(facts.length > 0).map(([command, what]) => `  ${command.padEnd(34)}  ${colors.dim(what)}`),
  ].join('\n')
}

function tries(hasFacts: boolean): (readonly [command: string, what: string])[] {
  return [
    ['memory remember "..."', 'save something every agent should know'],
    ['memory preview', 'see the text that your agent gets here'],
    hasFacts
      ? ['memory search WORDS', 'search memories, sessions and notes']
      : ['memory recall WORDS', 'ask for it later, in other words'],
    ['memory ui', 'look at it all in the browser'],
  ]
}
