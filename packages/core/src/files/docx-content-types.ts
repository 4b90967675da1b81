import { SaxesParser } from 'saxes'

/** The type of each part of an Office document (ECMA-376, part 2). */
export interface ContentTypes {
  /** Every declared type, used or not. */
  readonly declared: readonly string[]
  of(entryName: string): string | undefined
}

const NAMESPACE = 'http://schemas.openxmlformats.org/package/2006/content-types'

/**
 * Reads `[Content_Types].xml` with an XML parser: a comment or an escape could hide a type from a pattern.
 * @throws Error if it is malformed, not UTF-8, or has a document type declaration, which Office documents must not have
 */
export function readContentTypes(xml: Uint8Array): ContentTypes {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(xml)
  const defaults = new Map<string, string>()
  const overrides = new Map<string, string>()
  const parser = new SaxesParser({ xmlns: true })
  parser.on('doctype', () => {
    throw new Error('a document type declaration')
  })
  parser.on('opentag', ({ local, uri, attributes }) => {
    if (uri !== NAMESPACE) return
    const type = attributes['ContentType']?.value ?? ''
    if (local === 'Default') defaults.set((attributes['Extension']?.value ?? '').toLowerCase(), type)
    if (local === 'Override') overrides.set((attributes['PartName']?.value ?? '').toLowerCase(), type)
  })
  parser.write(text).close()
  return {
    declared: [...defaults.values(), ...overrides.values()],
    of(entryName) {
      const name = entryName.toLowerCase()
      return overrides.get(`/${name}`) ?? defaults.get(name.slice(name.lastIndexOf('.') + 1))
    },
  }
}
