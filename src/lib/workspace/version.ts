import packageJson from '../../../package.json' with { type: 'json' }

/** This program's version, as package.json states it. */
export const version: string = packageJson.version

/** Under which this program is in registries of packages. */
export const packageName: string = packageJson.name
