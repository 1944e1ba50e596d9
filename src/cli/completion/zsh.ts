import { inSingleQuotes as quote } from '../../lib/text/shell-words.js'
import { type CommandNode, type FlagWord, flagNames, namedKind, stepOf } from './model.js'

/** Returns a completion script for zsh, for `eval` and for a file `_memory` in `$fpath`. */
export function zshScript(bin: string, places: readonly CommandNode[]): string {
  const known = places.filter(({ path }) => path !== '').map(({ path }) => quote(stepOf(path)))
  return `#compdef ${bin}
# zsh completion of ${bin}: eval "$(${bin} completion zsh)"
_${bin}() {
  local place="" cur="\${words[CURRENT]}" prev="\${words[CURRENT-1]}" i
  local -a items
  for ((i = 2; i < CURRENT; i++)); do
    case "$place|\${words[i]}" in
      (${known.join('|')}) place="\${place:+$place }\${words[i]}" ;;
    esac
  done
  case "$place|$prev" in
${places.flatMap(valueCases).join('\n')}
  esac
  case "$place" in
${places.map(placeCase).join('\n')}
  esac
  _describe ${quote(bin)} items
}
if [[ "\${funcstack[1]}" == ${quote(`_${bin}`)} ]]; then
  _${bin} "$@"
else
  compdef _${bin} ${bin}
fi
`
}

function valueCases({ path, flags }: CommandNode): string[] {
  return flags
    .filter(({ value }) => value !== 'none')
    .map(flag => {
      const patterns = flagNames(flag).map(name => quote(`${path}|${name}`))
      return `    (${patterns.join('|')}) ${valueAction(flag.value)}return ;;`
    })
}

function valueAction(value: FlagWord['value']): string {
  const names = namedKind(value)
  if (names) return `compadd -- ${namesIn(names)}; `
  if (value === 'file') return '_files; '
  return Array.isArray(value) ? `compadd -- ${value.map(quote).join(' ')}; ` : ''
}

/** Splits the output at line ends only. */
function namesIn(kind: string): string {
  return `"\${(@f)$(memory complete ${kind} 2>/dev/null)}"`
}

function placeCase({ path, children, flags, choices, names, takesFiles }: CommandNode): string {
  const items = [
    ...children.map(({ word, summary }) => item(word, summary)),
    ...choices.map(choice => item(choice, '')),
    ...flags.map(({ name, summary }) => item(`--${name}`, summary)),
  ]
  return `    (${quote(path)}) items=(${items.join(' ')})${takesFiles ? '; _files' : names ? `; compadd -- ${namesIn(names)}` : ''} ;;`
}

/** _describe splits at the first unescaped colon. */
function item(word: string, summary: string): string {
  const name = word.replaceAll(':', '\\:')
  return quote(summary ? `${name}:${summary}` : name)
}
