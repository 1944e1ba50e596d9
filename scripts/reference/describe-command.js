/** Facts about a command of the manifest, for the man pages and the reference. */

/** @returns {string} e.g. `memory daemon run`. */
export function commandName({ bin }, { id }) {
  return [bin, ...id.split(':')].join(' ')
}

/** @returns {string} one line without a full stop at the end. */
export function summaryOf(command) {
  return fill(command.summary ?? command.description?.split('\n')[0] ?? '').replace(/\.$/, '')
}

/** @returns {string} empty when there is only a summary. */
export function descriptionOf(command) {
  return command.summary && command.description ? fill(command.description) : ''
}

export function examplesOf(reference, command) {
  return (command.examples ?? []).map(example => {
    const { description, command: line } = typeof example === 'string' ? { command: example } : example
    return { description: description && fill(description, reference), line: fill(line, reference) }
  })
}

/** @returns `{ label, text }` of every argument. */
export function argumentsOf(command) {
  return Object.values(command.args ?? {}).map(arg => ({
    label: arg.name.toUpperCase(),
    text: sentence(arg.description, [...choices(arg.options), ...(arg.required ? ['Required.'] : [])]),
  }))
}

/** @returns `{ label, text }` of every flag: the command's own first, then the common ones. */
export function flagsOf(command) {
  return Object.values(command.flags ?? {})
    .filter(flag => !flag.hidden)
    .sort((a, b) => Number(isGlobal(a)) - Number(isGlobal(b)) || (a.name < b.name ? -1 : 1))
    .map(flag => ({
      label: flagLabel(flag),
      text: sentence(flag.summary ?? flag.description, flagNotes(flag)),
    }))
}

/** @returns {string} e.g. `memory get ID [flags]`. */
export function usageOf(reference, command) {
  const words = Object.values(command.args ?? {}).map(arg => {
    const word = `${arg.name.toUpperCase()}${arg.multiple ? '...' : ''}`
    return arg.required ? word : `[${word}]`
  })
  return [commandName(reference, command), ...words, '[flags]'].join(' ')
}

function isGlobal({ helpGroup }) {
  return helpGroup === 'GLOBAL'
}

function flagLabel(flag) {
  const name = flag.type === 'boolean' && flag.allowNo ? `--[no-]${flag.name}` : `--${flag.name}`
  const value = flag.type === 'option' ? ` ${flag.helpValue ?? 'VALUE'}` : ''
  return `${flag.char ? `-${flag.char}, ` : ''}${name}${value}`
}

function flagNotes(flag) {
  const notes = choices(flag.options)
  if (flag.default !== undefined && flag.default !== false) notes.push(`Default: ${flag.default}.`)
  if (flag.multiple) notes.push('May be given more than once.')
  if (flag.required) notes.push('Required.')
  return notes
}

function choices(options) {
  return options?.length ? [`One of ${options.join(', ')}.`] : []
}

function sentence(text = '', notes = []) {
  const filled = fill(text).trim()
  const main = filled === '' || /[.!?)]$/.test(filled) ? filled : `${filled}.`
  return [main, ...notes].filter(Boolean).join(' ')
}

function fill(text, { bin } = { bin: 'memory' }) {
  return text.replaceAll('<%= config.bin %>', bin)
}
