import { SaxesParser } from 'saxes'
import { parseXml, type XmlBounds } from './office-xml.ts'

/** The type of each part of an Office document (ECMA-376, part 2): undefined if none is declared. */
export type ContentTypes = (entryName: string) => string | undefined

/**
 * Limits of the files that describe a package, which real documents keep by far: theirs have a depth of 2, and an element
 * for each entry. The parser resolves each prefix through all open elements, so without limits a small file would keep it
 * busy for minutes.
 */
export const PACKAGE_XML_BOUNDS: XmlBounds = {
  depth: 8,
  elements: 5000,
  attributesOfElement: 16,
  nameLength: 256,
  tagLength: 1024 * 1024,
  commentLength: 128 * 1024,
}

const NAMESPACE = 'http://schemas.openxmlformats.org/package/2006/content-types'

/**
 * Reads `[Content_Types].xml` with an XML parser: a comment or an escape could hide a type from a pattern.
 * @throws Error of parseXml
 */
export async function readContentTypes(xml: AsyncIterable<Uint8Array>): Promise<ContentTypes> {
  const defaults = new Map<string, string>()
  const overrides = new Map<string, string>()
  const parser = new SaxesParser({ xmlns: true })
  await parseXml(xml, parser, PACKAGE_XML_BOUNDS, ({ local, uri, attributes }) => {
    if (uri !== NAMESPACE) return
    const type = attributes['ContentType']?.value ?? ''
    if (local === 'Default') defaults.set((attributes['Extension']?.value ?? '').toLowerCase(), type)
    if (local === 'Override') overrides.set((attributes['PartName']?.value ?? '').toLowerCase(), type)
  })
  return (entryName) => {
    const name = entryName.toLowerCase()
    return overrides.get(`/${name}`) ?? defaults.get(name.slice(name.lastIndexOf('.') + 1))
  }
}
