import { Flags } from '@oclif/core'

const name = 'i-know-this-is-open'

/** The second word that mode local needs to listen on an address that other machines reach. */
export const openFlag = {
  [name]: Flags.boolean({
    summary: 'Let mode local listen on an address that other machines reach: they may do everything.',
  }),
}

export interface OpenFlags {
  [name]?: boolean
}

/** What the daemon process is told. */
export function daemonFlags(flags: OpenFlags): string[] {
  return flags[name] ? [`--${name}`] : []
}
