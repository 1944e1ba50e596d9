/**
 * Matches our programs in a shell command or a list of arguments; `.cmd` and similar are wrappers on Windows.
 */
const wrapper = String.raw`(?:\.(?:cmd|exe|ps1))?`
const hookCommand = new RegExp(String.raw`(?:^|[\\/\s"'])(?:memory${wrapper}|run\.js)["']?\s+hook\s`, 'iu')

/** Returns the path of the daemon's route for the native JSON of a harness. */
export function hookPath(harness: string, hook = ''): string {
  return `/api/hooks/harness/${harness}/${hook}`
}

/** Returns true if we wrote a hook entry, judging from its command or URL. */
export function isOwnHook(handler: unknown, harness: string): boolean {
  const { command, url } = (handler ?? {}) as { command?: unknown; url?: unknown }
  if (typeof url === 'string') return url.includes(hookPath(harness))
  if (typeof command !== 'string' || !hookCommand.test(command)) return false
  return new RegExp(String.raw`\s(?:-H|--harness)[\s=]+["']?${harness}(?![\w-])`, 'u').test(command)
}

/** Returns true if one of our hook commands is anywhere in a value. */
export function holdsOwnHook(value: unknown, harness: string): boolean {
  if (typeof value === 'string') return isOwnHook({ command: value }, harness)
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).some(item => holdsOwnHook(item, harness))
  )
}

/**
 * Returns true if an MCP client's entry starts or addresses our server.
 * @param origins addresses of the daemon now and at the time of connecting, for entries with URLs.
 */
export function isOwnServer(server: unknown, origins: readonly string[]): boolean {
  const { command, cmd, args, url, httpUrl, serverUrl } = (server ?? {}) as Record<string, unknown>
  const address = url ?? httpUrl ?? serverUrl
  if (typeof address === 'string') {
    const plain = address.replace('//localhost:', '//127.0.0.1:')
    return origins.some(origin => plain === `${origin}/mcp`)
  }
  const [program = '', first = '', second = ''] = [command ?? cmd, args]
    .flat()
    .filter(word => typeof word === 'string')
  const name = programName(program)
  if (name === 'service-mcp') return true
  if (name === 'memory') return first === 'mcp'
  return /[\\/]bin[\\/]run\.js$/u.test(first) && second === 'mcp'
}

function programName(path: string): string {
  const name = path.split(/[\\/]/u).at(-1) ?? ''
  return name.replace(new RegExp(`${wrapper}$`, 'iu'), '').toLowerCase()
}

/** Returns the first line of our plugin, which identifies its file. */
export function pluginMark(title: string): string {
  return `// memory-service plugin for ${title}`
}
