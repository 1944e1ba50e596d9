/** Environment variables that programs need for files, tools, language and network (secret-commands.md 3). */
const passed: readonly RegExp[] = [
  /^(PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TZ|TERM|LANG|LANGUAGE|NO_COLOR|SSH_AUTH_SOCK|DISPLAY|WAYLAND_DISPLAY)$/,
  /^(LC|XDG)_/,
  /^(HTTP|HTTPS|FTP|ALL|NO)_PROXY$/i,
  /^(SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE)$/,
  // Windows programs need these.
  /^(SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|TEMP|TMP|USERNAME|USERPROFILE|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES(\(X86\))?|PROGRAMW6432|COMMONPROGRAMFILES|NUMBER_OF_PROCESSORS|PROCESSOR_ARCHITECTURE|OS)$/i,
]

/** Needed by desktops: the session bus, where keyrings are, and the right to draw. */
export const desktopVariables = /^(DBUS_SESSION_BUS_ADDRESS|XAUTHORITY)$/

/** Package managers find themselves and their packages with these. Registry credentials stay in files. */
export const packageVariables =
  /^(npm_config_(?!.*(?:auth|token|password|secret))\w+|NVM_(DIR|BIN)|VOLTA_HOME|PNPM_HOME|BUN_INSTALL|COREPACK_HOME|VIRTUAL_ENV)$/i

/**
 * The environment for programs of others: only variables that are known to be harmless, so no key in the
 * daemon's environment reaches them.
 * @param also further names that a program needs
 */
export function passedVariables(environment: NodeJS.ProcessEnv, also?: RegExp): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => passed.some(pattern => pattern.test(name)) || also?.test(name) === true,
    ),
  )
}
