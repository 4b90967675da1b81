import { SaxesParser } from 'saxes'
import { PACKAGE_XML_BOUNDS } from './docx-content-types.ts'
import { parseXml, type XmlBounds } from './office-xml.ts'

const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships'

/** The types of the relationship to the main part, transitional and strict. */
const MAIN_PART = new Set([
  'http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument',
  'http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument',
])

/** The namespaces of a Word document, transitional and strict. */
const WORD = new Set([
  'http://schemas.openxmlformats.org/wordprocessingml/2006/main',
  'http://purl.oclc.org/ooxml/wordprocessingml/main',
])

/** Documents of thousands of pages stay within these limits. */
const MAIN_PART_BOUNDS: XmlBounds = {
  depth: 1000,
  elements: 2_000_000,
  attributesOfElement: 256,
  nameLength: 256,
  tagLength: 1024 * 1024,
  commentLength: 128 * 1024,
}

/**
 * Reads `_rels/.rels`.
 * @returns the name of the main part, in lower case; null if there is none
 * @throws Error of parseXml
 */
export async function readMainPartName(xml: AsyncIterable<Uint8Array>): Promise<string | null> {
  const targets: string[] = []
  const parser = new SaxesParser({ xmlns: true })
  await parseXml(xml, parser, PACKAGE_XML_BOUNDS, ({ local, uri, attributes }) => {
    if (uri !== RELATIONSHIPS || local !== 'Relationship') return
    const { Type: type, Target: target, TargetMode: mode } = attributes
    if (MAIN_PART.has(type?.value ?? '') && mode?.value !== 'External') targets.push(target?.value ?? '')
  })
  return targets[0] === undefined ? null : partNameOf(targets[0])
}

/** Relative to the root of the package, and percent-encoded. */
function partNameOf(target: string): string | null {
  try {
    return decodeURIComponent(new URL(target, 'package:///').pathname).slice(1).toLowerCase()
  } catch {
    return null
  }
}

/**
 * Whether a main part is that of a Word document, by its root. Parses it without namespaces: to resolve them, the
 * parser would search all elements around each element.
 * @throws Error of parseXml
 */
export async function isWordDocument(xml: AsyncIterable<Uint8Array>): Promise<boolean> {
  let root: boolean | undefined
  const parser = new SaxesParser()
  await parseXml(xml, parser, MAIN_PART_BOUNDS, ({ name, attributes }) => {
    if (root !== undefined) return
    const [local, prefix] = name.split(':').reverse()
    const namespace = attributes[prefix === undefined ? 'xmlns' : `xmlns:${prefix}`]
    root = local === 'document' && WORD.has(namespace ?? '')
  })
  return root === true
}
