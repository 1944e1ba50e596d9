const [tab, newline, carriageReturn, blank, colon, greater, bar] = [9, 10, 13, 32, 58, 62, 124]

export interface DumpLine {
  /** With the blanks behind it. */
  address: Buffer
  bytes: readonly number[]
}

/** Whether a line that has not ended yet may be one of a dump. */
export function mayBeDump(line: Buffer): boolean {
  const { digits, shown } = addressOf(line)
  if (digits === line.length) return digits <= 16
  return isAddress(digits) && (shown === line.length || (shown > digits && nibbleOf(line[shown]) >= 0))
}

/**
 * The bytes that a line of `xxd`, `hexdump` or `od` shows: in groups of some, or as words of 16 bits, which come with
 * their second byte first.
 * @returns undefined for any other line.
 */
export function readDumpLine(line: Buffer): DumpLine | undefined {
  const { digits, shown, hasColon } = addressOf(line)
  if (!isAddress(digits) || shown === digits + Number(hasColon)) return undefined
  const bytes: number[] = []
  let areWords = !hasColon
  for (let at = shown; ; ) {
    const begun = at
    for (; nibbleOf(line[at + 1]) >= 0 && nibbleOf(line[at]) >= 0; at += 2)
      bytes.push(16 * nibbleOf(line[at]) + nibbleOf(line[at + 1]))
    if (at === begun) return undefined
    areWords &&= at - begun === 4
    const behind = afterBlanks(line, at)
    // Behind two blanks `xxd` goes on with the characters; the others put marks around them.
    const isEnd = hasColon ? behind > at + 1 : line[behind] === bar || line[behind] === greater
    if (isEnd || isOver(line, behind)) break
    if (behind === at) return undefined
    at = behind
  }
  return { address: line.subarray(0, shown), bytes: areWords ? swapped(bytes) : bytes }
}

/** @returns how many digits there are, whether a colon follows, and where what is shown begins. */
function addressOf(line: Buffer): { digits: number; hasColon: boolean; shown: number } {
  let digits = 0
  while (nibbleOf(line[digits]) >= 0) digits++
  const hasColon = line[digits] === colon
  return { digits, hasColon, shown: afterBlanks(line, digits + Number(hasColon)) }
}

function isAddress(digits: number): boolean {
  return digits >= 4 && digits <= 16
}

function afterBlanks(line: Buffer, from: number): number {
  let at = from
  while (line[at] === blank || line[at] === tab) at++
  return at
}

function isOver(line: Buffer, at: number): boolean {
  return at >= line.length || line[at] === newline || line[at] === carriageReturn
}

/** Of a hexadecimal digit; -1 for any other character, and behind the end. */
function nibbleOf(digit: number | undefined): number {
  if (digit === undefined) return -1
  if (digit >= 48 && digit <= 57) return digit - 48
  const letter = digit | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}

function swapped(bytes: readonly number[]): number[] {
  return bytes.map((_, at) => bytes[at ^ 1] as number)
}
