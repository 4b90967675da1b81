/** What each program starts: a quote with metadata, and one from two files with metadata. */
export const QUOTE = {
  name: 'Customer portal',
  requirementsText: 'Customers sign in and see their invoices.',
  metadata: { crm_deal: 'D-1042', lines: [1, 2] },
}

export const FORM = {
  name: 'Customer portal',
  metadata: JSON.stringify({ crm_deal: 'D-1043' }),
  files: [new File(['# Invoices'], 'a.md'), new File(['Sign in'], 'b.txt')],
}

/** Starts both, with an API key. Returns their IDs, and the code of a start without requirements. */
export type Program = (service: { baseUrl: string; apiKey: string }) => Promise<[string, string, string]>
