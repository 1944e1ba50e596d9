import sax from 'sax'
import { everyFewMs } from '../../../../lib/concurrency/every-few-ms.js'

/** One element, by its name without a prefix. */
export interface XmlElement {
  name: string
  /** Its own text, without that of the elements inside. */
  text: string
  inside: XmlElement[]
}

/** Characters that are read at once: a few milliseconds. */
const step = 64 * 1024
const deepest = 32

/**
 * Reads a document, with turns for other work in between. Entities of a DOCTYPE are not known.
 * @returns undefined for anything that is not XML
 */
export async function readXml(bytes: Buffer): Promise<XmlElement | undefined> {
  try {
    return await treeOf(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

async function treeOf(text: string): Promise<XmlElement | undefined> {
  const top: XmlElement = { name: '', text: '', inside: [] }
  const open = [top]
  const parser = sax.parser(true, { xmlns: true })
  parser.onerror = error => {
    throw error
  }
  parser.onopentag = tag => {
    const element: XmlElement = { name: 'local' in tag ? tag.local : tag.name, text: '', inside: [] }
    open.at(-1)!.inside.push(element)
    if (open.push(element) > deepest) throw new Error('its elements are nested too deeply')
  }
  parser.onclosetag = () => void open.pop()
  const addText = (words: string): void => {
    open.at(-1)!.text += words
  }
  parser.ontext = addText
  parser.oncdata = addText
  const breathe = everyFewMs()
  for (let at = 0; at < text.length; at += step) {
    parser.write(text.slice(at, at + step))
    await breathe()
  }
  parser.close()
  return top.inside[0]
}

/** The elements inside that have this name. */
export function elementsOf({ inside }: XmlElement, name: string): XmlElement[] {
  return inside.filter(element => element.name === name)
}

/** The text of the first element inside with this name. */
export function textOf({ inside }: XmlElement, name: string): string | undefined {
  return inside.find(element => element.name === name)?.text.trim()
}
