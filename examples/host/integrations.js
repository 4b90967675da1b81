import { createIntegrations, STEPS } from '@quickquote/core'
import { drizzleStorage } from '@quickquote/storage-drizzle'

export const storage = drizzleStorage({ connectionString: process.env.DATABASE_URL })
export const integrations = createIntegrations({
  storage,
  // Yours: turns a quote into a proposal. Here all steps finish at once.
  pipeline: {
    async start(_quote, { report }) {
      for (const step of STEPS) await report.stepCompleted(step)
      await report.completed()
    },
    signDocumentUrl: async (document) => ({
      url: `https://files.example.com/${document.document_id}`,
      expires_at: new Date(Date.now() + 900_000),
    }),
  },
  encryptionKeys: [{ id: '1', key: process.env.INTEGRATIONS_KEY }],
  // Allows a receiver on this machine. Omit it in production, so that webhooks go to public addresses only.
  allowAddresses: ['127.0.0.1/32'],
})
