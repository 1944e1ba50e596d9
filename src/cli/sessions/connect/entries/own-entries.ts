/** How a shell command or a list of arguments may name our programs; `.cmd` and so on are wrappers on Windows. */
const wrapper = String.raw`(?:\.(?:cmd|exe|ps1))?`
const hookCommand = new RegExp(String.raw`(?:^|[\\/\s"'])(?:memory${wrapper}|run\.js)["']?\s+hook\s`, 'iu')

/** The path of the daemon's route that takes a harness's own JSON. */
export function hookPath(harness: string, hook = ''): string {
  return `/api/hooks/harness/${harness}/${hook}`
}

/** Whether a hook entry of a harness was written by us: by its command or its URL. */
export function isOwnHook(handler: unknown, harness: string): boolean {
  const { command, url } = (handler ?? {}) as { command?: unknown; url?: unknown }
  if (typeof url === 'string') return url.includes(hookPath(harness))
  if (typeof command !== 'string' || !hookCommand.test(command)) return false
  return new RegExp(String.raw`\s(?:-H|--harness)[\s=]+["']?${harness}(?![\w-])`, 'u').test(command)
}

/**
 * Whether an entry of an MCP client starts or asks our server.
 * @param origins of the daemon, now and when it was connected, for entries by URL.
 */
export function isOwnServer(server: unknown, origins: readonly string[]): boolean {
  const { command, args, url, httpUrl } = (server ?? {}) as Record<string, unknown>
  const address = url ?? httpUrl
  if (typeof address === 'string') {
    const plain = address.replace('//localhost:', '//127.0.0.1:')
    return origins.some(origin => plain === `${origin}/mcp`)
  }
  const [program = '', first = '', second = ''] = [command, args]
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
