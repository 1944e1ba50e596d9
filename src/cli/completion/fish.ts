import { type CommandNode, type FlagWord, namedKind } from './model.js'

/** Returns a completion script for fish 3 and later. */
export function fishScript(bin: string, places: readonly CommandNode[]): string {
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => quote(path))
  return `# fish completion of ${bin}: ${bin} completion fish | source
function __${bin}_at
    set -l place
    for word in (commandline -opc)[2..-1]
        set -l next (string join ' ' -- $place $word)
        if contains -- "$next" ${paths.join(' ')}
            set place $next
        end
    end
    test "$place" = "$argv[1]"
end
complete -c ${bin} -f
${places.flatMap(place => placeLines(bin, place)).join('\n')}
`
}

function placeLines(
  bin: string,
  { path, children, flags, choices, names, takesFiles }: CommandNode,
): string[] {
  const at = `complete -c ${bin} -n ${quote(`__${bin}_at ${quote(path)}`)}`
  return [
    ...children.map(({ word, summary }) => `${at} -a ${quote(word)} -d ${quote(summary)}`),
    ...(choices.length > 0 ? [`${at} -a ${quote(choices.join(' '))}`] : []),
    ...(names ? [`${at} -a ${quote(namesIn(names))}`] : []),
    ...(takesFiles ? [`${at} -F`] : []),
    ...flags.map(flag => `${at} ${flagOptions(flag)}`),
  ]
}

function flagOptions({ name, char, summary, value }: FlagWord): string {
  const names = char ? `-l ${name} -s ${char}` : `-l ${name}`
  return `${names}${valueOptions(value)} -d ${quote(summary)}`
}

function valueOptions(value: FlagWord['value']): string {
  if (value === 'none') return ''
  if (value === 'file') return ' -r -F'
  const names = namedKind(value)
  if (names) return ` -x -a ${quote(namesIn(names))}`
  return Array.isArray(value) ? ` -x -a ${quote(value.join(' '))}` : ' -x'
}

/** Fish runs this when a person presses Tab. */
function namesIn(kind: string): string {
  return `(memory complete ${kind} 2>/dev/null)`
}

/** Inside single quotes, fish recognizes only escapes of the quote and of the backslash. */
function quote(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
