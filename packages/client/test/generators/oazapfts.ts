import { defaults, startQuotation, startQuotationFromFiles } from './generated/oazapfts.ts'
import { FORM, type Program, QUOTE } from './quote.ts'

export const program: Program = async ({ baseUrl, apiKey }) => {
  Object.assign(defaults, { baseUrl, headers: { 'X-API-Key': apiKey } })
  const fromText = await startQuotation(QUOTE)
  const fromFiles = await startQuotationFromFiles(FORM)
  const refused = await startQuotation({ requirementsText: ' ' })
  if (fromText.status !== 202 || fromFiles.status !== 202 || refused.status !== 400)
    throw new Error('refused')
  return [fromText.data.quotation_id, fromFiles.data.quotation_id, refused.data.code]
}
