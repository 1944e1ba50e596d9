import { type CommandNode, type FlagWord, flagNames, namedKind } from './model.js'

/** Returns a completion script for Windows PowerShell 5 and PowerShell 7. */
export function powershellScript(bin: string, places: readonly CommandNode[]): string {
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => quote(path))
  return `# PowerShell completion of ${bin}: ${bin} completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName ${quote(bin)} -ScriptBlock {
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
${places.flatMap(valueCases).join('\n')}
  }
  if ($null -ne $values) {
    if ("$values" -eq '-') { return }
    $items = @($values)
  } else {
    $items = @(switch -CaseSensitive -Exact ($place) {
${places.map(placeCase).join('\n')}
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
function valueCases({ path, flags }: CommandNode): string[] {
  return flags
    .filter(({ value }) => value !== 'none')
    .flatMap(flag => flagNames(flag).map(name => `    ${quote(`${path}|${name}`)} { ${words(flag.value)} }`))
}

/** Runs when a person presses Tab. */
function namesIn(kind: string): string {
  return `memory complete ${kind} 2>$null`
}

function words(value: FlagWord['value']): string {
  const names = namedKind(value)
  if (names) return namesIn(names)
  return Array.isArray(value) ? value.map(quote).join(', ') : quote('-')
}

function placeCase({ path, children, flags, choices, names }: CommandNode): string {
  const items = [
    ...children.map(({ word, summary }) => `${word}|${summary}`),
    ...choices,
    ...flags.map(({ name, summary }) => `--${name}|${summary}`),
  ]
  return `      ${quote(path)} { ${items.map(quote).join(', ')}${names ? `; ${namesIn(names)}` : ''} }`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
