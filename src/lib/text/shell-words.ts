/** Quotes a word for a POSIX shell if it needs quotes. */
export function quotedForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : inSingleQuotes(word)
}

/** Puts any text in single quotes for a POSIX shell. */
export function inSingleQuotes(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Splits a command into its words as a shell would, with quotes and without anything else of a shell. */
export function commandWords(command: string): string[] {
  const words = command.match(/(?:[^\s"']|"[^"]*"|'[^']*')+|["']/gu) ?? []
  return words.map(word => word.replace(/"([^"]*)"|'([^']*)'/gu, '$1$2'))
}

/** A command with one more variable, for a POSIX shell or PowerShell; for the next step of a message. */
export function withVariable(
  name: string,
  value: string | number,
  command: string,
  platform: NodeJS.Platform = process.platform,
): string {
  return platform === 'win32' ? `$env:${name}=${value}; ${command}` : `${name}=${value} ${command}`
}

/** A right that a command gives to the user who runs it. */
export interface Grant {
  access: 'read' | 'write'
  isFolder: boolean
}

/** A command that gives the owner of a file or folder the right to it, in a POSIX shell or PowerShell. */
export function grantCommand(
  path: string,
  { access, isFolder }: Grant,
  platform: NodeJS.Platform = process.platform,
): string {
  if (platform === 'win32') {
    const right = access === 'read' ? 'RX' : 'F'
    return `icacls "${path}" /grant "\${env:USERNAME}:${isFolder ? `(OI)(CI)${right}" /T` : `${right}"`}`
  }
  return `chmod ${isFolder ? '-R ' : ''}u+r${access === 'write' ? 'w' : ''}${isFolder ? 'X' : ''} "${path}"`
}

/** A command that gives a folder of another user to this one. */
export function takeCommand(folder: string, platform: NodeJS.Platform = process.platform): string {
  return platform === 'win32'
    ? grantCommand(folder, { access: 'write', isFolder: true }, platform)
    : `chown -R "$USER" "${folder}"`
}

/** A command that makes a read-only file of this user writable. */
export function writableCommand(file: string, platform: NodeJS.Platform = process.platform): string {
  return platform === 'win32' ? `attrib -r "${file}"` : `chmod u+w "${file}"`
}
