import packageJson from '../../../package.json' with { type: 'json' }

export const version: string = packageJson.version

/** Name of this program in package registries. */
export const packageName: string = packageJson.name

const oldest = '0.0.0-0'

/**
 * Returns true if a version is newer than another by the rules of semantic versioning; an invalid version
 * counts as the oldest. Equal versions are by far the most common case, so semver is loaded only for
 * different ones.
 */
export async function isNewer(version: string, than: string): Promise<boolean> {
  if (version === than) return false
  const [{ default: gt }, { default: parse }] = await Promise.all([
    import('semver/functions/gt.js'),
    import('semver/functions/parse.js'),
  ])
  return gt(parse(version) ?? oldest, parse(than) ?? oldest)
}
