/** Every file of src/commands as a lazily evaluated import; scripts/bundle.js makes this module. */
declare module 'virtual:commands' {
  import type { CliCommand } from './cli-command.js'

  export type CommandClass = new (argv: string[], config: never) => CliCommand
  /** Keyed by id, topics separated by colons: `daemon:run`. */
  export const commands: Readonly<Record<string, () => Promise<{ default: CommandClass }>>>
}
