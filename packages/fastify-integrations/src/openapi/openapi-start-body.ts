import type { Limits } from '@quickquote/core'
import { startQuotationBody, type TObject, type TSchema, Type } from '@quickquote/core/internal'
import { mapValues } from './openapi-shape.ts'

/** A start as `application/json`: without files, so the text is required. */
export function startQuotationJson(limits: Limits): TObject {
  const { requirementsText: _, ...others } = startQuotationBody(limits).properties
  return Type.Object(
    {
      ...others,
      requirementsText: Type.String({
        format: 'text',
        maxLength: limits.requirementsTextLength,
        // Not just `\S`: Python's generated clients match from the beginning.
        pattern: '^\\s*\\S',
        description: 'The requirements as text. To send files, use the route for forms.',
      }),
    },
    { title: 'StartQuotation' },
  )
}

/**
 * A start as `multipart/form-data`: the same fields without null, and files. `metadata` is text, because generators send
 * an object part in many ways.
 */
export function startQuotationForm(limits: Limits): TObject {
  const fields = mapValues(startQuotationBody(limits).properties, withoutNull)
  return Type.Object(
    {
      ...fields,
      metadata: Type.Optional(
        Type.String({
          description: `Your own data: a JSON object as text. At most ${limits.metadataBytes} bytes.`,
        }),
      ),
      files: Type.Optional(
        Type.Array(Type.String({ format: 'binary', contentMediaType: 'application/octet-stream' }), {
          maxItems: limits.files,
          description: `Files with the requirements: docx, pdf, txt or md, at most ${limits.fileBytes} bytes each. Required unless \`requirementsText\` is sent.`,
        }),
      ),
    },
    { title: 'StartQuotationForm' },
  )
}

function withoutNull(field: TSchema): TSchema {
  const [type] = [field['type']].flat()
  return { ...field, type }
}
