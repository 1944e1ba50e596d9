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

/** One page per command and one for the program. @returns {Record<string, string>} roff by path. */
export function manPages(reference) {
  const pages = reference.commands.map(command => [
    pageName(reference, command),
    commandPage(reference, command),
  ])
  return Object.fromEntries(
    [[reference.bin, programPage(reference)], ...pages].map(([name, text]) => [`man/${name}.1`, text]),
  )
}

function pageName(reference, command) {
  return commandName(reference, command).replaceAll(' ', '-')
}

function programPage(reference) {
  return page(reference, reference.bin, 'one local memory for every AI coding agent on this machine', [
    heading('SYNOPSIS'),
    `.B ${reference.bin}`,
    '.I command',
    '[arguments] [flags]',
    heading('DESCRIPTION'),
    plain(
      'Remembers, recalls and forgets through a daemon that is started when a command needs it. Every command has --help and --json.',
    ),
    heading('COMMANDS'),
    ...reference.commands.flatMap(command =>
      entry(commandName(reference, command), `${summaryOf(command)}.`),
    ),
    ...exitStatus(reference),
    heading('ENVIRONMENT'),
    ...environment.flatMap(([names, meaning]) => entry(names, `${meaning}.`)),
    heading('FILES'),
    ...entry('~/.memory-service/agent.yaml', 'Settings of the default workspace.'),
    ...entry('~/.memory-service/memory/memories.db', 'The memories.'),
    ...entry('~/.memory-service/.daemon/logs/', 'Logs of the daemon.'),
    heading('SEE ALSO'),
    reference.commands.map(command => `.BR ${plain(pageName(reference, command))} (1)`).join(' ,\n'),
  ])
}

function commandPage(reference, command) {
  const description = descriptionOf(command)
  const examples = examplesOf(reference, command)
  return page(reference, pageName(reference, command), lowerFirst(summaryOf(command)), [
    heading('SYNOPSIS'),
    `.B ${plain(usageOf(reference, command))}`,
    ...(description ? [heading('DESCRIPTION'), plain(description)] : []),
    ...entries('ARGUMENTS', argumentsOf(command)),
    ...entries('OPTIONS', flagsOf(command)),
    ...(examples.length > 0 ? [heading('EXAMPLES'), ...examples.flatMap(exampleLines)] : []),
    ...exitStatus(reference),
    heading('SEE ALSO'),
    `.BR ${reference.bin} (1)`,
  ])
}

function page({ version }, name, summary, lines) {
  const title = `.TH "${name.toUpperCase().replaceAll('-', '\\-')}" "1" "" "memory-service ${version}" "User Commands"`
  return `${[title, heading('NAME'), `${plain(name)} \\- ${plain(summary)}`, ...lines].join('\n')}\n`
}

function exitStatus({ exitCodes }) {
  return [
    heading('EXIT STATUS'),
    ...exitCodes.flatMap(({ code, meaning }) => entry(String(code), `${meaning}.`)),
  ]
}

function entries(title, list) {
  return list.length > 0 ? [heading(title), ...list.flatMap(({ label, text }) => entry(label, text))] : []
}

function entry(label, text) {
  return ['.TP', `.B ${plain(label)}`, plain(text)]
}

function exampleLines({ description, line }) {
  return [
    ...(description ? ['.PP', plain(description)] : []),
    '.PP',
    '.nf',
    '.RS 4',
    plain(line),
    '.RE',
    '.fi',
  ]
}

function heading(text) {
  return `.SH "${text}"`
}

/**
 * Escapes text so that roff prints it literally: no escapes, no requests at the start of a line, real
 * hyphens.
 */
function plain(text) {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .split('\n')
    .map(line => line.replace(/^([.'])/, '\\&$1'))
    .join('\n')
}

function lowerFirst(text) {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
