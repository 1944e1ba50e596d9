import {
  argumentsOf,
  commandName,
  descriptionOf,
  examplesOf,
  flagsOf,
  summaryOf,
  usageOf,
} from './describe-command.js'
import { environment } from './environment.js'

/** docs/commands.md. @returns {string} Markdown. */
export function commandReference(reference) {
  return `${[
    '# Commands',
    'Generated from the commands by `npm run build`; edit those.',
    overview(reference),
    ...reference.commands.map(command => section(reference, command)),
    '## Exit codes',
    table(
      ['Code', 'Meaning'],
      reference.exitCodes.map(({ code, meaning }) => [String(code), meaning]),
    ),
    '## Environment',
    table(
      ['Variable', 'Meaning'],
      environment.map(([names, meaning]) => [names.replace(/[A-Z_]+/g, '`$&`'), meaning]),
    ),
  ].join('\n\n')}\n`
}

function overview(reference) {
  const rows = reference.commands.map(command => {
    const name = commandName(reference, command)
    return [`[\`${name}\`](#${name.replaceAll(' ', '-')})`, summaryOf(command)]
  })
  return table(['Command', 'What it does'], rows)
}

function section(reference, command) {
  const examples = examplesOf(reference, command)
  return [
    `## ${commandName(reference, command)}`,
    `${summaryOf(command)}.`,
    descriptionOf(command),
    code(usageOf(reference, command)),
    list('Arguments', argumentsOf(command)),
    list('Flags', flagsOf(command)),
    examples.length > 0
      ? `Examples:\n\n${code(examples.map(({ description, line }) => [description && `# ${description}`, line].filter(Boolean).join('\n')).join('\n'))}`
      : '',
  ]
    .filter(Boolean)
    .join('\n\n')
}

function list(title, entries) {
  if (entries.length === 0) return ''
  return [`${title}:`, '', ...entries.map(({ label, text }) => `- \`${label}\`: ${text}`)].join('\n')
}

function code(text) {
  return `\`\`\`sh\n${text}\n\`\`\``
}

function table(headings, rows) {
  const line = cells => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n')
}
