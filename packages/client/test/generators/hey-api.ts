import { startQuotation, startQuotationFromFiles } from './generated/hey-api'
import { createClient } from './generated/hey-api/client'
import { FORM, type Program, QUOTE } from './quote.ts'

export const program: Program = async ({ baseUrl, apiKey }) => {
  const client = createClient({ baseUrl, auth: apiKey })
  const { data: fromText } = await startQuotation({ client, body: QUOTE })
  const { data: fromFiles } = await startQuotationFromFiles({ client, body: FORM })
  const { error } = await startQuotation({ client, body: { requirementsText: ' ' } })
  return [String(fromText?.quotation_id), String(fromFiles?.quotation_id), String(error?.code)]
}
