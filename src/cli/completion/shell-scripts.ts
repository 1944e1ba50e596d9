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
${places.flatMap(bashValueCases).join('\n')}
  esac
  case "$place" in
${places.map(bashPlaceCase).join('\n')}
  esac
  COMPREPLY+=($(compgen -W "$words" -- "$cur"))
}
complete -F _${bin} ${bin}
`
}

function bashValueCases({ path, flags }: CommandNode): string[] {
  return flags
    .filter(({ value }) => value !== 'none')
    .map(flag => {
      const patterns = flagNames(flag).map(name => quote(`${path}|${name}`))
      return `    ${patterns.join(' | ')}) ${bashValueAction(flag.value)}return ;;`
    })
}

function bashValueAction(value: FlagWord['value']): string {
  const names = namedKind(value)
  if (names) return `_memory_names ${names}; `
  if (value === 'file') return 'COMPREPLY=($(compgen -f -- "$cur")); '
  return Array.isArray(value) ? `COMPREPLY=($(compgen -W ${quote(value.join(' '))} -- "$cur")); ` : ''
}

function bashPlaceCase({ path, children, flags, choices, names, takesFiles }: CommandNode): string {
  const words = [...children.map(({ word }) => word), ...choices, ...flags.map(({ name }) => `--${name}`)]
  const files = takesFiles ? ' COMPREPLY=($(compgen -f -- "$cur"))' : names ? ` _memory_names ${names}` : ''
  return `    ${quote(path)}) words=${quote(words.join(' '))}${files ? `;${files}` : ''} ;;`
}

/** Returns a completion script for fish 3 and later. */
export function fishScript(bin: string, places: readonly CommandNode[]): string {
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => fishQuote(path))
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
  const at = `complete -c ${bin} -n ${fishQuote(`__${bin}_at ${fishQuote(path)}`)}`
  return [
    ...children.map(({ word, summary }) => `${at} -a ${fishQuote(word)} -d ${fishQuote(summary)}`),
    ...(choices.length > 0 ? [`${at} -a ${fishQuote(choices.join(' '))}`] : []),
    ...(names ? [`${at} -a ${fishQuote(fishNamesIn(names))}`] : []),
    ...(takesFiles ? [`${at} -F`] : []),
    ...flags.map(flag => `${at} ${flagOptions(flag)}`),
  ]
}

function flagOptions({ name, char, summary, value }: FlagWord): string {
  const names = char ? `-l ${name} -s ${char}` : `-l ${name}`
  return `${names}${valueOptions(value)} -d ${fishQuote(summary)}`
}

function valueOptions(value: FlagWord['value']): string {
  if (value === 'none') return ''
  if (value === 'file') return ' -r -F'
  const names = namedKind(value)
  if (names) return ` -x -a ${fishQuote(fishNamesIn(names))}`
  return Array.isArray(value) ? ` -x -a ${fishQuote(value.join(' '))}` : ' -x'
}

/** Fish runs this when a person presses Tab. */
function fishNamesIn(kind: string): string {
  return `(memory complete ${kind} 2>/dev/null)`
}

/** Inside single quotes, fish recognizes only escapes of the quote and of the backslash. */
function fishQuote(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}

/** Returns a completion script for Windows PowerShell 5 and PowerShell 7. */
export function powershellScript(bin: string, places: readonly CommandNode[]): string {
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => powershellQuote(path))
  return `# PowerShell completion of ${bin}: ${bin} completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName ${powershellQuote(bin)} -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $typed = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { "$_" })
  $known = @(${paths.join(', ')})
  $place = ''
  foreach ($word in $typed) {
    $next = "$place $word".Trim()
    if ($known -ccontains $next) { $place = $next }
  }
  $previous = if ($typed.Count -gt 0) { $typed[-1] } else { '' }
  $values = switch -CaseSensitive -Exact ("$place|$previous") {
${places.flatMap(powershellValueCases).join('\n')}
  }
  if ($null -ne $values) {
    if ("$values" -eq '-') { return }
    $items = @($values)
  } else {
    $items = @(switch -CaseSensitive -Exact ($place) {
${places.map(powershellPlaceCase).join('\n')}
    })
  }
  $items | Where-Object { $_ -clike "$wordToComplete*" } | ForEach-Object {
    $word, $summary = $_ -split '\\|', 2
    if (-not $summary) { $summary = $word }
    [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $summary)
  }
}
`
}

/** PowerShell completes free text and files itself; `-` means that we have no suggestions. */
function powershellValueCases({ path, flags }: CommandNode): string[] {
  return flags
    .filter(({ value }) => value !== 'none')
    .flatMap(flag =>
      flagNames(flag).map(name => `    ${powershellQuote(`${path}|${name}`)} { ${words(flag.value)} }`),
    )
}

/** Runs when a person presses Tab. */
function powershellNamesIn(kind: string): string {
  return `memory complete ${kind} 2>$null`
}

function words(value: FlagWord['value']): string {
  const names = namedKind(value)
  if (names) return powershellNamesIn(names)
  return Array.isArray(value) ? value.map(powershellQuote).join(', ') : powershellQuote('-')
}

function powershellPlaceCase({ path, children, flags, choices, names }: CommandNode): string {
  const items = [
    ...children.map(({ word, summary }) => `${word}|${summary}`),
    ...choices,
    ...flags.map(({ name, summary }) => `--${name}|${summary}`),
  ]
  return `      ${powershellQuote(path)} { ${items.map(powershellQuote).join(', ')}${names ? `; ${powershellNamesIn(names)}` : ''} }`
}

function powershellQuote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
