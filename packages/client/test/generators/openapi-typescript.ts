import createClient from 'openapi-fetch'
import type { components, paths } from './generated/openapi-typescript.ts'
import { FORM, type Program, QUOTE } from './quote.ts'

const quote: components['schemas']['StartQuotation'] = QUOTE

export const program: Program = async ({ baseUrl, apiKey }) => {
  const client = createClient<paths>({ baseUrl, headers: { 'X-API-Key': apiKey } })
  const { data: fromText } = await client.POST('/v1/integrations/quotations', { body: quote })
  const { files, ...fields } = FORM
  const { data: fromFiles } = await client.POST('/v1/integrations/quotations/files', {
    body: fields,
    bodySerializer(body) {
      const form = new FormData()
      for (const [name, text] of Object.entries(body)) form.append(name, String(text))
      for (const file of files) form.append('files', file)
      return form
    },
  })
  const { error } = await client.POST('/v1/integrations/quotations', { body: { requirementsText: ' ' } })
  return [String(fromText?.quotation_id), String(fromFiles?.quotation_id), String(error?.code)]
}
