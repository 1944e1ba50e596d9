/** What programs need to find their files, tools, language and way to the network (secret-commands.md 3). */
const passedOn: readonly RegExp[] = [
  /^(PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TZ|TERM|LANG|LANGUAGE|NO_COLOR|SSH_AUTH_SOCK|DISPLAY|WAYLAND_DISPLAY)$/,
  /^(LC|XDG)_/,
  /^(HTTP|HTTPS|FTP|ALL|NO)_PROXY$/i,
  /^(SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE)$/,
  // Windows has these in any case.
  /^(SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|TEMP|TMP|USERNAME|USERPROFILE|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES(\(X86\))?|PROGRAMW6432|COMMONPROGRAMFILES|NUMBER_OF_PROCESSORS|PROCESSOR_ARCHITECTURE|OS)$/i,
]

/**
 * The environment of a command, besides its secrets: the daemon was started by whoever came first, so that keys and
 * tokens of that shell, and the daemon's own, are none of the command's business.
 */
export function childEnvironment(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(own).filter(([name]) => passedOn.some(pattern => pattern.test(name))),
  )
}
