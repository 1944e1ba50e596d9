/** Shorter data stays: it costs little, and may be anything. */
const minLength = 64 * 1024

/** A value of data: base64, with or without the beginning of a `data:` address. */
const data = /^(?:data:[\w.+-]{1,60}\/[\w.+-]{1,100};base64,)?[\w+/=-]*$/u
/** The beginning of such a value, cut anywhere. */
const dataBegun = /^[\w+/=:;,.-]*$/u

/** Fields that contain what somebody said, even if it looks like data. */
const spoken = /"(?:text|content|message|prompt|displayContent)"\s*:\s*$|[[,]\s*$|\\$/u
const spokenLength = 64

/**
 * Empties the pictures and files in a stream of JSON: strings of base64 that are the value of a field. Their
 * lines become short enough to be read, and what follows a picture comes near the beginning of the log.
 */
export async function* withoutPictures(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let held = ''
  /** The end of what was passed on, which has the name of the next value. */
  let before = ''
  let isInPicture = false
  for await (const piece of pieces) {
    let text = held + piece
    held = ''
    if (isInPicture) {
      const end = text.indexOf('"')
      if (end < 0) continue
      text = text.slice(end)
      isInPicture = false
    }
    const cut = cutPictures(before, text)
    held = cut.held
    isInPicture = cut.isInPicture
    before = (before + cut.kept).slice(-spokenLength)
    if (cut.kept !== '') yield cut.kept
  }
  if (held !== '') yield held
}

interface Cut {
  kept: string
  /** The beginning of a string that may become a picture with the next piece. */
  held: string
  /** True if the text ends inside a picture. */
  isInPicture: boolean
}

function cutPictures(before: string, text: string): Cut {
  let kept = ''
  let from = 0
  for (let start = text.indexOf('"'); start >= 0; ) {
    const end = text.indexOf('"', start + 1)
    if (end < 0) {
      const begun = text.slice(start + 1)
      if (!dataBegun.test(begun) || isSpoken(before, text, start)) break
      if (begun.length < minLength)
        return { kept: kept + text.slice(from, start), held: text.slice(start), isInPicture: false }
      if (!data.test(begun)) break
      return { kept: kept + text.slice(from, start + 1), held: '', isInPicture: true }
    }
    const isPicture =
      end - start > minLength && data.test(text.slice(start + 1, end)) && !isSpoken(before, text, start)
    if (isPicture) {
      kept += text.slice(from, start + 1)
      from = end
    }
    // A quote may open or close a string; the text up to the next one tells which.
    start = isPicture ? text.indexOf('"', end + 1) : end
  }
  return { kept: kept + text.slice(from), held: '', isInPicture: false }
}

/** True for a string of a conversation, and for a quote that is part of a string. */
function isSpoken(before: string, text: string, start: number): boolean {
  const lead = text.slice(Math.max(0, start - spokenLength), start)
  return spoken.test(lead.length < spokenLength ? before + lead : lead)
}
