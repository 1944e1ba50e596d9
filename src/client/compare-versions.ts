/** Orders two semantic versions: negative, 0 or positive. A pre-release comes before its release. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)]
  for (const part of [0, 1, 2] as const) {
    const difference = left.numbers[part] - right.numbers[part]
    if (difference !== 0) return difference
  }
  if (left.pre === right.pre) return 0
  if (left.pre === '') return 1
  if (right.pre === '') return -1
  return comparePre(left.pre, right.pre)
}

function parse(version: string): { numbers: [number, number, number]; pre: string } {
  const [core = '', pre = ''] = version.replace(/^v/, '').replace(/\+.*$/, '').split(/-(.*)/s)
  const [major, minor, patch] = core.split('.').map(part => Number.parseInt(part, 10) || 0)
  return { numbers: [major ?? 0, minor ?? 0, patch ?? 0], pre }
}

function comparePre(a: string, b: string): number {
  const [left, right] = [a.split('.'), b.split('.')]
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const [x, y] = [left[index]!, right[index]!]
    if (x === y) continue
    const [isNumberX, isNumberY] = [/^\d+$/.test(x), /^\d+$/.test(y)]
    if (isNumberX && isNumberY) return Number(x) - Number(y)
    if (isNumberX !== isNumberY) return isNumberX ? -1 : 1
    return x < y ? -1 : 1
  }
  return left.length - right.length
}
