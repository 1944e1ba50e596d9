/** Every file of src/commands as a lazy import; scripts/bundle.js generates this module. */
declare module 'virtual:commands' {
  import type { CliCommand } from './cli-command.js'

  export type CommandClass = new (argv: string[], config: never) => CliCommand
  /** By id, with colons between topics: `daemon:run`. */
  export const commands: Readonly<Record<string, () => Promise<{ default: CommandClass }>>>
}
