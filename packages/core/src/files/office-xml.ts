import type { SaxesOptions, SaxesParser, TagForOptions } from 'saxes'
import { inTurns } from './in-turns.ts'

/** Limits of an XML file, beyond which it is refused: they bound the time and memory of its parser. */
export interface XmlBounds {
  /** Elements inside each other. */
  readonly depth: number
  readonly elements: number
  readonly attributesOfElement: number
  /** Characters of a name. */
  readonly nameLength: number
  /** Characters of a tag with its attributes, which the parser keeps. */
  readonly tagLength: number
  /** The same of comments, instructions, CDATA sections and a reference between two tags, with the text behind them. */
  readonly commentLength: number
}

/** Bytes to parse in one turn of the event loop: about a millisecond. */
const TURN_BYTES = 16 * 1024

/**
 * Parses a file of an Office document.
 * @throws Error if it is no well-formed XML 1.0 in UTF-8 or UTF-16, exceeds its bounds, or has a document type
 * declaration, which Office documents must not have
 */
export async function parseXml<Options extends SaxesOptions>(
  xml: AsyncIterable<Uint8Array>,
  parser: SaxesParser<Options>,
  bounds: XmlBounds,
  onOpenTag: (tag: TagForOptions<Options>) => void,
): Promise<void> {
  const check = keepBounds(parser, bounds, onOpenTag)
  for await (const text of decoded(inTurns(xml, TURN_BYTES))) {
    parser.write(text)
    check(text)
  }
  const { version = '1.0', encoding = 'utf-8' } = parser.xmlDecl
  if (version !== '1.0' || !/^utf-?(?:8|16(?:[bl]e)?)$/i.test(encoding))
    throw new Error('another kind of XML')
  parser.close()
}

/** With a space for each line end or tab: the parser would make a string for each. */
async function* decoded(xml: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const plain = (text: string) => text.replace(/[\t\n\r]+/g, ' ')
  let head = Buffer.alloc(0)
  let decoder: InstanceType<typeof TextDecoder> | undefined
  for await (const bytes of xml) {
    if (decoder === undefined) {
      head = Buffer.concat([head, bytes])
      if (head.length < 2) continue
      decoder = new TextDecoder(encodingOf(head), { fatal: true })
      yield plain(decoder.decode(head, { stream: true }))
    } else {
      yield plain(decoder.decode(bytes, { stream: true }))
    }
  }
  decoder?.decode()
}

/** By the byte order mark, or the `<` without one. */
function encodingOf(head: Uint8Array): string {
  const [first, second] = head
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be'
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le'
  return 'utf-8'
}

/**
 * Stops a parser that exceeds its bounds: before it resolves the namespaces of an element, and while it keeps markup that
 * does not end. It keeps no text between tags.
 * @returns a function to call with each text that was written
 */
function keepBounds<Options extends SaxesOptions>(
  parser: SaxesParser<Options>,
  bounds: XmlBounds,
  onOpenTag: (tag: TagForOptions<Options>) => void,
): (text: string) => void {
  let depth = 0
  let elements = 0
  let attributes = 0
  let written = 0
  /** Where the last tag ended. */
  let endedAt = 0
  /** The first characters of what the parser may keep until the next tag ends. */
  let open = ''
  let openLength = 0

  const check = (name: string) => {
    const isWithin =
      depth <= bounds.depth && elements <= bounds.elements && attributes <= bounds.attributesOfElement
    if (!isWithin || name.length > bounds.nameLength) throw new Error('more than Office documents have')
  }
  const end = () => {
    endedAt = parser.position
  }
  // With two listeners more, V8 would make a dictionary of the parser, which is then seven times slower.
  parser.on('doctype', () => {
    throw new Error('a document type declaration')
  })
  parser.on('opentagstart', ({ name }) => {
    depth += 1
    elements += 1
    attributes = 0
    check(name)
  })
  parser.on('attribute', ({ name }) => {
    attributes += 1
    check(name)
  })
  parser.on('opentag', (tag) => {
    onOpenTag(tag)
    end()
  })
  parser.on('closetag', () => {
    depth -= 1
    end()
  })

  return (text) => {
    const rest = endedAt > written ? text.slice(endedAt - written) : behindOpen(text)
    written += text.length
    if (rest === null) {
      if (open === '<') open += text.charAt(0)
      openLength += text.length
    } else {
      open = begunIn(rest)
      openLength = open === '' ? 0 : rest.length
    }
    if (openLength > (/^<[^!?]/.test(open) ? bounds.tagLength : bounds.commentLength)) {
      throw new Error('more markup than Office documents have')
    }
  }

  /** The text, or what follows an open reference in it. null: all of it belongs to what is open. */
  function behindOpen(text: string): string | null {
    if (open === '') return text
    return open === '&' && text.includes(';') ? text.slice(text.indexOf(';') + 1) : null
  }
}

/** The first characters of the markup or reference that begins in a text and does not end in it; '' if none does. */
function begunIn(text: string): string {
  const tag = text.indexOf('<')
  if (tag !== -1) return text.slice(tag, tag + 2)
  return text.lastIndexOf('&') > text.lastIndexOf(';') ? '&' : ''
}
