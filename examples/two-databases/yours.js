// Yours: sessions, the pipeline, and which organization is in which database.
import { answerFrameworkError, requestSerializer } from '@quickquote/fastify-integrations'

const databases = new Map(JSON.parse(process.env.ORGANIZATIONS ?? '[]'))

export const databaseOf = (organizationId) => databases.get(organizationId.toLowerCase()) ?? 0

// Here everyone is the admin of every organization.
export const resolveSession = async () => ({
  memberId: 'me',
  organizations: [...databases.keys()].map((id) => ({ id, role: 'admin' })),
})

export const options = {
  pipeline: {
    start: async () => {},
    signDocumentUrl: async ({ document_id }) => ({
      url: `https://files.example.com/${document_id}`,
      expires_at: new Date(Date.now() + 900_000),
    }),
  },
  encryptionKeys: [{ id: '1', key: process.env.INTEGRATIONS_KEY }],
}

// Keeps API keys out of your log, even those in a malformed URL.
export const fastifyOptions = {
  logger: { serializers: { req: requestSerializer } },
  frameworkErrors: answerFrameworkError,
}
