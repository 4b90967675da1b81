import type { Limits } from '@quickquote/core'
import { startQuotationBody, type TObject, type TSchema, Type } from '@quickquote/core/internal'
import { mapValues } from './openapi-shape.ts'

/** A start as `application/json`: without files, so the text is required. */
export function startQuotationJson(limits: Limits): TObject {
  const { requirementsText: _, ...others } = startQuotationBody(limits).properties
  const requirementsText = Type.String({
    format: 'text',
    maxLength: limits.requirementsTextLength,
    // Not just `\S`: Python's generated clients match from the beginning.
    pattern: '^\\s*\\S',
    description: 'The requirements as text. To send files, use the route for forms.',
  })
  return Type.Object({ ...others, requirementsText }, { title: 'StartQuotation' })
}

/**
 * A start as `multipart/form-data`: the same fields without null, and files. `metadata` is text, because generators send
 * an object part in many ways.
 */
export function startQuotationForm(limits: Limits): TObject {
  const withoutNull = (field: TSchema): TSchema => ({ ...field, type: [field['type']].flat()[0] })
  const fields = mapValues(startQuotationBody(limits).properties, withoutNull)
  const metadata = Type.String({
    description: `Your own data: a JSON object as text. At most ${limits.metadataBytes} bytes.`,
  })
  const file = Type.String({ format: 'binary', contentMediaType: 'application/octet-stream' })
  const files = Type.Array(file, {
    maxItems: limits.files,
    description: `Files with the requirements: docx, pdf, txt or md, at most ${limits.fileBytes} bytes each. Required unless \`requirementsText\` is sent.`,
  })
  const optional = { metadata: Type.Optional(metadata), files: Type.Optional(files) }
  return Type.Object({ ...fields, ...optional }, { title: 'StartQuotationForm' })
}
