import packageJson from '../../../package.json' with { type: 'json' }

export const version: string = packageJson.version

/** Name of this program in package registries. */
export const packageName: string = packageJson.name
