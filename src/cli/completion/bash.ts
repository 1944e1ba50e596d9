import { inSingleQuotes as quote } from '../../lib/text/shell-words.js'
import { type CommandNode, type FlagWord, flagNames, namedKind, stepOf } from './model.js'

/** Returns a completion script for bash 3.2 and later. */
export function bashScript(bin: string, places: readonly CommandNode[]): string {
  const known = places.filter(({ path }) => path !== '').map(({ path }) => quote(stepOf(path)))
  return `# bash completion of ${bin}: eval "$(${bin} completion bash)"
# Names may contain spaces, so each line is one word.
_memory_names() {
  local IFS=$'\\n' name
  while read -r name; do
    [[ $name == "$cur"* ]] && COMPREPLY+=("$(printf '%q' "$name")")
  done < <(memory complete "$1" 2>/dev/null)
}
_${bin}() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" place="" words="" i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$place|\${COMP_WORDS[i]}" in
      ${known.join(' | ')}) place="\${place:+$place }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$place|$prev" in
${places.flatMap(valueCases).join('\n')}
  esac
  case "$place" in
${places.map(placeCase).join('\n')}
  esac
  COMPREPLY+=($(compgen -W "$words" -- "$cur"))
}
complete -F _${bin} ${bin}
`
}

function valueCases({ path, flags }: CommandNode): string[] {
  return flags
    .filter(({ value }) => value !== 'none')
    .map(flag => {
      const patterns = flagNames(flag).map(name => quote(`${path}|${name}`))
      return `    ${patterns.join(' | ')}) ${valueAction(flag.value)}return ;;`
    })
}

function valueAction(value: FlagWord['value']): string {
  const names = namedKind(value)
  if (names) return `_memory_names ${names}; `
  if (value === 'file') return 'COMPREPLY=($(compgen -f -- "$cur")); '
  return Array.isArray(value) ? `COMPREPLY=($(compgen -W ${quote(value.join(' '))} -- "$cur")); ` : ''
}

function placeCase({ path, children, flags, choices, names, takesFiles }: CommandNode): string {
  const words = [...children.map(({ word }) => word), ...choices, ...flags.map(({ name }) => `--${name}`)]
  const files = takesFiles ? ' COMPREPLY=($(compgen -f -- "$cur"))' : names ? ` _memory_names ${names}` : ''
  return `    ${quote(path)}) words=${quote(words.join(' '))}${files ? `;${files}` : ''} ;;`
}
