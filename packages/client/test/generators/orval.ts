import { startQuotation, startQuotationFromFiles } from './generated/orval.ts'
import { FORM, type Program, QUOTE } from './quote.ts'

export const program: Program = async ({ baseUrl, apiKey }) => {
  const send = globalThis.fetch
  // Its address is set when it is generated.
  globalThis.fetch = (url, init) => send(String(url).replace('http://service.invalid', baseUrl), init)
  const options = { headers: { 'X-API-Key': apiKey } }
  try {
    const fromText = await startQuotation(QUOTE, options)
    const fromFiles = await startQuotationFromFiles(FORM, options)
    const refused = await startQuotation({ requirementsText: ' ' }, options)
    if (fromText.status !== 202 || fromFiles.status !== 202 || refused.status !== 400)
      throw new Error('refused')
    return [fromText.data.quotation_id, fromFiles.data.quotation_id, refused.data.code]
  } finally {
    globalThis.fetch = send
  }
}
