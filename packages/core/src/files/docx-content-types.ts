import { SaxesParser } from 'saxes'
import { inTurns } from './in-turns.ts'

/** The type of each part of an Office document (ECMA-376, part 2). */
export interface ContentTypes {
  /** Every declared type, used or not. */
  readonly declared: readonly string[]
  of(entryName: string): string | undefined
}

/**
 * Limits of the list, which real documents keep by far: theirs has a depth of 2, and an element for each entry. The
 * parser resolves each prefix through all open elements, so without limits a small file would keep it busy for minutes.
 */
const XML_BOUNDS = { depth: 8, elements: 5000, attributesOfElement: 16, nameLength: 256 }

/** Bytes to parse in one turn of the event loop: about a millisecond. */
const TURN_BYTES = 16 * 1024

const NAMESPACE = 'http://schemas.openxmlformats.org/package/2006/content-types'

/**
 * Reads `[Content_Types].xml` with an XML parser: a comment or an escape could hide a type from a pattern.
 * @throws Error if it is malformed, not UTF-8, exceeds XML_BOUNDS, or has a document type declaration, which Office
 * documents must not have
 */
export async function readContentTypes(xml: AsyncIterable<Uint8Array>): Promise<ContentTypes> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const defaults = new Map<string, string>()
  const overrides = new Map<string, string>()
  const parser = new SaxesParser({ xmlns: true })
  keepBounds(parser)
  parser.on('doctype', () => {
    throw new Error('a document type declaration')
  })
  parser.on('opentag', ({ local, uri, attributes }) => {
    if (uri !== NAMESPACE) return
    const type = attributes['ContentType']?.value ?? ''
    if (local === 'Default') defaults.set((attributes['Extension']?.value ?? '').toLowerCase(), type)
    if (local === 'Override') overrides.set((attributes['PartName']?.value ?? '').toLowerCase(), type)
  })
  for await (const bytes of inTurns(xml, TURN_BYTES)) parser.write(decoder.decode(bytes, { stream: true }))
  parser.write(decoder.decode()).close()
  return {
    declared: [...defaults.values(), ...overrides.values()],
    of(entryName) {
      const name = entryName.toLowerCase()
      return overrides.get(`/${name}`) ?? defaults.get(name.slice(name.lastIndexOf('.') + 1))
    },
  }
}

/** Stops a parser that exceeds XML_BOUNDS, before it resolves the namespaces of the element. */
function keepBounds(parser: SaxesParser<{ xmlns: true }>): void {
  let depth = 0
  let elements = 0
  let attributes = 0
  const check = (name: string) => {
    const { depth: maxDepth, elements: maxElements, attributesOfElement, nameLength } = XML_BOUNDS
    const isWithin = depth <= maxDepth && elements <= maxElements && attributes <= attributesOfElement
    if (!isWithin || name.length > nameLength) throw new Error('more than a list of content types has')
  }
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
  parser.on('closetag', () => {
    depth -= 1
  })
}
