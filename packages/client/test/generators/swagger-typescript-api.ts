import { Api } from './generated/swagger-typescript-api.ts'
import { FORM, type Program, QUOTE } from './quote.ts'

export const program: Program = async ({ baseUrl, apiKey }) => {
  const { v1 } = new Api({ baseUrl, baseApiParams: { headers: { 'X-API-Key': apiKey } } })
  const { data: fromText } = await v1.startQuotation(QUOTE)
  // Its fetch client makes a list of files JSON, but takes a form.
  const form = new FormData()
  form.append('metadata', FORM.metadata)
  for (const file of FORM.files) form.append('files', file)
  const { data: fromFiles } = await v1.startQuotationFromFiles(form as never)
  const refused = await v1.startQuotation({ requirementsText: ' ' }).catch((answer) => answer)
  return [fromText.quotation_id, fromFiles.quotation_id, refused.error.code]
}
