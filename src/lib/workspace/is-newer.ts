const oldest = '0.0.0-0'

/**
 * Whether a version comes after another one, by the rules of semantic versions; a text that is none counts as the
 * oldest. Nearly always both are the same, and then semver is not loaded.
 */
export async function isNewer(version: string, than: string): Promise<boolean> {
  if (version === than) return false
  const [{ default: gt }, { default: parse }] = await Promise.all([
    import('semver/functions/gt.js'),
    import('semver/functions/parse.js'),
  ])
  return gt(parse(version) ?? oldest, parse(than) ?? oldest)
}
